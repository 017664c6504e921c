"""The definition that a call ran with, as it was then, beside the one that there is now."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from textwrap import dedent

from workbench.app.workbench import Workbench
from workbench.base.exact_json import dump
from workbench.domain.calls import Call


@dataclass(frozen=True, slots=True)
class DefinitionThen:
    """Source and schema (JSON text) of then and of now; "" now when the tool is gone or does not load.

    `is_current` says that a call today would run with the same.
    """

    version: str
    source: str
    schema: str
    is_current: bool
    description: str = ""
    path: str = ""
    source_now: str = ""
    schema_now: str = ""


async def definition_then(workbench: Workbench, call: Call) -> DefinitionThen | None:
    """The definition of a call; None when the call never came to have one."""
    if call.definition is None:
        return None
    kept = await workbench.store.definition(call.definition)
    if kept is None:
        return None
    listing = next((one for one in workbench.listings() if one.name == call.tool), None)
    tool = listing.tool if listing is not None else None
    return DefinitionThen(
        version=call.definition,
        source=kept[0],
        schema=kept[1],
        is_current=tool is not None and tool.version == call.definition,
        description=description_in(kept[0]),
        path=listing.file.path if listing is not None else "",
        source_now=workbench.source(listing.file.path) if listing is not None else "",
        schema_now=dump(tool.input_schema or {}) if tool is not None else "",
    )


def description_in(source: str) -> str:
    """The description that a Python source gives its tool, "" where it is not written out as text."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "define_tool":
            for word in node.keywords:
                if word.arg == "description":
                    return _text_in(word.value)
    return ""


def _text_in(value: ast.expr) -> str:
    """A text that is written out, also as the one argument of `prompt`."""
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        return dedent(_text_in(value.args[0])).strip()
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""

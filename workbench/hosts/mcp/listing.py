"""A server's list of tools: what can be used of it, and each tool in the raw form that all hosts share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from mcp_types import methods
from pydantic import ValidationError

from workbench.domain.connections import ConnectionSpec, ConnectionTool
from workbench.domain.definitions import (
    DefinitionFile,
    DefinitionKind,
    Diagnostic,
    Dialect,
    Language,
    LoadedFile,
    Severity,
)

Json = Mapping[str, object]


class OddTool(NamedTuple):
    """An entry of a list of tools that is no tool, and why."""

    name: str
    why: str


class ListedTool(NamedTuple):
    """An entry of a server's list: as it was sent, or what is wrong with it."""

    name: str
    sent: Json
    problem: str = ""

    def to_value(self) -> ConnectionTool:
        """What is shown of it."""
        title, description = self.sent.get("title"), self.sent.get("description")
        return ConnectionTool(
            name=self.name,
            title=title if isinstance(title, str) else "",
            description=description if isinstance(description, str) else "",
            problem=self.problem,
        )


def path_of(connection: str, tool: str) -> str:
    """What stands for the file of a tool that has none."""
    return f"mcp:{connection}/{tool}"


def without_odd_tools(result: Json) -> tuple[Json, list[OddTool]]:
    """The same answer to `tools/list` without what is no tool: one bad entry must not hide its neighbours (C3)."""
    tools = result.get("tools")
    if not isinstance(tools, list) or not _problem(*cast("list[object]", tools)):
        return result, []
    good: list[object] = []
    odd: list[OddTool] = []
    for tool in cast("list[object]", tools):
        problem = _problem(tool)
        if problem:
            name = cast("Json", tool).get("name") if isinstance(tool, dict) else None
            odd.append(OddTool(name if isinstance(name, str) else "", problem))
        else:
            good.append(tool)
    return {**result, "tools": good}, odd


def _problem(*tools: object) -> str:
    """What keeps one of them from being a tool; empty when they all are."""
    try:
        methods.validate_server_result("tools/list", _LIST_VERSION, {"tools": list(tools)})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][2:])
        return f"{where or 'The entry'}: {first['msg']}."
    return ""


_LIST_VERSION = "2025-11-25"
"""The version whose shape of a tool counts; that of others is no narrower."""


def effect_of(annotations: Json) -> str:
    """What a server's hints say of the effect of a tool (C9).

    A tool that only reads is a read. One that says to be idempotent, and besides whether it destroys, can be tried
    again; every other one writes.
    """
    if annotations.get("readOnlyHint") is True:
        return "read"
    says_whether_it_destroys = isinstance(annotations.get("destructiveHint"), bool)
    return "idempotent" if annotations.get("idempotentHint") is True and says_whether_it_destroys else "write"


def file_of(spec: ConnectionSpec, tool: ListedTool) -> DefinitionFile:
    """What stands for the tool among the definition files; another digest when anything of it changed."""
    text = json.dumps([tool.sent, tool.problem, spec.variables], sort_keys=True)
    return DefinitionFile(
        path=path_of(spec.name, tool.name),
        kind=DefinitionKind.TOOL,
        dialect=Dialect.AGENT_SDK,
        language=Language.MCP,
        name=tool.name,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        connection=spec.name,
    )


def loaded(spec: ConnectionSpec, file: DefinitionFile, tool: ListedTool) -> LoadedFile:
    """The tool as a definition, in the raw form of `ToolHost.load`."""
    if tool.problem:
        words = (
            f"The server of the connection {spec.name} lists this tool, but it cannot be used. {tool.problem}"
        )
        return LoadedFile(file=file, problems=(_diagnostic(file, words),), source=_source(tool.sent))
    annotations = cast("Json", tool.sent.get("annotations") or {})
    title = tool.sent.get("title") or annotations.get("title")
    fields: dict[str, object] = {
        "description": tool.sent.get("description") or title or f"{tool.name} of {spec.name}",
        "annotations": dict(annotations),
        "effect": effect_of(annotations),
        "variables": [{"name": name, "type": "secret"} for name in spec.variables],
    }
    schemas = {
        field: {"source": "plain", "schema": tool.sent[field]}
        for field in ("inputSchema", "outputSchema")
        if tool.sent.get(field) is not None
    }
    raw = {
        "kind": "tool",
        "line": 1,
        "fields": fields,
        "schemas": schemas,
        "execute": {"async": True, "parameters": 2, "line": None},
    }
    return LoadedFile(file=file, raw=raw, source=_source(tool.sent))


def _diagnostic(file: DefinitionFile, message: str) -> Diagnostic:
    return Diagnostic(
        code="bad-mcp-tool",
        severity=Severity.ERROR,
        path=file.path,
        name=file.name,
        message=message,
        hint="Its author has to mend it; the connection's other tools are not concerned.",
    )


def _source(sent: Json) -> str:
    return json.dumps(sent, indent=2, ensure_ascii=False)


def listed(good: Sequence[Json], odd: Sequence[OddTool]) -> tuple[ListedTool, ...]:
    """The whole list by name; of several entries of one name the first counts, and none of them can be used."""
    found: dict[str, ListedTool] = {}
    for tool in good:
        name = cast("str", tool["name"])
        twice = "The server lists its name more than once." if name in found else ""
        found[name] = ListedTool(name, tool, twice)
    for index, one in enumerate(odd):
        name = one.name or f"(nameless {index + 1})"
        found.setdefault(name, ListedTool(name, {}, one.why))
    return tuple(found.values())

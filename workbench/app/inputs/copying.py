"""A call as text to run elsewhere: one command for a shell, or a small Python program."""

from __future__ import annotations

import ast
import shlex
from decimal import Decimal
from pathlib import Path
from pprint import pformat
from textwrap import indent

from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.json_tree import map_scalars

_LONGEST_WORD = 100_000
"""Bytes; Linux takes no single argument of more than 128 KiB."""
_END = "INPUT"
_WIDTH = 92


def command_line(tool: str, project: Path, arguments: str) -> str:
    """The command that makes this call (H2), quoted for a POSIX shell; a long input goes by standard input.

    `arguments` is JSON text, secrets masked (V6).
    """
    is_long = len(arguments.encode()) > _LONGEST_WORD
    # A name that begins with a dash would be taken for an option anywhere but behind the double dash.
    name = [tool] if not tool.startswith("-") else []
    rest = ["--", tool] if not name else []
    given = "-" if is_long else arguments
    line = shlex.join(
        ["workbench", "tool", "call", *name, "--project", str(project), "--input", given, *rest]
    )
    return f"{line} <<'{_END}'\n{_on_one_line(arguments)}\n{_END}" if is_long else line


def python_script(tool: str, project: Path, arguments: str) -> str:
    """A program that makes this call and prints its result (H3); numbers stay exact.

    `arguments` is JSON text, secrets masked (V6).
    """
    return _SCRIPT.format(
        what=f"Calls {tool}.",
        project=str(project),
        tool=tool,
        arguments=indent(_python_literal(arguments), " " * 8).lstrip(),
    )


_SCRIPT = '''\
"""{what}"""

import asyncio
from pathlib import Path

from workbench.app import open_workbench


async def main() -> None:
    async with open_workbench(Path({project!r})) as wb:
        arguments = {arguments}
        record = await wb.call_tool({tool!r}, arguments)
        print(record.result_json)


asyncio.run(main())
'''


def _on_one_line(text: str) -> str:
    """So that no line of the input can be the one that ends it."""
    try:
        return dump(parse(text))
    except JsonError:
        return text.replace("\n", " ").replace("\r", " ")


def _python_literal(text: str) -> str:
    """The arguments as a Python value, or as JSON text where Python's own numbers or nesting would not do."""
    try:
        value = parse(text)
        literal = pformat(map_scalars(value, _as_float), width=_WIDTH, sort_dicts=False)
        if dump(ast.literal_eval(literal)) == dump(value):
            return literal
    except (JsonError, SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return repr(text)


def _as_float(scalar: JsonValue) -> JsonValue:
    return float(scalar) if isinstance(scalar, Decimal) else scalar

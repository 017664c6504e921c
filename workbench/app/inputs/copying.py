"""A call as text to run elsewhere: a command for a shell, a request to a server, or a small Python program."""

from __future__ import annotations

import ast
import re
import shlex
from decimal import Decimal
from pathlib import Path
from pprint import pformat
from textwrap import indent
from urllib.parse import quote, unquote

from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.json_tree import map_scalars
from workbench.base.masker import MARK
from workbench.base.secret_forms import NUMBER
from workbench.domain.tokens import TOKEN_VARIABLE

_LONGEST_WORD = 100_000
"""Bytes; Linux takes no single argument of more than 128 KiB."""
_END = "INPUT"
_WIDTH = 92
_NOT_IN_NAMES = re.compile(r"^[0-9]|[^A-Za-z0-9_]")
_NUMBER = re.compile(r'"(\[\[secret:[^\[\]|]+\|' + NUMBER + r'\]\])"')
"""The mark of a number, which stands as a text."""


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


def curl(
    tool: str, url: str, arguments: str, *, asks_token: bool, dry_run: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The request that makes this call of a server (H1), for a POSIX shell, and the names of its shell variables.

    `url` is up to the project's name. The token stands as $WORKBENCH_TOKEN and each secret as the variable of its
    name, with the form behind it where it is not the plain value; what is in it goes into JSON as it is. `arguments`
    is JSON text, secrets masked (V6).
    """
    names: list[str] = []

    def variable(mark: re.Match[str]) -> str:
        form = f"_{mark[2]}" if mark[2] and mark[2] != NUMBER else ""
        names.append(_NOT_IN_NAMES.sub("_", f"{unquote(mark[1])}{form}"))
        return f"'\"${{{names[-1]}}}\"'"

    flag = ',"dryRun":true' if dry_run else ""
    text = _NUMBER.sub(r"\1", f'{{"input":{_on_one_line(arguments)}{flag}}}').replace("'", "'\"'\"'")
    body = f"'{MARK.sub(variable, text)}'"
    lines = [f"curl -X POST {shlex.quote(f'{url}/v1/tools/{quote(tool)}')}"]
    if asks_token:
        lines.append(f'-H "Authorization: Bearer ${TOKEN_VARIABLE}"')
    lines.append("-H 'Content-Type: application/json'")
    is_long = len(body.encode()) > _LONGEST_WORD
    lines.append("--data-binary @-" if is_long else f"--data-binary {body}")
    # A shell's own printf takes arguments of any length.
    start = f"printf '%s' {body} | " if is_long else ""
    return start + " \\\n  ".join(lines), tuple(dict.fromkeys(names))

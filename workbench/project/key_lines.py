"""At which line each key of a TOML document stands, which the parser does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import cast

Key = tuple[str, ...]

DEEPEST = 4
"""No setting lies deeper than `connections.NAME.env.NAME`."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?!")'  # multi-line strings may end in up to five quotes
    r"|'''.*?'''(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[{]|[\]}]|\n",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Key, int]:
    """The line (from 1) of every table and key of a valid TOML document, by its full path.

    A key inside an inline table has the line of the statement it belongs to.
    """
    lines: dict[Key, int] = {}
    table: Key = ()
    for line, statement in _statements(text):
        try:
            parsed = tomllib.loads(statement)
        except ValueError:
            continue  # one statement alone may not stand (`[[a.b]]` after `[[a]]` does), and only costs its line
        if statement.lstrip().startswith("["):
            table = next(_leaves(parsed))
            lines.setdefault(table, line)
        else:
            for leaf in _leaves(parsed):
                for end in range(1, len(leaf) + 1):
                    lines.setdefault(table + leaf[:end], line)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The document cut at line ends that lie outside of strings, arrays and inline tables."""
    start, line, depth = 0, 1, 0
    for token in _TOKEN.finditer(text):
        match token.group()[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case "\n" if depth <= 0:
                statement = text[start : token.start()]
                yield line, statement
                line += statement.count("\n") + 1
                start = token.end()
            case _:
                pass
    yield line, text[start:]


def _leaves(table: Mapping[str, object], above: Key = ()) -> Iterator[Key]:
    for name, value in table.items():
        here = (*above, name)
        if isinstance(value, dict) and value and len(here) < DEEPEST:
            yield from _leaves(cast("dict[str, object]", value), here)
        else:
            yield here

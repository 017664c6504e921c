"""Where in a JSON text the value of a path stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from workbench.base.json_pointer import tokens

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],]|[^\s{}\[\]:,"]++')


def find_place(text: str, path: str) -> tuple[int, int] | None:
    """Start and end of what stands at a JSON Pointer in a readable JSON text, else of the nearest above it.

    None in a text without a value.
    """
    wanted = tokens(path)
    best: tuple[int, int, int] | None = None
    for way, start, end in _values(text):
        if way == wanted[: len(way)] and (best is None or len(way) > best[0]):
            best = len(way), start, end
    return None if best is None else best[1:]


def _values(text: str) -> Iterator[tuple[list[str], int, int]]:
    """Every value with its way from the root, in the order in which they end."""
    way: list[str | int | None] = []  # for each open container: a key, an index, or None where a key comes
    starts: list[int] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token == ",":
            if way:
                at = way[-1]
                way[-1] = at + 1 if isinstance(at, int) else None
        elif token in ("{", "["):
            starts.append(found.start())
            way.append(0 if token == "[" else None)
        elif token in ("}", "]"):
            if not way:
                return
            way.pop()
            yield list(map(str, way)), starts.pop(), found.end()
        elif way and way[-1] is None:
            way[-1] = str(json.loads(token)) if token.startswith('"') else token
        else:
            yield list(map(str, way)), found.start(), found.end()

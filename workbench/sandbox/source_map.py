"""Source maps: where a place in compiled text stands in what its author wrote."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import Any, cast

_DIGITS = {
    character: value
    for value, character in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}


class SourceMap:
    """A map of one source, decoded when it is first asked; all lines and columns count from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[list[tuple[int, int, int]]] | None = None

    def original(self, line: int, column: int) -> tuple[int, int] | None:
        """Line and column in the source, or None for what the compiler added."""
        if self._lines is None:
            mappings = cast("dict[str, Any]", json.loads(self._text)).get("mappings", "")
            self._lines = list(_decoded(mappings))
        if not 0 < line <= len(self._lines):
            return None
        places = self._lines[line - 1]
        index = bisect_right(places, (column - 1, 1 << 60, 0)) - 1
        if index < 0:
            return None
        _, source_line, source_column = places[index]
        return source_line + 1, source_column + 1


def _decoded(mappings: str) -> Any:
    """Per line: (column, source line, source column), from 0; every number is a difference to the one before."""
    source_line = source_column = 0
    for text in mappings.split(";"):
        column = 0
        places: list[tuple[int, int, int]] = []
        for segment in filter(None, text.split(",")):
            numbers = _numbers(segment)
            column += numbers[0]
            if len(numbers) >= 4:
                source_line += numbers[2]
                source_column += numbers[3]
                places.append((column, source_line, source_column))
        yield places


def _numbers(segment: str) -> list[int]:
    """Base64 digits of six bits, the lowest first: five of value and one that says whether more follow."""
    numbers: list[int] = []
    value = shift = 0
    for character in segment:
        digit = _DIGITS[character]
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers

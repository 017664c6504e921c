"""Where the rows of a text of any size begin: a short table of blocks, each split again when it is looked at."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from typing import NamedTuple

BLOCK = 65_536
"""Characters that are looked at in one step. It bounds how long a step holds others up."""
_KEPT = 32


class Row(NamedTuple):
    """A row as it is shown: `text[start:end]`, without its line break."""

    start: int
    end: int
    line: int
    """The line of the text that it belongs to, from 1."""
    first: bool
    """Whether the line begins here, or goes on from the row before."""


class TextIndex:
    """Rows of a text that is wrapped after `columns` characters, at a space where there is one.

    Nothing is known at first; each `grow` adds a block. One thread may grow the index while another reads what
    is there: a block is complete before it is counted.
    """

    def __init__(self, text: str, columns: int) -> None:
        self.text = text
        self.columns = columns
        self.complete = False
        self._starts = array("q", [0])
        self._rows = array("q", [0])  # how many rows lie before each block
        self._lines = array("q", [0])  # how many line breaks lie before each block
        self._blocks = 0
        self._kept: OrderedDict[int, list[Row]] = OrderedDict()
        self._longest = 0

    @property
    def row_count(self) -> int:
        return self._rows[self._blocks]

    @property
    def line_count(self) -> int:
        """Line breaks so far, and one."""
        return self._lines[self._blocks] + 1

    @property
    def known(self) -> int:
        """Characters that the index covers."""
        return self._starts[self._blocks]

    @property
    def longest(self) -> int:
        """Characters of the longest row so far."""
        return self._longest

    def grow(self) -> bool:
        """Look at one block more; False when there is none."""
        if self.complete:
            return False
        start = self.known
        end, chunk = self._cut(start)
        last = end >= len(self.text)
        parts = chunk.split("\n")
        breaks = len(parts) - 1
        if not parts[-1] and not last:
            parts.pop()
        longest = max(map(len, parts), default=0)
        rows = len(parts)
        if longest > self.columns:
            rows = sum(
                1 if len(part) <= self.columns else len(_wrapped(part, self.columns)) for part in parts
            )
        self._longest = max(self._longest, min(longest, self.columns))
        self._starts.append(end)
        self._rows.append(self._rows[-1] + rows)
        self._lines.append(self._lines[-1] + breaks)
        self._blocks += 1
        self.complete = last
        return not last

    def row(self, at: int) -> Row:
        """The row of this number, from 0; it must be below `row_count`."""
        block = bisect_right(self._rows, at, 0, self._blocks + 1) - 1
        return self._rows_of(block)[at - self._rows[block]]

    def row_at(self, offset: int) -> int:
        """The number of the row that holds a character, or the last known one."""
        block = self._block_at(offset)
        rows = self._rows_of(block)
        inside = bisect_right(rows, offset, key=lambda row: row.start) - 1
        return self._rows[block] + max(inside, 0)

    def row_of_line(self, line: int) -> int:
        """The number of the row that a line (from 1) begins with; the last row for a line beyond the end."""
        line = min(max(line, 1), self.line_count)
        block = bisect_right(self._lines, line - 1, 0, self._blocks + 1) - 1
        while block >= 0:
            block = min(block, self._blocks - 1)
            for at, row in enumerate(self._rows_of(block)):
                if row.line == line and row.first:
                    return self._rows[block] + at
            block -= 1
        return 0

    def _block_at(self, offset: int) -> int:
        return min(max(bisect_right(self._starts, offset, 0, self._blocks + 1) - 1, 0), self._blocks - 1)

    def _cut(self, start: int) -> tuple[int, str]:
        """The end of the block that begins at `start`, after a line break or where a long line wraps, and its text."""
        text = self.text
        end = min(start + BLOCK, len(text))
        if end < len(text):
            broken = text.rfind("\n", start, end)
            if broken >= 0:
                end = broken + 1
            else:
                end = start + _wrapped(text[start:end], self.columns)[-1]
                for break_ in ("\n", "\r\n"):
                    if text.startswith(break_, end):
                        end += len(break_)
        return end, text[start:end]

    def _rows_of(self, block: int) -> list[Row]:
        rows = self._kept.get(block)
        if rows is None:
            rows = self._split(block)
            self._kept[block] = rows
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(block)
        return rows

    def _split(self, block: int) -> list[Row]:
        start, end = self._starts[block], self._starts[block + 1]
        parts = self.text[start:end].split("\n")
        if not parts[-1] and end < len(self.text):
            parts.pop()
        rows: list[Row] = []
        line = self._lines[block] + 1
        first = start == 0 or self.text[start - 1] == "\n"
        is_cut = end < len(self.text) and self.text[end - 1] != "\n"
        for number, part in enumerate(parts, 1):
            ends = not (is_cut and number == len(parts))  # else its line goes on in the next block
            begins = _wrapped(part, self.columns) if len(part) > self.columns else [0]
            for at, begin in enumerate(begins):
                stop = begins[at + 1] if at + 1 < len(begins) else len(part)
                rows.append(Row(start + begin, start + stop - (ends and _carriage(part, stop)), line, first))
                first = False
            start += len(part) + 1
            line += 1
            first = True
        return rows


def _carriage(part: str, stop: int) -> int:
    return 1 if stop == len(part) and part.endswith("\r") else 0


def _wrapped(line: str, columns: int) -> list[int]:
    """Where the rows of a line begin: after a space in the second half of a row, else after `columns` characters."""
    begins = [0]
    at = 0
    half = columns // 2
    while len(line) - at > columns:
        space = line.rfind(" ", at + half, at + columns)
        at = space + 1 if space >= 0 else at + columns
        begins.append(at)
    return begins

"""Rows of which some come and go while the others stay: a view is told of insertions and removals only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import QModelIndex

from workbench.gui.controls.row_model import RowModel

R = TypeVar("R")
_CHUNK = 512
"""Rows that are compared at once."""


class Step(NamedTuple, Generic[R]):
    """So many rows that are removed at a place, or rows that are inserted there."""

    at: int
    removed: int
    inserted: list[R]


class SteppedRows(RowModel[R]):
    """`_rows` are those that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[R] = []

    def take(self, steps: Sequence[Step[R]]) -> None:
        """Take steps, given by where the rows are before them: the last one first."""
        for at, removed, inserted in reversed(steps):
            if removed:
                self.beginRemoveRows(QModelIndex(), at, at + removed - 1)
                del self._rows[at : at + removed]
                self.endRemoveRows()
            elif inserted:
                self.beginInsertRows(QModelIndex(), at, at + len(inserted) - 1)
                self._rows[at:at] = inserted
                self.endInsertRows()

    def touch_all(self) -> None:
        """Only what is in view is painted again, so that one word for all is cheaper than finding each."""
        if self._rows:
            self.touch(0, len(self._rows) - 1)

    def place(self, row: R) -> int:
        """Where a row is now; -1 when it is not shown."""
        try:
            return self._rows.index(row)
        except ValueError:
            return -1

    def count(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> R:
        return self._rows[at]


def steps_between(old: list[R], new: list[R], start: int) -> list[Step[R]]:
    """What turns one list into the other when what both have stands in the same order, to be taken from the last on.

    `start` is where the old list begins among all rows.
    """
    first, at, to = _difference(old, new)
    before, after = set(map(id, old[first:at])), set(map(id, new[first:to]))
    steps: list[Step[R]] = []
    while at > first or to > first:
        end = to
        while to > first and id(new[to - 1]) not in before:
            to -= 1
        if to < end:
            steps.append(Step(start + at, 0, new[to:end]))
        end = at
        while at > first and id(old[at - 1]) not in after:
            at -= 1
        if at < end:
            steps.append(Step(start + at, end - at, []))
        if at > first and to > first:
            at, to = at - 1, to - 1
    return steps[::-1]


def _difference(old: list[R], new: list[R]) -> tuple[int, int, int]:
    """Where two lists begin to differ, and where what they share at their ends begins in each."""
    least = min(len(old), len(new))
    first = 0
    while first < least and old[first : first + _CHUNK] == new[first : first + _CHUNK]:
        first = min(first + _CHUNK, least)
    while first < least and old[first] is new[first]:
        first += 1
    end = 0
    while end < least - first and old[-1 - end] is new[-1 - end]:
        end += 1
    return first, len(old) - end, len(new) - end

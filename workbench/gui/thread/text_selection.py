"""The part of a conversation's texts that the pointer was drawn over: from a letter of one to a letter of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtGui import QTextCursor, QTextDocument

from workbench.app.conversation.rows import Row, Text


class Spot(NamedTuple):
    """Between two letters of a text, as it is laid out."""

    row: Text
    at: int


class TextSelection:
    """`place` tells where a row stands now, -1 when it is gone: then nothing is selected any more."""

    def __init__(self, place: Callable[[Row], int]) -> None:
        self._place = place
        self._anchor: Spot | None = None
        self._end: Spot | None = None

    def begin(self, spot: Spot | None) -> None:
        """Nothing is selected now; what is selected next begins here."""
        self._anchor, self._end = spot, None

    def extend(self, spot: Spot) -> None:
        self._end = spot

    @property
    def begun(self) -> bool:
        """The pointer went down in a text."""
        return self._anchor is not None

    def ends(self) -> tuple[Spot, Spot] | None:
        """The first and the last spot; None while nothing is selected."""
        if self._anchor is None or self._end is None or self._anchor == self._end:
            return None
        first, last = sorted((self._anchor, self._end), key=lambda spot: (self._place(spot.row), spot.at))
        return None if self._place(first.row) < 0 else (first, last)

    def cursor(self, row: Text, document: QTextDocument) -> QTextCursor | None:
        """What is selected of a row."""
        ends = self.ends()
        if ends is None or not self._place(ends[0].row) <= self._place(row) <= self._place(ends[1].row):
            return None
        cursor = QTextCursor(document)
        last = document.characterCount() - 1
        cursor.setPosition(min(ends[0].at, last) if row is ends[0].row else 0)
        end = min(ends[1].at, last) if row is ends[1].row else last
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

"""Where the caret stands in a text and what is selected: the moves of every key, over rows that were laid out."""

from __future__ import annotations

import re
from enum import Enum, auto

from workbench.gui.results.text_pages import TextPages

_WORD = re.compile(r"\w+|[^\w\s]|\s+")
_LOOKED = 4_096


class Move(Enum):
    """A step of the caret."""

    LEFT = auto()
    RIGHT = auto()
    WORD_LEFT = auto()
    WORD_RIGHT = auto()
    UP = auto()
    DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    ROW_START = auto()
    ROW_END = auto()
    TEXT_START = auto()
    TEXT_END = auto()


class Caret:
    """`place` is where it stands, `anchor` where the selection began."""

    def __init__(self) -> None:
        self.place = 0
        self.anchor = 0
        self._x: float | None = None  # the column that up and down keep

    @property
    def selection(self) -> tuple[int, int]:
        return min(self.place, self.anchor), max(self.place, self.anchor)

    @property
    def selects(self) -> bool:
        return self.place != self.anchor

    def put(self, place: int, *, extend: bool = False) -> None:
        self.place = place
        self._x = None
        if not extend:
            self.anchor = place

    def select(self, start: int, end: int) -> None:
        self.anchor, self.place = start, end
        self._x = None

    def select_word(self, pages: TextPages, place: int) -> None:
        row = pages.row(pages.row_at(place))
        line = pages.text[row.start : row.end]
        for found in _WORD.finditer(line):
            if found.start() <= place - row.start < found.end():
                self.select(row.start + found.start(), row.start + found.end())
                return

    def select_line(self, pages: TextPages, place: int) -> None:
        start = pages.text.rfind("\n", 0, place) + 1
        end = pages.text.find("\n", place)
        self.select(start, len(pages.text) if end < 0 else end + 1)

    def move(self, move: Move, pages: TextPages, page: int, *, extend: bool) -> None:
        """Move; `page` is how many rows one page has."""
        steps = {Move.UP: -1, Move.DOWN: 1, Move.PAGE_UP: -page, Move.PAGE_DOWN: page}
        if move in steps:
            self._vertical(pages, steps[move], extend=extend)
            return
        if self.selects and not extend and move in (Move.LEFT, Move.RIGHT):
            start, end = self.selection
            self.put(end if self._forward(move, pages) else start)
            return
        self.put(self._target(move, pages), extend=extend)

    def _target(self, move: Move, pages: TextPages) -> int:
        row = pages.row(pages.row_at(self.place))
        match move:
            case Move.ROW_START:
                return row.start
            case Move.ROW_END:
                wraps = row.end < len(pages.text) and pages.text[row.end] not in "\r\n"
                return max(row.end - 1, row.start) if wraps else row.end
            case Move.TEXT_START:
                return 0
            case Move.TEXT_END:
                return len(pages.text)
            case _:
                forward = self._forward(move, pages)
                by_word = move in (Move.WORD_LEFT, Move.WORD_RIGHT)
                return self._word(pages, forward) if by_word else self._letter(pages, forward)

    def _forward(self, move: Move, pages: TextPages) -> bool:
        """Whether an arrow leads on: in a row that reads from the right, the left one does."""
        row = pages.row(pages.row_at(self.place))
        return (move in (Move.RIGHT, Move.WORD_RIGHT)) is not pages.layout(row).rtl

    def _letter(self, pages: TextPages, forward: bool) -> int:
        text = pages.text
        row = pages.row(pages.row_at(self.place))
        inside = self.place - row.start
        if forward:
            if self.place < row.end:
                return row.start + pages.layout(row).following(inside)
            return min(self.place + (2 if text.startswith("\r\n", self.place) else 1), len(text))
        if inside > 0:
            return row.start + max(pages.layout(row).preceding(inside), 0)
        return max(self.place - (2 if text.endswith("\r\n", 0, self.place) else 1), 0)

    def _word(self, pages: TextPages, forward: bool) -> int:
        if forward:
            part = pages.text[self.place : self.place + _LOOKED]
            found = re.match(r"\s*(?:\w+|[^\w\s]+|\Z)", part)
            return self.place + max(found.end() if found else 1, min(1, len(part)))
        part = pages.text[max(0, self.place - _LOOKED) : self.place]
        words = [hit.start() for hit in _WORD.finditer(part) if not hit[0].isspace()]
        return self.place - len(part) + (words[-1] if words else 0)

    def _vertical(self, pages: TextPages, step: int, *, extend: bool) -> None:
        at = pages.row_at(self.place)
        row = pages.row(at)
        x = self._x if self._x is not None else pages.layout(row).x(min(self.place, row.end) - row.start)
        target = at + step
        if target < 0 or target >= pages.index.row_count:
            self.put(0 if step < 0 else len(pages.text), extend=extend)
            return
        there = pages.row(target)
        self.put(there.start + pages.layout(there).place_at(x), extend=extend)
        self._x = x

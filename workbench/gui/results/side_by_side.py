"""Pairs of lines side by side: how they are painted and said, and where the next difference is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect

from workbench.app.results.differences import Change, LinePair, Span
from workbench.gui.results.row_layout import RowLayout, Tint, reads_from_right, soft
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER

NUMBER = 48
_SIGN = 14
_SHOWN = 1_000
_WORDS = {Change.ADDED: "Added", Change.REMOVED: "Removed", Change.CHANGED: "Changed"}


class _Side(NamedTuple):
    """One side of a pair of lines: its number (0: there is none), and the colour that says what happened to it."""

    number: int
    text: str
    role: str
    marks: Sequence[Span]


def paint_pair(line: Line, pair: LinePair, *, numbers: bool = True) -> None:
    """Paint a pair over the whole width, or how many equal lines were left out."""
    if pair.change is Change.SKIPPED:
        words = f"{amounts.count(pair.old_at, 'equal line')} not shown"
        line.text(words, DOCUMENT_GUTTER + NUMBER, 300, "ink2", theme.small())
        line.underline()
        return
    half = line.width // 2
    changed = pair.change is not Change.SAME
    old = _Side(pair.old_at, pair.old, "err" if changed else "", pair.old_marks)
    new = _Side(pair.new_at, pair.new, "ok" if changed else "", pair.new_marks)
    _paint_side(line, 0, half, old, numbers=numbers)
    _paint_side(line, half, line.width, new, numbers=numbers)
    line.painter.fillRect(QRect(half, line.top, 1, line.height), theme.colour("hair"))


def _paint_side(line: Line, left: int, right: int, side: _Side, *, numbers: bool) -> None:
    number, text, role, marks = side
    if not number:
        line.painter.fillRect(QRect(left, line.top, right - left, line.height), theme.colour("window"))
        return
    if role:
        line.painter.fillRect(QRect(left, line.top, right - left, line.height), soft(role, 26))
    x = left + (DOCUMENT_GUTTER if left == 0 else 8)
    if numbers:
        line.text(str(number), x - 12, NUMBER - 8, "ink2", theme.small(), align=paint.RIGHT)
        x += NUMBER - 14
    if role:
        line.text("−" if role == "err" else "+", x, _SIGN, role, theme.data(600))
    x += 14
    painter = line.painter
    painter.save()
    painter.setClipRect(QRect(x, line.top, right - x - 8, line.height))
    shown = text[:_SHOWN]
    tints = [
        Tint(a, min(b, _SHOWN), soft(role, 80), underlined=True) for a, b in marks if role and a < _SHOWN
    ]
    layout = RowLayout(shown, reveal=True, rtl=reads_from_right(shown))
    if layout.rtl:
        x = round(right - 8 - layout.width)
    layout.draw(painter, x, line.top, tints)
    painter.restore()


def words_of(pair: LinePair) -> str:
    """The pair as a screen reader says it."""
    if pair.change is Change.SKIPPED:
        return amounts.count(pair.old_at, "equal line")
    now = f", now {pair.new}" if pair.new != pair.old else ""
    return f"{_WORDS.get(pair.change, 'Equal')}: {pair.old}{now}"


def next_difference(differs: Sequence[bool], at: int, step: int) -> int:
    """The first row of the next run of rows that differ (step 1) or of the one before (-1), around the ends.

    -1 when nothing differs.
    """
    starts = [place for place, one in enumerate(differs) if one and not (place and differs[place - 1])]
    if not starts:
        return -1
    if step > 0:
        return next((start for start in starts if start > at), starts[0])
    return next((start for start in reversed(starts) if start < at), starts[-1])

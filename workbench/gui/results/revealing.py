"""Words in a row that hide nothing: invisible, turning and look-alike characters stand in them as marks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QFont

from workbench.app.results.characters import count_hidden
from workbench.gui.results.row_layout import PITCH, RowLayout, Tint, soft
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line

_LONGEST = 2_000
_ELLIPSIS = 12
_PER_CHARACTER = 22
"""Pixels of room for one character before the first mark: most of the room is for the mark and what follows it."""

Span = tuple[int, int]


def write(
    line: Line,
    words: str,
    x: float,
    width: float,
    role: str = "ink",
    *,
    font: QFont | None = None,
    marks: Sequence[Span] = (),
) -> float:
    """Write words as `Line.text` does, with parts of them marked; returns the width that they took."""
    if width <= 0 or not words:
        return 0.0
    shown = paint.one_line(words)[:_LONGEST]
    if not marks and not count_hidden(shown):
        return line.text(shown, x, width, role, font)
    shown, marks = _near_the_mark(words[:_LONGEST], marks, int(width) // _PER_CHARACTER)
    layout = RowLayout(shown, reveal=True, font=font)
    tints = [Tint(0, len(shown), None, theme.colour(role))]
    tints += [Tint(start, end, soft("warn", 56), theme.colour("ink")) for start, end in marks]
    is_cut = layout.width > width
    painter = line.painter
    painter.save()
    painter.setClipRect(QRect(round(x), line.top, round(width) - (_ELLIPSIS if is_cut else 0), line.height))
    layout.draw(painter, x, line.top + (line.height - PITCH) // 2, tints)
    painter.restore()
    if is_cut:
        line.text("…", x + width - _ELLIPSIS, _ELLIPSIS, role, font)
    return min(layout.width, width)


def _near_the_mark(words: str, marks: Sequence[Span], before: int) -> tuple[str, Sequence[Span]]:
    """The words from a little before the first mark on, on one line."""
    flat = words.translate(_FLAT)
    cut = max(marks[0][0] - before, 0) if marks else 0
    if not cut:
        return flat, marks
    return "…" + flat[cut:], [(start - cut + 1, end - cut + 1) for start, end in marks]


_FLAT = {ord("\n"): " ", ord("\r"): " ", ord("\t"): " "}
"""Breaks as one space each, so that places stay where they are."""

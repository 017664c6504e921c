"""The arguments of a tool as a table: its columns are as wide as what stands in them, the last go first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFont, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.forms.outline import ArgumentLine
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import COLUMN_GAP, DOCUMENT_GUTTER, ROW

_LEAST_ABOUT = 96
_LEAST_COLUMNS = 3
"""Path, type and whether it is required: the others go where there is no room."""


class ArgumentsTable(QWidget):
    """Hairlines only: head, underline, a row an argument. Its columns are as wide as what stands in them."""

    def __init__(self, lines: Sequence[ArgumentLine]) -> None:
        super().__init__()
        self._lines = tuple(lines)
        self._widths = _widths(lines)
        self.setFixedHeight(ROW * (len(lines) + 1) + 1)
        self.setAccessibleName("Arguments")
        said = (f"{one.path}, {one.type}{', required' if one.required else ''}" for one in lines)
        self.setAccessibleDescription("\n".join(said))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            at = event.pos().y() // ROW - 1
            one = self._lines[at] if 0 <= at < len(self._lines) else None
            words = f"{one.path}\n{one.type}\n{one.description}".strip() if one else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        heads = ("Path", "Type", "Required", "Default", "Description")
        self._paint_row(painter, 0, heads, theme.small(), 0)
        for at, one in enumerate(self._lines):
            cells = (one.path, one.type, "required" if one.required else "", one.default, one.description)
            self._paint_row(painter, at + 1, cells, None, min(one.depth, 4) * 8)
        painter.end()

    def _paint_row(
        self, painter: QPainter, at: int, cells: Sequence[str], font: QFont | None, step: int
    ) -> None:
        line = Line(painter, self.width() - DOCUMENT_GUTTER, ROW, ROW * at)
        stops = column_stops(self._widths, line.width - DOCUMENT_GUTTER)
        ends = (*stops[1:], line.width + COLUMN_GAP)
        for column, (words, x, end) in enumerate(zip(cells, stops, ends, strict=False)):
            x += step if column == 0 else 0
            is_data = column in (0, 3)
            role = "ink" if font is None and column in (0, 3, 4) else "ink2"
            line.text(words, x, end - x - COLUMN_GAP, role, font or (theme.data() if is_data else None))
        line.underline("hair" if at else "edge", x=DOCUMENT_GUTTER)


def _widths(lines: Sequence[ArgumentLine]) -> tuple[int, ...]:
    """What the columns want: each as wide as its longest word, within reason."""
    return (
        _widest([one.path for one in lines], theme.data(), 96, 216),
        _widest([one.type for one in lines], theme.body(), 96, 208),
        72,
        _widest([one.default for one in lines], theme.data(), 64, 120),
        _LEAST_ABOUT,
    )


def column_stops(widths: Sequence[int], room: int) -> tuple[int, ...]:
    """Where the columns begin that there is room for: the last go first, then path and type become narrower."""
    kept = list(widths)
    while len(kept) > _LEAST_COLUMNS and _taken(kept) > room:
        kept.pop()
    over = max(_taken(kept) - room, 0)
    kept[0] -= over // 2
    kept[1] -= over - over // 2
    stops = [DOCUMENT_GUTTER]
    for width in kept[:-1]:
        stops.append(stops[-1] + width + COLUMN_GAP)
    return tuple(stops)


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + COLUMN_GAP * (len(widths) - 1)


def _widest(texts: Sequence[str], font: QFont, least: int, most: int) -> int:
    return min(max(least, *(int(paint.advance(text[:80], font)) + 18 for text in texts)), most)

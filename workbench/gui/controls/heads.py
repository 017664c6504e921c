"""The heads of painted columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW

_GAP, _LEAST = 8, 20
"""Between two heads of columns, and the room under which one is left out."""


class Column(NamedTuple):
    """A head over painted columns: where it stands, from the left, or from the right edge when negative."""

    title: str
    x: int
    right: bool = False
    about: str = ""
    """What it means, for whoever rests on it."""


class Heads(QWidget):
    """The heads of painted columns, in small type over a hairline, as wide as the rows that they stand over."""

    def __init__(self, columns: Sequence[Column], over: QAbstractScrollArea | None) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._over = over
        self.setFixedHeight(ROW)
        if over is not None:
            over.verticalScrollBar().rangeChanged.connect(self._room_changed)

    @property
    def room(self) -> int:
        """The width of the rows, which a scroll bar makes less."""
        return self._over.viewport().width() if self._over is not None else self.width()

    def _room_changed(self) -> None:
        self.update()

    def places(self) -> Sequence[tuple[str, float, float]]:
        """Each title with where it begins and how much room it has, which is none where the next one begins."""
        starts: list[float] = []
        for column in self._columns:
            x = column.x if column.x >= 0 else self.room + column.x
            starts.append(x - paint.advance(column.title, theme.small()) if column.right else x)
        ends = [min(starts[at:], default=self.width() + _GAP) - _GAP for at in range(1, len(starts) + 1)]
        return [
            (column.title, start, end - start if end - start >= _LEAST else 0.0)
            for column, start, end in zip(self._columns, starts, ends, strict=True)
        ]

    def meaning_at(self, x: int) -> str:
        """What the column at a place means, "" where that needs no words."""
        over = next((title for title, start, room in self.places() if start <= x < start + room), "")
        return next((column.about for column in self._columns if column.title == over), "")

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.meaning_at(event.pos().x()), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), ROW)
        for title, x, room in self.places():
            line.text(title, x, room, "ink2", theme.small())
        line.underline()
        line.painter.end()

"""The margin of the editor: line numbers, and a mark at each line that something is wrong with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.domain.definitions import Diagnostic, Severity
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tips import plain

MARKS = {Severity.ERROR: Mark.FAILED, Severity.WARNING: Mark.WARNING}
_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO)
_BESIDE_NUMBERS = 44


class Lines(Protocol):
    """What the margin stands beside. Lines count from 1."""

    def visible_lines(self) -> list[tuple[int, int, int]]:
        """Number, top and height of each line that can be seen."""
        ...

    def problems_by_line(self) -> Mapping[int, Sequence[Diagnostic]]: ...

    def current_line(self) -> int: ...

    def go_to(self, line: int) -> None: ...


def worst(problems: Sequence[Diagnostic]) -> Diagnostic:
    """The gravest of them."""
    return min(problems, key=lambda problem: _ORDER.index(problem.severity))


def tip_of(problems: Sequence[Diagnostic]) -> str:
    """All of them as a tool tip; their words are shown as they are, whatever they look like."""
    texts = [f"{each.message}\n{each.hint}\n({each.code})".replace("\n\n", "\n") for each in problems]
    return plain("\n".join(texts))


class Margin(QWidget):
    """Painted only; the strip over the editor says the same to whoever cannot see it."""

    def __init__(self, owner: QWidget, lines: Lines) -> None:
        super().__init__(owner)
        self._lines = lines
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.ArrowCursor)

    def wanted_width(self, line_count: int) -> int:
        digits = max(len(str(line_count)), 3)
        return int(QFontMetricsF(theme.data()).horizontalAdvance("0")) * digits + _BESIDE_NUMBERS

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.colour("base"))
        problems = self._lines.problems_by_line()
        current = self._lines.current_line()
        for number, top, height in self._lines.visible_lines():
            line = Line(painter, self.width(), height, top)
            found = worst(problems[number]) if number in problems else None
            role = "ink" if number == current else "ink2"
            if found is not None:
                mark = MARKS.get(found.severity)
                if mark is not None:
                    line.mark(mark, 8)
                    role = mark.role
                else:
                    line.icon("info", 6)
            line.text(str(number), 22, line.width - 34, role, theme.data(), align=RIGHT)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._line_at(event.position().toPoint())
        if number:
            self._lines.go_to(number)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            problems = self._lines.problems_by_line().get(self._line_at(event.pos()), ())
            QToolTip.showText(event.globalPos(), tip_of(problems) if problems else "", self)
            return True
        return super().event(event)

    def _line_at(self, place: QPoint) -> int:
        for number, top, height in self._lines.visible_lines():
            if QRect(0, top, self.width(), height).contains(0, place.y()):
                return number
        return 0

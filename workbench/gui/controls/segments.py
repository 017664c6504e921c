"""One of a few choices, side by side."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from workbench.gui.style import paint, theme
from workbench.gui.style.paint import CENTRE, Line
from workbench.gui.style.tokens import ROW


class Segments(QWidget):
    """One of a few choices, side by side; arrows move, a click chooses. `-1` means nothing is chosen."""

    chosen = Signal(int)

    def __init__(self, words: list[str], current: int = -1, *, mono: bool = False, name: str = "") -> None:
        super().__init__()
        self._words = words
        self._current = current
        self._ghost = False
        self._plain = theme.data() if mono else theme.body()
        self._strong = theme.data(600) if mono else theme.body(600)
        self._widths = [int(paint.advance(word, self._strong)) + 24 for word in words]
        self.setFixedSize(sum(self._widths) + 1, ROW)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._name = name
        self._say()

    @property
    def current(self) -> int:
        return self._current

    def set_current(self, index: int, *, ghost: bool = False) -> None:
        """Show a choice without announcing it; a ghost is what would hold if nothing is chosen."""
        self._current = index
        self._ghost = ghost
        self._say()
        self.update()

    def _say(self) -> None:
        now = self._words[self._current] if self._current >= 0 and not self._ghost else "nothing chosen"
        self.setAccessibleName(f"{self._name}: {now}" if self._name else now)

    def _choose(self, index: int) -> None:
        if index != self._current or self._ghost:
            self.set_current(index)
            self.chosen.emit(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        for index, width in enumerate(self._widths):
            if x < width:
                self._choose(index)
                return
            x -= width

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Space: 0}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._choose(min(max(self._current + step, 0), len(self._words) - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        outline = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        shape = QPainterPath()
        shape.addRoundedRect(outline, 3, 3)
        unset = self._current < 0 or self._ghost
        if not unset:
            painter.fillPath(shape, theme.colour("field"))
        x = 0
        for index, (word, width) in enumerate(zip(self._words, self._widths, strict=True)):
            on = index == self._current
            if on and not unset:
                painter.save()
                painter.setClipPath(shape)
                painter.fillRect(QRectF(x, 0, width, ROW), theme.colour("sel"))
                painter.fillRect(QRectF(x, ROW - 2, width, 2), theme.colour("accent"))
                painter.restore()
            role, font = ("ink", self._strong) if on and not unset else ("ink2", self._plain)
            line.text(word, x, width, role, font, align=CENTRE)
            x += width
            if index < len(self._words) - 1:
                painter.fillRect(QRectF(x, 4, 1, ROW - 8), theme.colour("hair"))
        if self._ghost and self._current >= 0:
            left = sum(self._widths[: self._current])
            painter.fillRect(
                QRectF(left + 8, ROW - 3, self._widths[self._current] - 16, 1), theme.colour("ink2")
            )
        edge = QPen(theme.colour("edge"), 1)
        if unset:
            edge.setDashPattern([2, 2])
        painter.setPen(edge)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(outline, 3, 3)
        if self.hasFocus():
            paint.ring(painter, self.rect(), 3)

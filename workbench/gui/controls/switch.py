"""On or off, with its name."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from workbench.gui.controls.button import PaintedButton
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW


class Switch(PaintedButton):
    """On or off, with its name."""

    def __init__(self, words: str, *, icon: str = "", on: bool = False) -> None:
        super().__init__()
        self._icon = icon
        self.setText(words)
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(words)
        self.setFixedSize(self._lead() + int(paint.advance(words, theme.body())) + 33, ROW)

    def _lead(self) -> int:
        return 20 if self._icon else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = Line(painter, self.width(), self.height())
        if self._icon:
            line.icon(self._icon, 0)
        x = self._lead() + line.text(self.text(), self._lead(), self.width()) + 8
        track = QRectF(x + 0.5, line.middle - 6.5, 23, 13)
        knob = QPointF(track.right() - 6.5 if self.isChecked() else track.left() + 6.5, line.middle)
        painter.setPen(Qt.PenStyle.NoPen if self.isChecked() else QPen(theme.colour("edge"), 1))
        painter.setBrush(theme.colour("fill") if self.isChecked() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(track, 6.5, 6.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("onfill" if self.isChecked() else "edge"))
        painter.drawEllipse(knob, 4, 4)
        if self.hasFocus():
            paint.ring(painter, self.rect())

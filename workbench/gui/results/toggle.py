"""A small button that stays pressed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFont, QPainter, QPaintEvent

from workbench.gui.controls.button import PaintedButton
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import CENTRE, Line
from workbench.gui.style.tokens import ROW


class Toggle(PaintedButton):
    """A sign with a name; pressed in, it stands on the ground of a chosen segment, with its line."""

    def __init__(self, sign: str, name: str) -> None:
        super().__init__()
        self.setText(sign)
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setFixedSize(self.sizeHint())

    def _font(self, weight: int) -> QFont:
        return theme.data(weight) if len(self.text()) == 2 else theme.body(weight)

    def sizeHint(self) -> QSize:
        return QSize(int(paint.advance(self.text(), self._font(600))) + 18, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isChecked()
        paint.box(painter, QRectF(self.rect()), edge="edge", ground="sel" if on else "field")
        if on:
            painter.fillRect(QRectF(3, ROW - 3, self.width() - 6, 2), theme.colour("accent"))
        line = Line(painter, self.width(), self.height())
        font = self._font(600 if on else 400)
        line.text(self.text(), 0, self.width(), "ink" if on else "ink2", font, align=CENTRE)
        if self.hasFocus():
            paint.ring(painter, self.rect())
        painter.end()

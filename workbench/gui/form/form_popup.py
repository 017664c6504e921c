"""What opens under a field and leaves when it is done, or when something else is pressed."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from workbench.gui.style import theme

_GAP = 2


class FieldPopup(QFrame):
    """A frame of one line, under its field or over it where there is no room."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._field = field

    def show_at_field(self) -> None:
        self.adjustSize()
        under = self._field.mapToGlobal(QPoint(0, self._field.height() + _GAP))
        screen = self._field.screen().availableGeometry()
        if under.y() + self.height() > screen.bottom():
            under.setY(max(self._field.mapToGlobal(QPoint()).y() - self.height() - _GAP, screen.top()))
        under.setX(max(min(under.x(), screen.right() - self.width()), screen.left()))
        self.move(under)
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("field"))
        painter.setPen(theme.colour("edge"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

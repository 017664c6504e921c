"""Fields that a person types into: a line that knows its state, a search field."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.gui import paint, theme
from workbench.gui.paint import RIGHT, Line
from workbench.gui.tokens import FIELD_RADIUS, ROW


def set_state(field: QWidget, state: str) -> None:
    """Let the style sheet draw a field as `unset`, `null`, `error` or plain ("")."""
    if field.property("state") == state:
        return
    field.setProperty("state", state)
    field.style().unpolish(field)
    field.style().polish(field)


class LineField(QLineEdit):
    """One line of 24 pixels in mono, with a hint that stands at its right while it is empty."""

    def __init__(self, ghost: str = "", *, mono: bool = True, trailing: str = "") -> None:
        super().__init__()
        self._trailing = trailing
        self.setFont(theme.data() if mono else theme.body())
        self.setPlaceholderText(ghost)
        self.setAccessibleName(ghost)
        self.setFixedHeight(ROW)

    def set_trailing(self, words: str) -> None:
        """What the ghost means, such as "default, not sent"."""
        self._trailing = words
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.property("state") == "unset" and not self.hasFocus():
            # A style sheet draws dashes that do not meet in the corners.
            paint.box(painter, QRectF(self.rect()), edge="edge", radius=FIELD_RADIUS, dashed=True)
        if self._trailing and not self.text():
            line = Line(painter, self.width(), self.height())
            line.text(self._trailing, 8, self.width() - 16, "ink2", theme.small(), align=RIGHT)
        painter.end()


class SearchField(LineField):
    """A field with a glass at its left and its shortcut at its right."""

    def __init__(self, ghost: str, *, shortcut: str = "") -> None:
        super().__init__(ghost, mono=False, trailing=shortcut)
        right = int(paint.advance(shortcut, theme.small())) + 8 if shortcut else 0
        self.setTextMargins(20, 0, right, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        line = Line(QPainter(self), self.width(), self.height())
        line.icon("search", 7)
        line.painter.end()

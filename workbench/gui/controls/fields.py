"""Fields that a person types into: a line that knows its state, a search field."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.gui.style import paint, theme
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import FIELD_RADIUS, ROW

_HINT_GAP = 16
_GHOST_GAP = 8
_LEAST_HINT = 64
"""Less room says nothing."""


def set_state(field: QWidget, state: str) -> None:
    """Let the style sheet draw a field as `unset`, `null`, `error` or plain ("")."""
    if field.property("state") == state:
        return
    field.setProperty("state", state)
    field.style().unpolish(field)
    field.style().polish(field)


def lets_undo_pass(event: QEvent, *, undoable: bool, redoable: bool) -> bool:
    """Whether Qt asks if a field wants Ctrl+Z or Ctrl+Y for itself, and it has nothing to undo or redo; it is told."""
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    keys = QKeySequence.StandardKey
    passes = (event.matches(keys.Undo) and not undoable) or (event.matches(keys.Redo) and not redoable)
    if passes:
        event.ignore()
    return passes


class LineField(QLineEdit):
    """One line of 24 pixels in mono, with a hint that stands at its right while it is empty."""

    def __init__(self, ghost: str = "", *, mono: bool = True, trailing: str = "") -> None:
        super().__init__()
        self._trailing = trailing
        self._hint = ""
        self._flat = False
        self._kept_for_trailing = 0
        """Room at the right that the words there need while something is typed, too."""
        self.setFont(theme.data() if mono else theme.body())
        self.setPlaceholderText(ghost)
        self.setAccessibleName(ghost)
        self.setFixedHeight(ROW)

    def set_trailing(self, words: str) -> None:
        """What the ghost means, such as "default, not sent"."""
        self._trailing = words
        self.update()

    def set_hint(self, words: str) -> None:
        """What the field is for, said in it while it is empty, as far as there is room."""
        self._hint = words
        self.update()

    def set_flat(self) -> None:
        """Stand in a table, whose hairlines are edge enough until there is the focus or a fault."""
        self._flat = True
        self.setProperty("flat", True)

    @property
    def trailing(self) -> str:
        return self._trailing

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Z and Ctrl+Y to the window's commands when there is nothing to undo or redo in here."""
        passes = lets_undo_pass(event, undoable=self.isUndoAvailable(), redoable=self.isRedoAvailable())
        return False if passes else super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.property("state") == "unset" and not self.hasFocus() and not self._flat:
            # A style sheet draws dashes that do not meet in the corners.
            paint.box(painter, QRectF(self.rect()), edge="edge", radius=FIELD_RADIUS, dashed=True)
        if not self.text():
            line = Line(painter, self.width(), self.height())
            start, end = 8.0, self.width() - 8.0 - self.textMargins().right() + self._kept_for_trailing
            if ghost := paint.advance(self.placeholderText(), self.font()):
                if self.alignment() & Qt.AlignmentFlag.AlignRight:
                    end -= ghost + _GHOST_GAP
                else:
                    start += ghost
            paint_hints(line, start, end, self._trailing, self._hint)
        painter.end()


def paint_hints(line: Line, start: float, end: float, state: str, about: str) -> None:
    """At the right of an empty field what its ghost means, and before that what it is for, if there is room."""
    if state and paint.advance(state, theme.small()) <= end - start - _HINT_GAP / 2:
        end -= line.text(state, start, end - start, "ink2", theme.small(), align=RIGHT) + _HINT_GAP
    room = end - start - _HINT_GAP
    if room >= _LEAST_HINT:
        line.text(about, start + _HINT_GAP, room, "ink2", theme.small(), align=RIGHT)


class SearchField(LineField):
    """A field with a glass at its left and its shortcut at its right."""

    def __init__(self, ghost: str, *, shortcut: str = "") -> None:
        super().__init__(ghost, mono=False, trailing=shortcut)
        right = int(paint.advance(shortcut, theme.small())) + 8 if shortcut else 0
        self._kept_for_trailing = right
        self.setTextMargins(20, 0, right, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        line = Line(QPainter(self), self.width(), self.height())
        line.icon("search", 7)
        line.painter.end()


class ListSearch(SearchField):
    """Searches a list below it: Down goes into the list, Escape empties the field."""

    left_down = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.left_down.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

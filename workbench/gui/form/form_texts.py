"""The controls for text: one line with what can be picked into it, or several lines."""

from __future__ import annotations

import uuid

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit, QSizePolicy

from workbench.domain.definitions import Language
from workbench.forms import Kind, Node, State, TextNode
from workbench.forms.moments import MOMENTS
from workbench.gui.controls.fields import LineField, lets_undo_pass, set_state
from workbench.gui.controls.texts import Grammar, Highlighter, exact_text, line_pitch
from workbench.gui.editor.highlighter import SourceHighlighter
from workbench.gui.form.form_pickers import MomentPopup
from workbench.gui.form.form_state import add_action, style_of
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import FIELD_RADIUS

_MOST_LINES = 14
_AROUND = 11
"""Edge and margins, and the pixel without which Qt would let the last line be scrolled to."""
_PICKED_WITH = {"date": "calendar", "date-time": "calendar", "time": "clock", "uuid": "loop"}
_PICK_WORDS = {
    "date": "Pick a date…",
    "date-time": "Pick a date and time…",
    "time": "Pick a time…",
    "uuid": "New UUID",
}
_ICON_ROOM = 22
_LANGUAGES = {"python": Language.PYTHON, "typescript": Language.TYPESCRIPT}


class TextControl(LineField):
    """One line for a text or a number, kept exactly as it was typed. Its menu and its icon pick what can be picked."""

    def __init__(self, node: TextNode, *, flat: bool = False) -> None:
        super().__init__()
        self._node = node
        self._flat_hint = flat
        self._icon = "" if flat else _PICKED_WITH.get(node.shape.format, "")
        if self._icon:
            self.setTextMargins(0, 0, _ICON_ROOM, 0)
        if flat:
            self.set_flat()
            self.setMinimumWidth(32)
            if node.kind is Kind.NUMBER:
                self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setAccessibleName(node.label)
        self.textEdited.connect(node.set_text)

    def refresh(self, *, faulty: bool) -> None:
        state = self._node.state
        shown = self._node.text if state in (State.VALUE, State.NOT_READ) else ""
        if self.text() != shown:
            self.setText(shown)
        self.setPlaceholderText(_ghost(self._node, state))
        unset = state is State.NOT_SET
        default = "default" if self._flat_hint else "default, not sent"
        self.set_trailing(default if unset and self._node.ghost else "")
        self.set_hint(self._node.shape.description if unset and not self._flat_hint else "")
        set_state(self, style_of(state, faulty=faulty))

    def add_to(self, menu: QMenu) -> None:
        """What this control can do besides being typed into."""
        if words := _PICK_WORDS.get(self._node.shape.format):
            add_action(menu, words, self.pick)
        if self._node.kind is Kind.TEXT:
            add_action(menu, "Write several lines\tShift+Enter", self._node.ask_for_lines)

    def pick(self) -> None:
        """Open the calendar or the clock, or make a new UUID."""
        named = self._node.shape.format
        if named in MOMENTS:
            MomentPopup(self, named, self._node.text, self._take).open()
        elif named == "uuid":
            self._take(str(uuid.uuid4()))

    def _take(self, text: str) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._node.set_text(text)
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_text = self._node.kind is Kind.TEXT
        breaks = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_text and breaks and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            if self.text():
                self._insert_lines("\n")
            else:
                self._node.ask_for_lines()
        elif is_text and event.matches(QKeySequence.StandardKey.Paste) and self._paste_lines():
            event.accept()
        else:
            super().keyPressEvent(event)

    def _paste_lines(self) -> bool:
        """Lines that are pasted stay lines, where Qt would write blanks; False when it is just one."""
        text = QGuiApplication.clipboard().text()
        if "\n" not in text.strip("\n"):
            return False
        self._insert_lines(text.replace("\r\n", "\n"))
        return True

    def _insert_lines(self, text: str) -> None:
        """Put a text with breaks at the cursor, for what is selected: the field has several lines from now on."""
        start = end = self.cursorPosition()
        if self.hasSelectedText():
            start, end = self.selectionStart(), self.selectionEnd()
        before, after = self.text()[:start], self.text()[end:]
        self._node.set_text(before + text + after)
        lines = QApplication.focusWidget()
        if isinstance(lines, LinesControl):
            lines.put_cursor(len(before + text))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Qt's menu, with its own way to paste exchanged for the one that keeps lines."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in menu.actions():
            if action.objectName() == "edit-paste":
                action.triggered.disconnect()
                action.triggered.connect(self._paste)
        menu.popup(event.globalPos())

    def _paste(self) -> None:
        if self._node.kind is not Kind.TEXT or not self._paste_lines():
            self.paste()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._icon and event.position().x() > self.width() - _ICON_ROOM:
            self.pick()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._icon and event.position().x() > self.width() - _ICON_ROOM
        self.setCursor(Qt.CursorShape.ArrowCursor if over else Qt.CursorShape.IBeamCursor)
        super().mouseMoveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._icon:
            line = Line(QPainter(self), self.width(), self.height())
            line.icon(self._icon, self.width() - 21)
            line.painter.end()


class LinesControl(QPlainTextEdit):
    """Several lines: a long text, code, or a JSON box. It grows with what is typed, up to a point."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node
        self._seen = ""
        """The text when it was last looked at: colouring it anew is told as a change, too."""
        self._json = node.kind is Kind.JSON
        language = "json" if self._json else node.shape.language
        self._highlighter = (
            Highlighter(self.document(), Grammar.JSON)
            if language == "json"
            else SourceHighlighter(self.document(), _LANGUAGES[language])
            if language
            else None
        )
        self.setProperty("role", "field")
        self.setAccessibleName(f"{node.label} as JSON" if self._json else node.label)
        self.setFont(theme.data())
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._typed)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()
        self.document().clearUndoRedoStacks()  # its margin counts as a step, too

    def event(self, e: QEvent) -> bool:
        """Leave Ctrl+Z and Ctrl+Y to the window's commands when there is nothing to undo or redo in here."""
        page = self.document()
        if lets_undo_pass(e, undoable=page.isUndoAvailable(), redoable=page.isRedoAvailable()):
            return False
        done = super().event(e)
        if e.type() is QEvent.Type.Paint and self.property("state") == "unset" and not self.hasFocus():
            # A style sheet draws dashes that do not meet in the corners.
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint.box(painter, QRectF(self.rect()), edge="edge", radius=FIELD_RADIUS, dashed=True)
            painter.end()
        return done

    def refresh(self, *, faulty: bool) -> None:
        state = self._node.state
        shown = self._text() if state in (State.VALUE, State.NOT_READ) else ""
        if exact_text(self.document()) != shown:
            self._seen = shown
            self.setPlainText(shown)
        self.setPlaceholderText(_ghost(self._node, state))
        set_state(self, style_of(state, faulty=faulty))

    def put_cursor(self, at: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(at, self.document().characterCount() - 1))
        self.setTextCursor(cursor)

    def _text(self) -> str:
        if self._json:
            return self._node.json_text or ""
        return self._node.text if isinstance(self._node, TextNode) else ""

    def _typed(self) -> None:
        text = exact_text(self.document())
        if text == self._seen:
            return
        self._seen = text
        if self._json:
            self._node.set_json_text(text)
        elif isinstance(self._node, TextNode):
            self._node.set_text(text)

    def _fit(self) -> None:
        lines = max(int(self.document().size().height()), 1 if self._json else 3)
        self.setFixedHeight(min(lines, _MOST_LINES) * line_pitch() + _AROUND)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is not QEvent.Type.PaletteChange:
            return
        if isinstance(self._highlighter, Highlighter):
            self._highlighter.rehighlight()
        elif self._highlighter is not None:
            self._highlighter.restyle()


def _ghost(node: Node, state: State) -> str:
    if state is State.NULL:
        return "null"
    if state is State.EMPTY:
        return "empty text"
    return node.ghost or node.shape.placeholder

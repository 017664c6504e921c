"""The whole value of a form as JSON text, kept as typed while it cannot be read, the place of that marked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit

from workbench.app.source.utf16 import Utf16
from workbench.forms import Form, find_place
from workbench.gui.controls.fields import lets_undo_pass, set_state
from workbench.gui.controls.texts import Grammar, Highlighter, exact_text
from workbench.gui.style import theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER


class JsonFace(QPlainTextEdit):
    """Edits the value of a form as text."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        self._error_at: int | None = None
        self._seen = ""
        """The text when it was last looked at: colouring it anew is told as a change, too."""
        self._highlighter = Highlighter(self.document(), Grammar.JSON)
        self.setAccessibleName("Arguments as JSON")
        self.setFont(theme.data())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabStopDistance(16)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(DOCUMENT_GUTTER)
        self.textChanged.connect(self._typed)

    def event(self, e: QEvent) -> bool:
        """Leave Ctrl+Z and Ctrl+Y to the window's commands when there is nothing to undo or redo in here."""
        page = self.document()
        passes = lets_undo_pass(e, undoable=page.isUndoAvailable(), redoable=page.isRedoAvailable())
        return False if passes else super().event(e)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._highlighter.rehighlight()
            self._mark_error()

    def refresh(self) -> None:
        text = self._form.json_text()
        if exact_text(self.document()) != text:
            self._seen = text
            self.setPlainText(text)
        self._find_error()

    def show_problem(self) -> None:
        set_state(self, "error" if self._form.problems() else "")
        self._find_error()

    def _find_error(self) -> None:
        error = self._form.face_error
        self._error_at = None if error is None or error.offset is None else self._units(error.offset)
        self._mark_error()

    def go_to_error(self) -> None:
        """Put the cursor where the text stops being JSON."""
        if self._error_at is not None:
            cursor = self.textCursor()
            cursor.setPosition(self._error_at)
            self.setTextCursor(cursor)
            self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_to(self, path: str) -> None:
        """Select what stands at a JSON Pointer of the value, or what it would stand in."""
        place = find_place(exact_text(self.document()), path)
        if place is not None:
            cursor = self.textCursor()
            cursor.setPosition(self._units(place[0]))
            cursor.setPosition(self._units(place[1]), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _units(self, offset: int) -> int:
        """A place in the text as Qt counts."""
        text = exact_text(self.document())
        return Utf16(text).units(min(offset, len(text)))

    def _mark_error(self) -> None:
        """A wave under the word at fault; under the last one where the text ends too early."""
        if self._error_at is None:
            self.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        mark.cursor = QTextCursor(self.document())
        mark.cursor.setPosition(self._error_at)
        mark.cursor.movePosition(QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor)
        for move in (QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveOperation.PreviousCharacter):
            if not mark.cursor.hasSelection():
                mark.cursor.movePosition(move, QTextCursor.MoveMode.KeepAnchor)
        mark.format = QTextCharFormat()
        mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        mark.format.setUnderlineColor(theme.colour("err"))
        mark.format.setForeground(theme.colour("err"))
        self.setExtraSelections([mark])

    def _typed(self) -> None:
        text = exact_text(self.document())
        if text != self._seen:
            self._seen = text
            self._form.load_json_text(text)

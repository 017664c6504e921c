"""The whole value of a form as JSON text, kept as typed while it cannot be read, the place of that marked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit

from workbench.app.source.utf16 import Utf16
from workbench.base.exact_json import JsonError, parse
from workbench.forms import Form, Sent
from workbench.gui import theme
from workbench.gui.fields import lets_undo_pass, set_state
from workbench.gui.texts import Grammar, Highlighter, exact_text
from workbench.gui.tokens import DOCUMENT_GUTTER

_MARKED = 1_000_000
"""Characters; of a longer text the place is told in words only, since every key would read all of it twice."""


class JsonFace(QPlainTextEdit):
    """Edits the value of a form as text."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form
        self._error_at: int | None = None
        self._highlighter = Highlighter(self.document(), Grammar.JSON)
        self.setAccessibleName("Arguments as JSON")
        self.setFont(theme.data())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabStopDistance(16)
        self.document().setDocumentMargin(DOCUMENT_GUTTER)
        self.textChanged.connect(self._typed)

    def event(self, e: QEvent) -> bool:
        """Leave Ctrl+Z to the window's command when there is nothing to undo in here."""
        return False if lets_undo_pass(e, self.document().isUndoAvailable()) else super().event(e)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._highlighter.rehighlight()
            self._mark_error()

    def refresh(self) -> None:
        text = self._form.json_text()
        if exact_text(self.document()) != text:
            self.setPlainText(text)

    def show_problem(self, sent: Sent) -> None:
        set_state(self, "error" if sent.json_text is None else "")
        self._error_at = _place_of_error(exact_text(self.document())) if sent.json_text is None else None
        self._mark_error()

    def go_to_error(self) -> None:
        """Put the cursor where the text stops being JSON."""
        if self._error_at is not None:
            cursor = self.textCursor()
            cursor.setPosition(self._error_at)
            self.setTextCursor(cursor)
            self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

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
        if text != self._form.json_text():
            self._form.load_json_text(text)


def _place_of_error(text: str) -> int | None:
    """Where a text stops being JSON, as Qt counts; None when it is JSON."""
    if len(text) > _MARKED:
        return None
    try:
        parse(text)
    except JsonError as error:
        return None if error.offset is None else Utf16(text).units(min(error.offset, len(text)))
    return None

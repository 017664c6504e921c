"""The bars under the editor: find and replace, go to a line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.source.utf16 import Utf16
from workbench.gui import amounts, theme
from workbench.gui.controls import Button, Hairline, Kind, Words, line_of
from workbench.gui.editor.code_edit import CodeEdit, Span
from workbench.gui.fields import LineField, SearchField, set_state
from workbench.gui.results.text_search import Query, TextSearch
from workbench.gui.switch import Switch
from workbench.gui.tokens import BAND, PANEL_GUTTER

_PAUSE_MS = 120
_MARKED = 400
"""Hits around the current one that are marked in the text; all are counted and stepped through."""


class Bar(QWidget):
    """Opens under the editor and goes with Escape, back to where the person was."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__()
        self.edit = edit
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(Hairline())
        self.hide()

    def add_row(self, *pieces: QWidget | int | None) -> QWidget:
        row = line_of(*pieces, margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0), height=BAND)
        self._layout.addWidget(row)
        return row

    def leave(self) -> None:
        self.hide()
        self.edit.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)


class LineBar(Bar):
    """Asks for a line to go to."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self._field = LineField("Line number")
        self._field.setValidator(QIntValidator(1, 10_000_000, self))
        self._field.setFixedWidth(120)
        self._field.returnPressed.connect(self._go)
        close = Button(kind=Kind.QUIET, icon="close", tip="Close")
        close.clicked.connect(self.leave)
        self._lines = Words("", "ink2", theme.small())
        self.add_row(Words("Go to line"), self._field, self._lines, None, close)

    def open(self) -> None:
        self._lines.set_words(f"of {self.edit.blockCount()}")
        self.show()
        self._field.setFocus()
        self._field.selectAll()

    def _go(self) -> None:
        if self._field.text():
            self.hide()
            self.edit.go_to(int(self._field.text()))


class FindBar(Bar):
    """Finds as one types; replaces when asked to. Enter goes on, Shift+Enter goes back."""

    searched = Signal()

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self._search = TextSearch()
        self._places = Utf16("")
        self._at = -1
        self._from = 0
        self._told = ""
        self.field = SearchField("Find in this file")
        self.replacement = LineField("Replace with")
        self.exact_case = Switch("Match case")
        self.pattern = Switch("Pattern")
        self.count = Words("", "ink2", theme.small(), width=150)
        self._before = Button("Previous", Kind.QUIET, icon="arrow-up", tip="Shift+Enter")
        self._next = Button("Next", Kind.QUIET, icon="arrow-down", tip="Enter")
        self._one = Button("Replace")
        self._all = Button("Replace all")
        close = Button(kind=Kind.QUIET, icon="close", tip="Close")
        self.add_row(
            self.field, self.count, self._before, self._next, self.exact_case, 8, self.pattern, None, close
        )
        self._second = self.add_row(self.replacement, self._one, self._all, None)
        for field in (self.field, self.replacement):
            field.setFixedWidth(280)
            field.installEventFilter(self)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._start)
        self.field.textEdited.connect(self._word_changed)
        self.exact_case.toggled.connect(self._start)
        self.pattern.toggled.connect(self._start)
        self.edit.edited.connect(self._text_changed)
        self._search.changed.connect(self._found)
        self._before.clicked.connect(lambda: self.step(-1))
        self._next.clicked.connect(lambda: self.step(1))
        self._one.clicked.connect(self.replace_one)
        self._all.clicked.connect(self.replace_all)
        close.clicked.connect(self.leave)

    def open(self, *, replacing: bool = False) -> None:
        """Show the bar, with what is selected as the word to find."""
        chosen = self.edit.textCursor().selectedText()
        if chosen and "\u2029" not in chosen:
            self.field.setText(chosen)
        self._second.setVisible(replacing and not self.edit.isReadOnly())
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self._from = self.edit.textCursor().selectionStart()
        self._start()

    def leave(self) -> None:
        self._search.stop()
        self.edit.show_hits(())
        super().leave()

    def step(self, step: int) -> None:
        """Go to the next hit (1) or the one before (-1), around the ends."""
        if self._pause.isActive():
            self._start()  # the text or the word is another by now; it goes to a hit when there is one
            return
        self._told = ""
        cursor = self.edit.textCursor()
        place = self._places.place(cursor.selectionEnd() if step > 0 else cursor.selectionStart())
        self._go_to(self._search.from_place(place, step))

    def replace_one(self) -> None:
        """Exchange the hit that is selected, and go to the next."""
        if self._at >= 0 and not self._pause.isActive():
            span = self._span(self._at)
            self.edit.replace_spans([span], self.replacement.text())
            self._from = span[0] + len(self.replacement.text().encode("utf-16-le")) // 2
            self._start()

    def replace_all(self) -> None:
        """Exchange every hit, in one step that can be undone."""
        if self._search.count and not self._search.running and not self._pause.isActive():
            done = self._search.count
            self.edit.replace_spans([self._span(at) for at in range(done)], self.replacement.text())
            self._told = f"{amounts.count(done, 'place')} changed"
            self._start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if watched is self.replacement:
                    self.replace_one()
                else:
                    self.step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_F3:
                self.step(-1 if back else 1)
                return True
        return super().eventFilter(watched, event)

    def _text_changed(self) -> None:
        if self.isVisible():
            self._search.stop()
            self.edit.show_hits(())
            self._from = self.edit.textCursor().selectionStart()
            self._at = -1
            self._pause.start()

    def _word_changed(self) -> None:
        self._told = ""
        self._pause.start()

    def _start(self) -> None:
        if not self.isVisible():
            return
        self._pause.stop()
        text = self.edit.text()
        self._places = Utf16(text)
        self._at = -1
        self._search.start(
            text, Query(self.field.text(), self.exact_case.isChecked(), self.pattern.isChecked())
        )

    def _found(self) -> None:
        if self._at < 0 and self._search.count and not self._search.running:
            at = self._search.from_place(self._places.place(self._from), 1)
            if not self.edit.hasFocus():
                self._go_to(at)
        self._show()

    def _go_to(self, at: int) -> None:
        self._at = at
        if at >= 0:
            self.edit.select(self._span(at))
        self._show()

    def _span(self, at: int) -> Span:
        start, end = self._search.hit(at)
        return self._places.units(start), self._places.units(end)

    def _show(self) -> None:
        search = self._search
        set_state(self.field, "error" if search.problem else "")
        if search.problem:
            words = search.problem
        elif self._told:
            words = self._told
        elif not self.field.text():
            words = ""
        elif not search.count:
            words = "Looking" if search.running else "Not found"
        else:
            words = (
                f"{self._at + 1} of {search.count}" if self._at >= 0 else amounts.count(search.count, "place")
            )
        self.count.set_words(words, role="err" if search.problem else "ink2")
        first = max(self._at - _MARKED // 2, 0)
        self.edit.show_hits([self._span(at) for at in range(first, min(first + _MARKED, search.count))])
        for button in (self._before, self._next, self._one, self._all):
            button.setEnabled(bool(search.count))
        self.searched.emit()

"""The bars under the editor: find and replace, go to a line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.words import Words
from workbench.gui.editor.code_edit import CodeEdit
from workbench.gui.editor.code_search import CodeSearch
from workbench.gui.results.find_bar import FindBar
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER

_FIELD_WIDTH = 260


class Bar(QWidget):
    """Opens under the editor and goes with Escape, back to where the person was."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__()
        self._edit = edit
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(Hairline())
        self.hide()

    def add(self, widget: QWidget) -> None:
        self._layout.addWidget(widget)

    def leave(self) -> None:
        self.hide()
        self._edit.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)


def _row(*pieces: QWidget | int | None) -> QWidget:
    return line_of(*pieces, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER - 6, 0), gap=6, height=BAND)


class LineBar(Bar):
    """Asks for a line to go to."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self.field = LineField("Line number")
        self.field.setValidator(QIntValidator(1, 10_000_000, self))
        self.field.setFixedWidth(120)
        self.field.returnPressed.connect(self._go)
        close = Button(kind=Kind.QUIET, icon="close", tip="Close (Esc)")
        close.clicked.connect(self.leave)
        self._lines = Words("", "ink2", theme.small())
        self.add(_row(Words("Go to line"), self.field, self._lines, None, close))

    def open(self) -> None:
        self._lines.set_words(f"of {self._edit.blockCount():,}")
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def _go(self) -> None:
        if self.field.text():
            self.hide()
            self._edit.go_to(int(self.field.text()))


class FindPanel(Bar):
    """The find bar of every text, with a row for replacing when that was asked for."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self.search = CodeSearch(edit)
        self.bar = FindBar()
        self.bar.look_in(self.search)
        self.replacement = LineField("Replace with")
        self.replacement.setFixedWidth(_FIELD_WIDTH)
        self.replacement.returnPressed.connect(self.replace_one)
        self._done = Words("", "ink2", theme.small())
        one, every = Button("Replace"), Button("Replace all")
        self._second = _row(self.replacement, one, every, self._done, None)
        self.add(self.bar)
        self.add(self._second)
        self.search.changed.connect(self.bar.say)
        self.bar.closed.connect(self.leave)
        one.clicked.connect(self.replace_one)
        every.clicked.connect(self.replace_all)

    def open(self, *, replacing: bool = False) -> None:
        """Show the bar, with what is selected in a line as the word to find."""
        chosen = self._edit.textCursor().selectedText()
        if chosen and "\u2029" not in chosen:
            self.bar.field.setText(chosen)
        self._done.set_words("")
        self._second.setVisible(replacing and not self._edit.isReadOnly())
        self.show()
        self.bar.begin()

    def leave(self) -> None:
        if self.bar.isVisible():
            self.bar.close_bar()  # comes back here by its signal, hidden
            return
        self.bar.show()
        super().leave()

    def replace_one(self) -> None:
        self.search.replace_one(self.replacement.text())

    def replace_all(self) -> None:
        count = self.search.replace_all(self.replacement.text())
        self._done.set_words(f"{amounts.count(count, 'place')} changed")


class EditorBars:
    """The bars under one editor, of which one is open at most, and what its keys ask of them (`CodeEdit.asked`)."""

    def __init__(self, edit: CodeEdit) -> None:
        self._edit = edit
        self.find = FindPanel(edit)
        self.line = LineBar(edit)

    def offers(self) -> dict[str, Callable[[], None]]:
        """What they do now of what commands ask for, by their ids."""
        ways: dict[str, Callable[[], None]] = {"find": self.open_find, "line": self.open_line}
        if not self._edit.isReadOnly():
            ways["replace"] = partial(self.open_find, replacing=True)
        return ways

    def open_find(self, *, replacing: bool = False) -> None:
        self.line.hide()
        self.find.open(replacing=replacing)

    def open_line(self) -> None:
        self.find.hide()
        self.line.open()

    def answer(self, what: str) -> bool:
        """Do what a key asks for; False for Escape with nothing open, and for what is no bar's business."""
        match what:
            case "find":
                self.open_find()
            case "replace":
                self.open_find(replacing=True)
            case "line":
                self.open_line()
            case "next" | "previous" if self.find.isVisible():
                self.find.search.step(1 if what == "next" else -1)
            case "next" | "previous":
                self.open_find()
            case "leave" if self.find.isVisible():
                self.find.leave()
            case "leave" if self.line.isVisible():
                self.line.leave()
            case _:
                return False
        return True

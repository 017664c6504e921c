"""The bar that looks for a word: what, how many, which one, forward and back."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import SearchField, set_state
from workbench.gui.controls.words import Words
from workbench.gui.results.text_search import Query, TextSearch
from workbench.gui.results.toggle import Toggle
from workbench.gui.style import theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER


class Searched(Protocol):
    """What can be searched."""

    search: TextSearch
    current_hit: int

    def look_for(self, query: Query) -> None: ...
    def step(self, step: int) -> None: ...


class FindBar(QWidget):
    """Asks whatever is in front. Enter goes on, Shift+Enter back, Escape closes."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._target: Searched | None = None
        self.field = SearchField("Find")
        self.field.setAccessibleName("Find")
        self.field.setFixedWidth(260)
        self.exact = Toggle("Aa", "Match case")
        self.pattern = Toggle(".*", "Regular expression")
        self.state = Words("", "ink2", theme.small(), width=180)
        previous = Button("", Kind.QUIET, icon="arrow-up", tip="Previous (Shift+F3)")
        following = Button("", Kind.QUIET, icon="arrow-down", tip="Next (F3)")
        close = Button("", Kind.QUIET, icon="close", tip="Close (Esc)")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(DOCUMENT_GUTTER, 6, DOCUMENT_GUTTER - 6, 6)
        layout.setSpacing(6)
        for widget in (self.field, self.exact, self.pattern, previous, following, self.state):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(close)
        self.field.textChanged.connect(self.ask)
        self.exact.toggled.connect(self.ask)
        self.pattern.toggled.connect(self.ask)
        previous.clicked.connect(lambda: self.step(-1))
        following.clicked.connect(lambda: self.step(1))
        close.clicked.connect(self.close_bar)
        self.field.installEventFilter(self)

    def query(self) -> Query:
        return Query(self.field.text(), exact_case=self.exact.isChecked(), pattern=self.pattern.isChecked())

    def look_in(self, target: Searched | None) -> None:
        """Another text is in front: the same word is looked for in it."""
        self._target = target
        if self.isVisible():
            self.ask()

    def begin(self) -> None:
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self.ask()

    def ask(self) -> None:
        if self._target is not None:
            self._target.look_for(self.query())
        self.say()

    def step(self, step: int) -> None:
        if self._target is not None:
            self._target.step(step)

    def say(self) -> None:
        """Say which hit of how many is in view."""
        target = self._target
        if target is None or not self.field.text():
            self.state.set_words("", role="ink2")
            set_state(self.field, "")
            return
        search = target.search
        bad = bool(search.problem)
        set_state(self.field, "error" if bad else "")
        if bad:
            self.state.set_words(search.problem, role="err")
            return
        more = "+" if search.running or search.full else ""
        nothing = "Looking…" if search.running else "No hits"
        which = f"{target.current_hit + 1:,} of " if target.current_hit >= 0 else ""
        self.state.set_words(f"{which}{search.count:,}{more}" if search.count else nothing, role="ink2")

    def close_bar(self) -> None:
        if self._target is not None:
            self._target.look_for(Query(""))
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.matches(QKeySequence.StandardKey.FindNext) or event.matches(
                QKeySequence.StandardKey.FindPrevious
            ):
                self.step(1 if event.matches(QKeySequence.StandardKey.FindNext) else -1)
                return True
        return False

"""What a call printed, on a page of its own; it goes on at its end while the call runs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.domain.calls import Call
from workbench.gui import amounts, theme
from workbench.gui.controls import Button, Kind, Words, line_of
from workbench.gui.sections import copy, save_as
from workbench.gui.texts import SHOWN, TextView
from workbench.gui.tokens import DOCUMENT_GUTTER, HEADER


class CallLog(QWidget):
    """`link` makes links of the frames in a text that is whole."""

    def __init__(self, link: Callable[[QPlainTextEdit], None]) -> None:
        super().__init__()
        self._link = link
        self._text = ""
        self._linked = False
        self.view = TextView(name="Log", on_window=False)
        self._said = Words("", "ink2", theme.small())
        self._copy = Button("Copy", Kind.QUIET, icon="copy")
        self._save = Button("Save…", Kind.QUIET, icon="import")
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line_of(self._said, None, self._copy, self._save, margins=margins, height=HEADER))
        holder = QVBoxLayout()
        holder.setContentsMargins(DOCUMENT_GUTTER, 0, 0, 0)
        holder.addWidget(self.view)
        layout.addLayout(holder, 1)
        self.setFocusProxy(self.view)
        self._copy.clicked.connect(lambda: copy(self._text))
        self._save.clicked.connect(lambda: save_as(self, "log.txt", self._text.encode("utf-8", "replace")))
        self._say("Nothing printed")

    @property
    def lines(self) -> int:
        """How many lines there are, the last one counted when it is not empty."""
        return self._text.count("\n") + bool(self._text and not self._text.endswith("\n"))

    def show_call(self, call: Call) -> None:
        if call.log != self._text or not self._linked:
            self._text = call.log
            self.view.show_text(call.log)
            self._say("Nothing printed" if call.state.is_final else "Nothing printed yet")
        if call.state.is_final and not self._linked:
            self._linked = True
            self._link(self.view)

    def add(self, text: str) -> None:
        self._text += text
        self.view.append_text(text)
        self._say("")

    def _say(self, nothing: str) -> None:
        words = amounts.count(self.lines, "line") if self._text else nothing
        if len(self._text) > SHOWN:
            words += f"; the first {amounts.size(SHOWN)} are shown, Copy and Save have all"
        self._said.set_words(words)
        self._copy.setVisible(bool(self._text))
        self._save.setVisible(bool(self._text))

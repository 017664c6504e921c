"""What went into a call, whole: as it ran, and as it was asked for where that is another thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.base.errors import BugError
from workbench.domain.calls import AttachmentRef, Call, ToolResult
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.results.result_view import ResultView
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER


class CallArguments(QWidget):
    """Looked at as results are; hidden and look-alike characters stand as marks."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.view = ResultView(_no_file, lambda work: session.do(work, self))
        self._which = Segments(["As it ran", "As asked for"], 0, name="Which arguments")
        self._texts = ("", "")
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        self._which_line = line_of(self._which, None, margins=margins, height=HEADER)
        self._note = Words("", "warn", theme.small(), mark=Mark.WARNING)
        self._note_line = line_of(self._note, None, margins=margins)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (self._which_line, self._note_line, self.view):
            layout.addWidget(piece)
        self._which_line.hide()
        self._note_line.hide()
        self.setFocusProxy(self.view)
        self._which.chosen.connect(self._show)

    def show_call(self, call: Call) -> None:
        texts = (call.arguments_run or call.arguments, call.arguments)
        if texts != self._texts:
            self._texts = texts
            self._which_line.setVisible(texts[0] != texts[1])
            self._show(0)

    def _show(self, which: int) -> None:
        text = self._texts[which]
        self._which.set_current(which)
        self.view.show_result(ToolResult(text=text or "{}"), can_compare=False, reveal=True)
        words = amounts.hidden_characters(text)
        self._note.set_words(words)
        self._note_line.setVisible(bool(words))

    @property
    def said(self) -> str:
        """What is said about hidden characters, "" when there are none."""
        return self._note.words

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return self.view.offers()


async def _no_file(ref: AttachmentRef) -> bytes:
    raise BugError(f"Arguments have no files, but {ref.name} was asked for.")

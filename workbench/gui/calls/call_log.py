"""What a call printed, on a page of its own: whole, of any size; it goes on at its end while the call runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.source.frames import FrameLink, frames_in
from workbench.domain.call_logs import lines_of
from workbench.domain.calls import Call
from workbench.gui import lane
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.sections import copy
from workbench.gui.controls.words import Words
from workbench.gui.results.row_layout import Tint
from workbench.gui.results.saving import save_as
from workbench.gui.results.text_viewer import TextViewer
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER


def told(log: str) -> str:
    """How much of what a call printed is there."""
    lines, is_cut = lines_of(log)
    return f"The first {lines:,} lines, more was printed" if is_cut else amounts.count(lines, "line")


class LogViewer(TextViewer):
    """Follows its end while that is in view. Frames in it are links, by the mouse and by Enter at the caret."""

    opened = Signal(str, int, int)
    """Path (relative to the project), line and column of a frame."""

    def __init__(self) -> None:
        super().__init__(name="Log", gutter=DOCUMENT_GUTTER)
        self._links: Sequence[FrameLink] = ()

    def show_links(self, links: Sequence[FrameLink]) -> None:
        self._links = links
        self.viewport().update()

    def _tints(self, start: int, end: int) -> list[Tint]:
        here = (link for link in self._links if link.start < end and link.end > start)
        ink = theme.colour("accent")
        links = [Tint(max(each.start, start) - start, min(each.end, end) - start, None, ink) for each in here]
        return [*super()._tints(start, end), *links]

    def _open(self, place: int) -> bool:
        link = next((each for each in self._links if each.start <= place <= each.end), None)
        if link is None or self.caret.selects:
            return False
        self.opened.emit(link.path, link.line, link.column)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not (is_enter and self._open(self.caret.place)):
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self._open(self.place_at(event.position().toPoint()))


class CallLog(QWidget):
    """The page, with what there is of it in words."""

    source_asked = Signal(str, int, int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._linked = False
        self.view = LogViewer()
        self.said = Words("Nothing printed", "ink2", theme.small())
        self._copy = Button("Copy", Kind.QUIET, icon="copy")
        self._save = Button("Save…", Kind.QUIET, icon="import")
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line_of(self.said, None, self._copy, self._save, margins=margins, height=HEADER))
        layout.addWidget(self.view, 1)
        self.setFocusProxy(self.view)
        self._copy.clicked.connect(lambda: copy(self.view.text))
        self._save.clicked.connect(self.save)
        self.view.save_asked.connect(self.save)
        self.view.opened.connect(self.source_asked)
        self._copy.hide()
        self._save.hide()

    @property
    def lines(self) -> int:
        """How many lines there are, the last one counted when it is not empty."""
        return lines_of(self.view.text)[0]

    def save(self) -> None:
        save_as(self, "log.txt", self.view.text.encode("utf-8", "replace"))

    def show_call(self, call: Call) -> None:
        """Show the log as it is now; what of it was there is looked at as before."""
        if call.log != self.view.text:
            self.view.show_longer(call.log)
        nothing = "Nothing printed" if call.state.is_final else "Nothing printed yet"
        self.said.set_words(told(call.log) if call.log else nothing)
        self._copy.setVisible(bool(call.log))
        self._save.setVisible(bool(call.log))
        info = self._session.info
        if call.state.is_final and not self._linked and info is not None:
            self._linked = True
            self._link(call.log, info.root)

    def _link(self, text: str, root: Path) -> None:
        lane.start(self, lambda _: frames_in(text, root), self.view.show_links)

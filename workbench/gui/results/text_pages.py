"""The rows of one text for one width: laid out as they come into view, counted to the end beside the window."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from workbench.app.results.text_index import Row, TextIndex
from workbench.gui import lane
from workbench.gui.results.row_layout import RowLayout, reads_from_right

AT_ONCE = 16
"""Blocks of 65,536 characters that are counted before the first look: a megabyte."""
_TOLD_EVERY = 64
_KEPT = 256
_LOOKED_BACK = 2_000


class TextPages(QObject):
    """Rows and their layouts."""

    grown = Signal()
    """More rows are known."""

    def __init__(self, text: str, columns: int, whole: Callable[[TextIndex], None] | None = None) -> None:
        super().__init__()
        self.text = text
        self.index = TextIndex(text, columns)
        self.reveal = False
        self._layouts: OrderedDict[int, RowLayout] = OrderedDict()
        self._job: lane.Job | None = None
        for _ in range(AT_ONCE):
            if not self.index.grow():
                break
        if not self.index.complete:
            index = self.index
            self._job = lane.start(self, lambda job: self._grow(job, index), lambda _: self.grown.emit())

    def _grow(self, job: lane.Job, index: TextIndex) -> None:
        blocks = 0
        while not job.stopped and index.grow():
            blocks += 1
            if blocks % _TOLD_EVERY == 0:
                job.tell(self.grown.emit)

    def stop(self) -> None:
        if self._job is not None:
            self._job.stop()

    def forget(self) -> None:
        """Lay out afresh: colours, or what is revealed, have changed."""
        self._layouts.clear()

    def row(self, at: int) -> Row:
        return self.index.row(min(max(at, 0), self.index.row_count - 1))

    def layout(self, row: Row) -> RowLayout:
        made = self._layouts.get(row.start)
        if made is None or len(made.text) != row.end - row.start:
            line = self.text[row.start : row.end]
            made = RowLayout(line, reveal=self.reveal, rtl=reads_from_right(self._beginning(row) or line))
            self._layouts[row.start] = made
            if len(self._layouts) > _KEPT:
                self._layouts.popitem(last=False)
        return made

    def _beginning(self, row: Row) -> str:
        """The beginning of the line that a row goes on with: it decides the direction of the whole line."""
        if row.first:
            return ""
        start = self.text.rfind("\n", max(0, row.start - _LOOKED_BACK), row.start) + 1
        return self.text[start : start + 200] if start else self.text[max(0, row.start - 200) : row.start]

    def row_at(self, place: int) -> int:
        return self.index.row_at(place)

"""What a request sent that the one before it did not: told line by line, and the two as JSON side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.results.differences import Change
from workbench.app.runs.request_changes import Changed, changes_between
from workbench.app.runs.request_parts import exact_json
from workbench.domain.model_requests import ModelRequest
from workbench.gui import lane
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.words import Words
from workbench.gui.results.diff_view import DiffView
from workbench.gui.style import amounts, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.thread.split import split

_SIGNS = {
    Change.ADDED: ("+", "Added", "ok"),
    Change.REMOVED: ("−", "Removed", "err"),
    Change.CHANGED: ("~", "Changed", "warn"),
}


class ChangesModel(ListedRows[Changed]):
    def words(self, row: Changed) -> str:
        return ": ".join(part for part in (f"{_SIGNS[row.change][1]} {row.what}", row.words) if part)


class _Painter(RowPainter[Changed]):
    def paint_row(self, line: Line, row: Changed, look: Look) -> None:
        sign, word, role = _SIGNS[row.change]
        x = float(DOCUMENT_GUTTER)
        line.text(sign, x, 14, role, theme.data(600))
        line.text(word, x + 18, 64, role)
        x += 92
        x += line.text(row.what, x, line.width * 0.4) + 12
        line.text(row.words, x, line.width - x - 12, "ink2", theme.small())


class RequestChanges(QWidget):
    """Compares beside the window."""

    def __init__(self) -> None:
        super().__init__()
        self.said = Words("", "ink2")
        self.model = ChangesModel()
        self.list = RowView(self.model, _Painter(), name="What changed since the request before")
        self.difference = DiffView()
        self._job: lane.Job | None = None
        self._split = split(Qt.Orientation.Vertical, self.list, self.difference, 120, 240)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line_of(self.said, margins=(DOCUMENT_GUTTER, 0, 12, 0), height=HEADER))
        layout.addWidget(Hairline())
        layout.addWidget(self._split, 1)
        self.setFocusProxy(self.list)

    def show_first(self) -> None:
        """There is no request before this one."""
        self._stop()
        self._split.hide()
        self.said.set_words(
            "The first request of this conversation: there is none before it to compare with."
        )

    def compare(self, old: ModelRequest, new: ModelRequest, before: str) -> None:
        """Show what changed; `before` says which the other one is."""
        self._stop()
        self._split.show()
        self.model.show(())
        self.said.set_words(f"Comparing with {before}…")

        def done(found: tuple[tuple[Changed, ...], str, str]) -> None:
            changes, was, now = found
            count = amounts.count(len(changes), "difference")
            self.said.set_words(f"{count} from {before}" if changes else f"The same as {before}")
            self.model.show(changes)
            self.difference.compare(was, now, old_json=was, new_json=now)

        def work(_: lane.Job) -> tuple[tuple[Changed, ...], str, str]:
            return changes_between(old, new), exact_json(old), exact_json(new)

        self._job = lane.start(self, work, done)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return {} if self._split.isHidden() else self.difference.offers()

    def _stop(self) -> None:
        if self._job is not None:
            self._job.stop()

"""The parts of a request at the left, the one that is looked at whole at the right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.runs.request_parts import Part
from workbench.base.errors import BugError
from workbench.domain.calls import AttachmentRef
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.results.result_view import Do, ResultView
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER
from workbench.gui.thread.split import split

Row = Part | str
"""A part, or the heading over those that follow."""

_LIST = 300
_SIZE = 74


class PartsModel(ListedRows[Row]):
    def show_parts(self, parts: Iterable[Part]) -> None:
        rows: list[Row] = []
        for heading, below in groupby(parts, key=lambda part: part.heading):
            rows += [heading, *below]
        self.show(rows)

    def selectable(self, row: Row) -> bool:
        return isinstance(row, Part)

    def words(self, row: Row) -> str:
        if isinstance(row, str):
            return row
        state = "error" if row.is_wrong else ""
        return ", ".join(part for part in (row.title, row.about, state, row.first_words) if part)


class _Painter(RowPainter[Row]):
    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        x = float(DOCUMENT_GUTTER)
        if isinstance(row, str):
            line.text(row, x, line.width - x, font=theme.body(600))
            line.underline()
            return
        role = "err" if row.is_wrong else "ink"
        x += line.text(row.title, x, 130, role) + 8
        room = line.width - _SIZE - x
        if row.about:
            x += line.text(row.about, x, room, "ink2", theme.data()) + 8
        if not row.is_json:
            line.text(row.first_words, x, line.width - _SIZE - x, "ink2", theme.small())
        size = amounts.size(len(row.data) or len(row.text.encode(errors="replace")))
        line.text(size, line.width - _SIZE, _SIZE - 8, "ink2", theme.small(), align=paint.RIGHT)


class RequestParts(QWidget):
    """`do` runs a coroutine and shows what goes wrong with it (`Session.do`)."""

    def __init__(self, do: Do) -> None:
        super().__init__()
        self.model = PartsModel()
        self.list = RowView(self.model, _Painter(), name="Parts of the request")
        self.list.set_empty("Nothing of it was kept.")
        self.view = ResultView(self._load, do)
        self._shown: Part | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split(Qt.Orientation.Horizontal, self.list, self.view, _LIST, 2 * _LIST))
        self.setFocusProxy(self.list)
        self.list.moved.connect(self._moved)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show these, at first what was said last."""
        self.model.show_parts(parts)
        rows = [self.model.row(at) for at in range(self.model.count())]
        places = [at for at, row in enumerate(rows) if isinstance(row, Part)]
        told = [at for at in places if isinstance(row := rows[at], Part) and row.title not in _SEEN_LAST]
        if places:
            self.list.go_to((told or places)[-1])

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return self.view.offers()

    def _moved(self, row: Row | None) -> None:
        if isinstance(row, Part):
            self._shown = row
            self.view.show_result(row.result(), can_compare=False, reveal=True)

    async def _load(self, ref: AttachmentRef) -> bytes:
        if self._shown is None:
            raise BugError(f"The file {ref.name} was asked for, and no part is shown.")
        return self._shown.data


_SEEN_LAST = ("Settings", "System", "Tool", "End")
"""What is not what a person opens a request for."""

"""Choosing the thread that another one is compared with, out of all of the project."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from workbench.base.ids import ThreadId
from workbench.domain.pages import ThreadFilter, ThreadSummary
from workbench.domain.threads import Thread
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.dialogs.choosing import ChooseOne
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import PANEL_GUTTER
from workbench.gui.thread.thread_words import age, standing, title_of

_SHOWN = 500
_ID, _NOTE, _AGE = 64, 180, 60


class ThreadRows(ListedRows[ThreadSummary]):
    """`original` is the one that the compared thread was forked from."""

    original: ThreadId | None = None

    def words(self, row: ThreadSummary) -> str:
        said = [
            _title(row),
            row.id[-6:],
            self.note(row),
            standing(row, waits=row.waits).words,
            age(row.updated_at, _now()),
        ]
        return ", ".join(filter(None, said))

    def name(self, row: ThreadSummary) -> str:
        return _title(row)

    def note(self, row: ThreadSummary) -> str:
        """What stands beside the title."""
        if row.id == self.original:
            return "the original"
        came = "" if row.forked_from is None else ", a replay" if row.is_replay else ", a fork"
        return f"{row.agent}{came}"


class _Painter(RowPainter[ThreadSummary]):
    def __init__(self, rows: ThreadRows) -> None:
        super().__init__()
        self._rows = rows

    def paint_row(self, line: Line, row: ThreadSummary, look: Look) -> None:
        line.mark(standing(row, waits=row.waits).mark, PANEL_GUTTER)
        right = line.width - PANEL_GUTTER
        line.text(age(row.updated_at, _now()), right - _AGE, _AGE, "ink2", theme.small(), align=RIGHT)
        right -= _AGE + _NOTE
        line.text(self._rows.note(row), right, _NOTE, "ink2", theme.small())
        right -= _ID
        line.text(row.id[-6:], right, _ID, "ink2", theme.data())
        line.text(_title(row), PANEL_GUTTER + 20, right - PANEL_GUTTER - 32)


class ThreadChoice(ChooseOne[ThreadSummary]):
    """The threads but for the one that is compared: its original first, then the newest; Enter compares."""

    no_match = "No thread matches."
    nothing = "There is no other thread."

    def __init__(
        self, parent: QWidget, session: Session, thread: Thread, title: str, choose: Callable[[str], None]
    ) -> None:
        super().__init__(parent, session, f"Compare “{title}” with…", "Compare", choose)
        self._thread = thread
        search = ListSearch("Search names and what was said")
        search.setAccessibleName("Search threads")
        self.model = ThreadRows()
        self.model.original = thread.forked_from.thread_id if thread.forked_from is not None else None
        view = RowView(self.model, _Painter(self.model), name="Threads")
        view.set_always_focused()
        self.choose_in(search, view)

    async def look_for(self, text: str) -> Sequence[ThreadSummary]:
        page = await self._session.ask(lambda wb: wb.threads.page(ThreadFilter(text=text), limit=_SHOWN))
        others = [row for row in page.rows if row.id != self._thread.id]
        return sorted(others, key=lambda row: row.id != self.model.original)

    def show_found(self, rows: Sequence[ThreadSummary]) -> None:
        self.model.show(rows)


def _title(row: ThreadSummary) -> str:
    return title_of(row.name or (row.relationship or ""), row.words, row.agent)


def _now() -> int:
    return time.time_ns() // 1_000

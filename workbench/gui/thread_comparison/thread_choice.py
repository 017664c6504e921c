"""Choosing the thread that another one is compared with, out of all of the project."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from workbench.base.ids import ThreadId
from workbench.domain.pages import ThreadFilter, ThreadSummary
from workbench.domain.threads import Thread
from workbench.gui.controls.button import Kind
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.paint import RIGHT, Line
from workbench.gui.style.tokens import PANEL_GUTTER
from workbench.gui.thread.thread_words import age, standing, title_of

_SHOWN = 500
_AGENT, _AGE = 140, 60


class ThreadRows(ListedRows[ThreadSummary]):
    """`original` is the one that the compared thread was forked from."""

    original: ThreadId | None = None

    def words(self, row: ThreadSummary) -> str:
        said = [
            _title(row),
            self.note(row),
            standing(row, waits=row.waits).words,
            age(row.updated_at, _now()),
        ]
        return ", ".join(filter(None, said))

    def name(self, row: ThreadSummary) -> str:
        return _title(row)

    def note(self, row: ThreadSummary) -> str:
        """What stands beside the title."""
        return "the original" if row.id == self.original else row.agent


class _Painter(RowPainter[ThreadSummary]):
    def __init__(self, rows: ThreadRows) -> None:
        super().__init__()
        self._rows = rows

    def paint_row(self, line: Line, row: ThreadSummary, look: Look) -> None:
        line.mark(standing(row, waits=row.waits).mark, PANEL_GUTTER)
        right = line.width - PANEL_GUTTER
        line.text(age(row.updated_at, _now()), right - _AGE, _AGE, "ink2", theme.small(), align=RIGHT)
        right -= _AGE + _AGENT
        line.text(self._rows.note(row), right, _AGENT, "ink2", theme.small())
        line.text(_title(row), PANEL_GUTTER + 20, right - PANEL_GUTTER - 32)


class ThreadChoice(Ask):
    """The threads but for the one that is compared: its original first, then the newest; Enter compares."""

    def __init__(
        self, parent: QWidget, session: Session, thread: Thread, title: str, choose: Callable[[str], None]
    ) -> None:
        super().__init__(parent, f"Compare “{title}” with…", width=640)
        self._session = session
        self._thread = thread
        self._choose = choose
        self.search = ListSearch("Search names and what was said")
        self.search.setAccessibleName("Search threads")
        self.model = ThreadRows()
        self.model.original = thread.forked_from.thread_id if thread.forked_from is not None else None
        self.view = RowView(self.model, _Painter(self.model), name="Threads")
        self.view.setFixedHeight(280)
        self.view.set_always_focused()
        self.body.addWidget(self.search)
        self.body.addWidget(self.view)
        (self._button,) = self.offer(("Compare", Kind.PRIMARY, self._take))
        self.search.textChanged.connect(self._read)
        self.search.left_down.connect(self.view.setFocus)
        self.search.returnPressed.connect(self._button.click)
        self.view.opened.connect(lambda _: self._button.click())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self._read()
        self.search.setFocus()

    def _read(self) -> None:
        self._session.do(self._load(), self)

    async def _load(self) -> None:
        text = self.search.text().strip()
        page = await self._session.ask(lambda wb: wb.threads.page(ThreadFilter(text=text), limit=_SHOWN))
        if text != self.search.text().strip():
            return
        rows = self._in_order(page.rows)
        self.model.show(rows)
        self.view.set_empty("No thread matches." if text else "There is no other thread.")
        self._button.setEnabled(bool(rows))
        if rows:
            self.view.go_to(0)

    def _in_order(self, rows: Sequence[ThreadSummary]) -> Sequence[ThreadSummary]:
        others = [row for row in rows if row.id != self._thread.id]
        return sorted(others, key=lambda row: row.id != self.model.original)

    def _take(self) -> None:
        row = self.view.current()
        if row is not None:
            self._choose(row.id)


def _title(row: ThreadSummary) -> str:
    return title_of(row.name or (row.relationship or ""), row.words, row.agent)


def _now() -> int:
    return time.time_ns() // 1_000

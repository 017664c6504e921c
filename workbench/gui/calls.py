"""A list of past calls, of one tool or of all, with search; where history is found again."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.base.ids import CallId
from workbench.domain.calls import CallState
from workbench.domain.changes import Changes
from workbench.domain.pages import CallFilter, CallPage, CallSummary
from workbench.gui import amounts, theme
from workbench.gui.calls_model import CallsModel, why_of
from workbench.gui.controls import Ground, Hairline, Words, fill, line_of
from workbench.gui.fields import SearchField
from workbench.gui.live_rows import mark_of
from workbench.gui.paint import RIGHT, Line
from workbench.gui.rows import Column, Heads, Look, RowPainter, RowView
from workbench.gui.segments import Segments
from workbench.gui.session import Session
from workbench.gui.tokens import DOCUMENT_GUTTER

PAGE = 200
_TYPING_MS = 150
_STATE, _TOOL, _ARGUMENTS, _STARTED, _DURATION = 172, 144, 164, 88, 76
"""Widths of the columns; the result takes the rest."""
_STATES: tuple[tuple[str, tuple[CallState, ...]], ...] = (
    ("All", ()),
    ("Succeeded", (CallState.SUCCEEDED,)),
    ("Failed", (CallState.FAILED,)),
    ("Stopped", (CallState.STOPPED,)),
)


class _Painter(RowPainter[CallSummary]):
    """Columns: state, tool (in the list of all), arguments, result; time and duration at the right."""

    def __init__(self, *, with_tool: bool) -> None:
        super().__init__()
        self.with_tool = with_tool

    def paint_row(self, line: Line, row: CallSummary, look: Look) -> None:
        mark = mark_of(row.state)
        line.mark(mark, DOCUMENT_GUTTER)
        x = DOCUMENT_GUTTER + 20
        x += line.text(mark.word, x, _STATE - 32, mark.role) + 6
        line.text(why_of(row), x, DOCUMENT_GUTTER + _STATE - 12 - x, "ink2", theme.small())
        if self.with_tool:
            line.text(row.tool, DOCUMENT_GUTTER + _STATE, _TOOL - 12, font=theme.data())
        x = self._first()
        right = line.width - DOCUMENT_GUTTER
        line.text(row.snippet or row.arguments_preview, x, _ARGUMENTS - 12, "ink2", theme.data())
        x += _ARGUMENTS
        room = right - _DURATION - _STARTED - 12 - x
        line.text(row.result_preview, x, room, "err" if row.is_error else "ink")
        line.text(amounts.moment(row.created_at), right - _DURATION - _STARTED, _STARTED, "ink2", align=RIGHT)
        if row.duration_ms is not None:
            line.text(amounts.duration(row.duration_ms), right - _DURATION, _DURATION, align=RIGHT)

    def _first(self) -> int:
        """Where the arguments begin."""
        return DOCUMENT_GUTTER + _STATE + (_TOOL if self.with_tool else 0)

    def heads(self) -> Heads:
        tool = [Column("Tool", DOCUMENT_GUTTER + _STATE)] if self.with_tool else []
        return Heads(
            [
                Column("State", DOCUMENT_GUTTER),
                *tool,
                Column("Arguments", self._first()),
                Column("Result", self._first() + _ARGUMENTS),
                Column("Started", -DOCUMENT_GUTTER - _DURATION, right=True),
                Column("Took", -DOCUMENT_GUTTER, right=True),
            ]
        )


class CallsView(QWidget):
    """The list with its search and its filter by state. `tool` narrows it to one tool's calls."""

    opened = Signal(str)
    """The id of a call to show whole."""
    chosen = Signal(str)
    """The id of the current call, "" for none."""
    counted = Signal(int)

    def __init__(self, session: Session, tool: str | None = None) -> None:
        super().__init__()
        self._session = session
        self._tool = tool
        self._loading: asyncio.Task[object] | None = None
        self._pending: frozenset[CallId] = frozenset()
        self.model = CallsModel()
        painter = _Painter(with_tool=tool is None)
        self.view = RowView(self.model, painter, name="Past calls")
        self.search = SearchField("Search arguments, results and logs")
        self.search.setAccessibleName("Search calls")
        self.setFocusProxy(self.view)
        self.search.setFixedWidth(320)
        self._states = Segments([name for name, _ in _STATES], 0, name="State")
        self._total = Words("", "ink2", theme.small())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(
            line_of(self.search, self._states, None, self._total, margins=(24, 0, 24, 0), gap=12, height=40)
        )
        layout.addWidget(Hairline())
        layout.addWidget(painter.heads())
        layout.addWidget(self.view, 1)
        fill(self, Ground.BASE)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self.reload)
        self.search.textChanged.connect(self._typing.start)
        self._states.chosen.connect(self.reload)
        self.view.verticalScrollBar().valueChanged.connect(self._want_more)
        self.view.opened.connect(self._opened)
        self.view.moved.connect(self._moved)
        session.changed.connect(self._changed)
        session.missed.connect(self.reload)

    def reload(self) -> None:
        """Show the list from its start; a search under way gives way to this one."""
        if self._loading is not None:
            self._loading.cancel()
        self._loading = self._session.do(self._load(), self)

    def show_all(self) -> None:
        """Let go of what the list was narrowed to."""
        self._states.set_current(0)
        self.search.clear()
        self.reload()

    def filter(self) -> CallFilter:
        states = _STATES[max(self._states.current, 0)][1]
        return CallFilter(tool=self._tool, states=states, text=self.search.text().strip())

    async def _load(self) -> None:
        wanted = self.filter()
        page = await self._session.ask(lambda wb: wb.calls(wanted, limit=PAGE))
        self.model.begin(page)
        empty = (
            "No call matches."
            if wanted.text or wanted.states
            else "No calls yet. Fill in the form and run it."
        )
        self.view.set_empty(empty)
        await self._count(wanted)
        await self._catch_up()

    async def _count(self, wanted: CallFilter) -> None:
        total = await self._session.ask(lambda wb: wb.count_calls(wanted))
        self._total.set_words(amounts.count(total, "call"))
        if not wanted.text and not wanted.states:
            self.counted.emit(total)

    def _changed(self, changes: Changes) -> None:
        if changes.history:
            self.reload()
            return
        self._pending |= changes.calls
        if self._pending and (self._loading is None or self._loading.done()):
            self._loading = self._session.do(self._catch_up(), self)

    async def _catch_up(self) -> None:
        """Follow what changed until nothing is left that changed meanwhile."""
        while self._pending:
            changed = self._pending
            self._pending = frozenset()
            await self._freshen(changed)

    async def _freshen(self, changed: frozenset[CallId]) -> None:
        wanted = self.filter()
        page: CallPage = await self._session.ask(lambda wb: wb.calls(wanted, limit=PAGE))
        shown = {row.id for row in page.rows}
        for at in reversed(range(self.model.count())):
            call_id = self.model.row(at).id
            if call_id in changed and call_id not in shown and at < PAGE:
                self.model.remove(at)
        self.model.freshen(page)
        await self._count(wanted)

    def _want_more(self, value: int) -> None:
        bar = self.view.verticalScrollBar()
        near_the_end = value > bar.maximum() - self.view.height()
        if near_the_end and self.model.next_key and (self._loading is None or self._loading.done()):
            self._loading = self._session.do(self._load_more(self.model.next_key), self)

    async def _load_more(self, key: str) -> None:
        wanted = self.filter()
        self.model.extend(await self._session.ask(lambda wb: wb.calls(wanted, limit=PAGE, key=key)))

    def _opened(self, row: CallSummary) -> None:
        self.opened.emit(row.id)

    def _moved(self, row: CallSummary | None) -> None:
        self.chosen.emit(row.id if row else "")

"""A list of past calls, of one tool or of all, with search; where history is found again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.app.calls.narrowing import Narrowing
from workbench.base.errors import WorkbenchError
from workbench.base.ids import CallId
from workbench.domain.changes import Changes
from workbench.domain.pages import CallFilter, CallPage, CallSummary
from workbench.gui.calls import call_verbs
from workbench.gui.calls.call_verbs import Chosen
from workbench.gui.calls.calls_filters import CallsFilters
from workbench.gui.calls.calls_list import CallHeads, CallPainter, CallRows
from workbench.gui.calls.calls_model import CallsModel
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import ListSearch
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER

PAGE = 200
_TYPING_MS = 15
"""A search under way gives way to the next letter, so that the pause need not be long."""
_AGAIN_MS = 2_000
_SEARCH = 280


class CallsView(QWidget):
    """The list with its search and its filters. `tool` narrows it to one tool's calls."""

    asked = Signal(str, list)
    """A verb (`call_verbs`) and the ids of the calls that it is for, the newest first."""
    chosen = Signal(str)
    """The id of the current call, "" for none."""
    counted = Signal(int)
    retention_asked = Signal()

    def __init__(self, session: Session, tool: str | None = None) -> None:
        super().__init__()
        self._session = session
        self._tool = tool
        self._loading: asyncio.Task[object] | None = None
        self._pending: frozenset[CallId] = frozenset()
        self._narrowed_to: Narrowing | None = None
        """What the list that shows was narrowed to."""
        self.model = CallsModel()
        self._painter = CallPainter(with_tool=tool is None)
        self.view = CallRows(self.model, self._painter)
        self._heads = CallHeads(self._painter, self.view)
        self.search = ListSearch("Search arguments, results and logs")
        self.search.setAccessibleName("Search calls")
        self.search.setMaximumWidth(_SEARCH)
        self.filters = CallsFilters(with_tool=tool is None)
        self._total = Words("", "ink2", theme.small())
        self._total.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._compare = Button("Compare the two", Kind.QUIET)
        self.kept = Button("History kept…", Kind.QUIET, font=theme.small())
        self.trouble = Words("", "err", theme.small())
        self._lay_out()
        self._typing = _timer(self, _TYPING_MS, self.reload)
        self._again = _timer(self, _AGAIN_MS, self.reload)
        self._connect()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        gutters = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        first = line_of(
            self.search, self._compare, self._total, self.kept, margins=gutters, gap=12, height=40
        )
        row = first.layout()
        if isinstance(row, QHBoxLayout):
            row.insertStretch(1, 1)
            row.setStretch(0, 100)  # the search has what there is, as far as it may grow
        self._trouble_line = line_of(self.trouble, None, margins=gutters)
        for piece in (first, self.filters, Hairline(), self._trouble_line, self._heads):
            layout.addWidget(piece)
        layout.addWidget(self.view, 1)
        for hidden in (self._trouble_line, self._compare):
            hidden.hide()
        self.kept.setVisible(self._tool is None)
        self.setFocusProxy(self.view)
        fill(self, Ground.BASE)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._typing.start)
        self.search.left_down.connect(self.enter_list)
        self.search.returnPressed.connect(self.enter_list)
        self.filters.changed.connect(self.reload)
        self._compare.clicked.connect(lambda: self.ask("compare"))
        self.kept.clicked.connect(self.retention_asked)
        self.view.verticalScrollBar().valueChanged.connect(self._want_more)
        self.view.opened.connect(lambda _: self.ask("open"))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self.view.moved.connect(self._moved)
        self.view.menu_asked.connect(self._open_menu)
        self.view.delete_asked.connect(lambda: self.ask("delete"))
        self.view.chosen_changed.connect(self._choice_changed)
        self.view.left_up.connect(self.search.setFocus)
        self._session.changed.connect(self._changed)
        self._session.missed.connect(self.reload)
        self._session.refreshed.connect(self._refreshed)
        self._refreshed()

    # --- what is asked of it

    def reload(self) -> None:
        """Show the list from its start; a search under way gives way to this one."""
        self._typing.stop()
        if self._loading is not None:
            self._loading.cancel()
        self._loading = self._session.do(self._load(), self)

    def show_all(self) -> None:
        """Let go of what the list was narrowed to."""
        self.search.blockSignals(True)
        self.search.clear()
        self.search.blockSignals(False)
        self.filters.let_go()
        self.reload()

    def narrowing(self) -> Narrowing:
        return self.filters.narrowing(self.search.text())

    def filter(self) -> CallFilter:
        """What is asked of the history now."""
        return self.narrowing().filter(datetime.now().astimezone(), tool=self._tool)

    def enter_list(self) -> None:
        """Go from the search into what was found."""
        self.view.setFocus()
        if self.model.count() and not self.view.chosen():
            self.view.go_to(0)

    def ask(self, verb: str) -> None:
        """Ask for a verb about the chosen calls, if it is one for so many."""
        chosen = self.chosen_calls()
        if verb in call_verbs.fitting(chosen):
            self.asked.emit(verb, [one.id for one in chosen])

    def chosen_calls(self) -> Sequence[Chosen]:
        return [Chosen(row.id, row.state, row.tool) for row in self.view.chosen()]

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways = dict(call_verbs.offers(self.chosen_calls(), self.ask))
        ways["find"] = self.search.setFocus
        if self._tool is None:
            ways["retention"] = self.retention_asked.emit
        return ways

    # --- reading

    async def _load(self) -> None:
        wanted = self.filter()
        if not await self._reading(partial(self._show_from_start, wanted)):
            return
        await self._catch_up()

    async def _show_from_start(self, wanted: CallFilter) -> None:
        page = await self._session.ask(lambda wb: wb.calls(wanted, limit=PAGE))
        self._painter.found = bool(wanted.text)
        self._heads.update()
        self._begin(page)
        narrowed = not self.narrowing().is_empty
        self.view.set_empty("No call matches." if narrowed else "No calls yet. Fill in the form and run it.")
        await self._count(wanted)

    def _begin(self, page: CallPage) -> None:
        """Show another list; the call that was the current one still is, if it is in it."""
        current = self.view.current()
        self.model.begin(page)
        places = self.model.places({current.id} if current is not None else ())
        if places:
            self.view.go_to(places[0])
        elif page.rows and self.view.hasFocus():
            self.view.go_to(0)
        elif current is not None or self._narrowed_to not in (None, self.narrowing()):
            self._moved(None)  # what is inspected is not of this list
        self._narrowed_to = self.narrowing()

    async def _reading(self, work: Callable[[], Coroutine[object, object, None]]) -> bool:
        """Read from the history; when it cannot be read, say so, keep what is shown, and try again by and by."""
        try:
            await work()
        except WorkbenchError as error:
            self.trouble.set_words(f"The calls cannot be read: {error.message} Trying again…")
            self.trouble.set_mark(Mark.FAILED)
            self._trouble_line.show()
            self._again.start()
            return False
        self._again.stop()
        self._trouble_line.hide()
        return True

    async def _count(self, wanted: CallFilter) -> None:
        total = await self._session.ask(lambda wb: wb.count_calls(wanted))
        self._total.set_words(amounts.count(total, "call"))
        if self.narrowing().is_empty:
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
            if not await self._reading(partial(self._freshen, changed)):
                return

    async def _freshen(self, changed: frozenset[CallId]) -> None:
        wanted = self.filter()
        page: CallPage = await self._session.ask(lambda wb: wb.calls(wanted, limit=PAGE))
        shown = {row.id for row in page.rows}
        for at in reversed(self.model.places(changed)):
            if self.model.row(at).id not in shown and at < PAGE:
                self.model.remove(at)
        self.model.freshen(page)
        await self._count(wanted)

    def _want_more(self, value: int) -> None:
        bar = self.view.verticalScrollBar()
        near_the_end = value > bar.maximum() - 2 * self.view.height()
        if near_the_end and self.model.next_key and (self._loading is None or self._loading.done()):
            self._loading = self._session.do(
                self._reading(partial(self._load_more, self.model.next_key)), self
            )

    async def _load_more(self, key: str) -> None:
        wanted = self.filter()
        self.model.extend(await self._session.ask(lambda wb: wb.calls(wanted, limit=PAGE, key=key)))

    # --- what is chosen

    def _refreshed(self) -> None:
        self.filters.offer_tools([one.name for one in self._session.listings if one.tool is not None])
        if self._tool is None:
            self._session.do(self._show_bound(), self)

    async def _show_bound(self) -> None:
        bound = await self._session.ask(lambda wb: wb.history.bound)
        self.kept.set_words(f"Keeps {bound.text if bound.text != 'off' else 'everything'}…")

    def _moved(self, row: CallSummary | None) -> None:
        self.chosen.emit(row.id if row else "")

    def _choice_changed(self) -> None:
        count = len(self.view.chosen())
        self._compare.setVisible(count == 2)

    def _open_menu(self, place: QPoint) -> None:
        fitting = call_verbs.fitting(self.chosen_calls())
        if fitting:
            call_verbs.open_menu(self, place, fitting, self.ask)


def _timer(owner: QWidget, milliseconds: int, do: Callable[[], None]) -> QTimer:
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(do)
    return timer

"""The document `A ↔ B`: two threads side by side, aligned by what they say, compared anew while they go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from workbench.app.results.comparison import Part
from workbench.app.threads.compared_threads import ComparedThreads, compare_threads
from workbench.app.threads.comparison_rows import ComparisonRows, Fold, Key, Row, key_of, parts_of
from workbench.app.threads.thread_comparison import Match, Pair
from workbench.base.errors import NotThere
from workbench.base.ids import CallId, ThreadId
from workbench.base.sentences import shortened
from workbench.domain.changes import Changes
from workbench.domain.events import (
    CallFinished,
    CallStateChanged,
    Event,
    MessageAdded,
    MessageChanged,
    MessageRemoved,
    StepEnded,
    ThreadMoved,
)
from workbench.gui import lane
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, icons
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.thread.thread_panel import ThreadPanel
from workbench.gui.thread_comparison.comparison_list import A, B, ComparisonList, ComparisonRowsView
from workbench.gui.thread_comparison.side_head import SideHead, title_of_side

_Telling = (
    MessageAdded | MessageChanged | MessageRemoved | CallStateChanged | CallFinished | StepEnded | ThreadMoved
)
"""What makes a comparison another one; what a model is writing does not until it is there."""
_SOON_MS = 300
"""After something happened in one of the two; what happens until then is compared with it."""
_RESIZED_MS = 60
_PATIENCE = 4
"""How many times as long as a comparison took is waited until the next one."""
_TELL_SECONDS = 0.2
_TITLE = 12
"""Characters of each thread's title in the tab."""
_Parts = dict[Key, tuple[Pair, Sequence[Part]]]


class ThreadComparisonView(QWidget):
    """Reads both threads when it is made, and again whenever one of them goes on."""

    titled = Signal(str)
    thread_asked = Signal(str)
    """The id of one of the two, to be shown."""
    entry_asked = Signal(str, str, str)
    """The ids of a thread, of a message of it and of a call that this carries ("" for none), to be gone to."""
    call_chosen = Signal(str)
    """The id of the call that is chosen now, "" for something else."""
    left = Signal()
    """One of the two is gone."""

    def __init__(self, session: Session, a: ThreadId, b: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._ids = {A: a, B: b}
        self._reading = self._read_again = False
        self._is_stale = False
        self._shown: ComparedThreads | None = None
        self._job: lane.Job | None = None
        self.rows = ComparisonRows()
        self.model = ComparisonList()
        self.view = ComparisonRowsView(self.model)
        self.said = Words("Comparing…", "ink2")
        self.heads = {side: SideHead(side.upper()) for side in (A, B)}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._columns = 0
        self._resized = QTimer(self)
        self._resized.setSingleShot(True)
        self._resized.setInterval(_RESIZED_MS)
        self._lay_out()
        self._connect()
        self.look()

    def _lay_out(self) -> None:
        self._back = Button("", Kind.QUIET, icon="arrow-up", tip="Difference before (Shift+F7)")
        self._on = Button("", Kind.QUIET, icon="arrow-down", tip="Next difference (F7)")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        margins = (DOCUMENT_GUTTER, 0, 18, 0)
        layout.addWidget(
            line_of(self.said, None, self._back, self._on, margins=margins, gap=6, height=HEADER)
        )
        layout.addWidget(Hairline())
        heads = QHBoxLayout()
        heads.setSpacing(0)
        heads.addWidget(self.heads[A], 1)
        heads.addWidget(Hairline(vertical=True))
        heads.addWidget(self.heads[B], 1)
        layout.addLayout(heads)
        layout.addWidget(Hairline())
        layout.addWidget(self.view, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.view)

    def _connect(self) -> None:
        session, view = self._session, self.view
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._look_soon)
        self._soon.timeout.connect(self.look)
        self._back.clicked.connect(lambda: self.step(-1))
        self._on.clicked.connect(lambda: self.step(1))
        view.turned.connect(lambda row, is_open: self._turn(row, is_open=is_open))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        view.toggled.connect(self._turn)
        view.shown_in.connect(self.show_entry)
        view.menu_asked.connect(self._open_menu)
        view.moved.connect(self._moved)
        view.columns_changed.connect(self._take_columns)
        self._resized.timeout.connect(self._wrap)
        for side, head in self.heads.items():
            head.open.clicked.connect(partial(self.thread_asked.emit, self._ids[side]))

    # --- what it shows

    def look(self) -> None:
        """Compare the two as they are now; once more at the end for all that happens meanwhile."""
        self._read_again = True
        if not self._reading:
            self._reading = True
            self._session.do(self._look(), self)

    async def _look(self) -> None:
        a, b = self._ids[A], self._ids[B]
        try:
            while self._read_again:
                self._read_again = False
                began = time.monotonic()
                self._show(await self._session.ask(lambda wb: compare_threads(wb, a, b)))
                took = round((time.monotonic() - began) * 1_000)
                self._soon.setInterval(max(_SOON_MS, _PATIENCE * took))
        except NotThere:
            self.left.emit()
        finally:
            self._reading = False

    def _show(self, compared: ComparedThreads) -> None:
        first = self._shown is None
        self._shown = compared
        self.said.set_words(_verdict(compared))
        a, b = compared.a, compared.b
        self.heads[A].show_side(a, None)
        self.heads[B].show_side(b, a)
        self.titled.emit(_tab(title_of_side(a), title_of_side(b)))
        self.rows.show(compared)
        if first:
            self.model.show(self.rows.rows)
            self.view.go_to(max(0, self.rows.next_difference(-1, 1)))
        else:
            self._show_rows()
        self._compare_parts()

    def _show_rows(self) -> None:
        """The rows as they are now, with the same one current at the same height."""
        view = self.view
        current, top = view.current(), view.rowAt(0)
        held = self.model.row(top) if top >= 0 else None
        below = view.rowViewportPosition(top) if top >= 0 else 0
        self.model.show(self.rows.rows)
        place = self.rows.place_of(held) if held is not None else -1
        if place >= 0:
            view.verticalScrollBar().setValue(place * view.row_height - below)
        at = self.rows.place_of(current) if current is not None else -1
        if at >= 0:
            scrolled = view.verticalScrollBar().value()
            view.setCurrentIndex(self.model.index(at, 0))
            view.verticalScrollBar().setValue(scrolled)

    def _compare_parts(self) -> None:
        """Beside the window: what differs in the entries that are unfolded."""
        wanted = self.rows.wanted()
        if self._job is not None:
            self._job.stop()
        if wanted:
            self._job = lane.start(self, lambda job: _parts(wanted, job, self._put_parts), self._put_parts)

    def _put_parts(self, parts: _Parts) -> None:
        self.rows.put(parts)
        self._show_rows()

    def _take_columns(self, columns: int) -> None:
        """What is shown already is broken anew when the edge that is dragged rests."""
        self._columns = columns
        self._resized.start() if self.model.count() else self._wrap()

    def _wrap(self) -> None:
        if self.rows.wrap(self._columns):
            self._show_rows()

    def _turn(self, row: Row, *, is_open: bool | None = None) -> None:
        if self.rows.turn(row, is_open=is_open):
            self._show_rows()
            self._compare_parts()
            self.view.scrollTo(self.view.currentIndex())

    # --- what happens

    def _happened(self, events: list[Event]) -> None:
        told = (event for event in events if isinstance(event, _Telling))
        if any(event.thread_id in self._ids.values() for event in told):
            self._look_soon()

    def _changed(self, changes: Changes) -> None:
        if changes.history or changes.threads.intersection(self._ids.values()):
            self._look_soon()

    def _look_soon(self) -> None:
        """One that nobody sees is compared anew when it comes to the front."""
        self._is_stale = not self.isVisible()
        if not self._is_stale and not self._soon.isActive():
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._look_soon()

    def _moved(self, row: Row | None) -> None:
        entry = row.pair.b or row.pair.a if row is not None and not isinstance(row, Fold) else None
        self.call_chosen.emit((entry.call_id or "") if entry is not None else "")

    # --- what a person does

    def step(self, step: int) -> None:
        """Go to the next entry that differs (1), or to the one before (-1)."""
        at = self.rows.next_difference(self.view.currentIndex().row(), step)
        if at >= 0:
            self.view.go_to(at)

    def show_entry(self, row: Row, side: str) -> None:
        """An entry in its own thread: the one at the side, or the only one that there is."""
        if isinstance(row, Fold):
            return
        entries = {A: row.pair.a, B: row.pair.b}
        shown = side if entries[side] is not None else B if side == A else A
        entry = entries[shown]
        if entry is not None:
            self.entry_asked.emit(self._ids[shown], entry.message_id, entry.call_id or "")

    def _open_menu(self, row: Row, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if isinstance(row, Fold):
            menu.addAction("Hide" if row.is_open else "Show", lambda: self._turn(row))
        else:
            for side, entry, keys in ((B, row.pair.b, "Enter"), (A, row.pair.a, "Shift+Enter")):
                if entry is not None:
                    keys = keys if row.pair.a is not None else "Enter"
                    words = f"Show in {side.upper()}\t{keys}"
                    menu.addAction(icons.icon("open"), words, partial(self.show_entry, row, side))
        menu.popup(place)
        menu.setActiveAction(menu.actions()[0])

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return {"next-difference": partial(self.step, 1), "previous-difference": partial(self.step, -1)}

    def inspected(self) -> CallId | QWidget:
        """The call of the current row, else the thread at the right."""
        row = self.view.current()
        entry = row.pair.b or row.pair.a if row is not None and not isinstance(row, Fold) else None
        if entry is not None and entry.call_id is not None:
            return entry.call_id
        title = title_of_side(self._shown.b) if self._shown is not None else ""
        return ThreadPanel(self._session, self._ids[B], title)


def _tab(a: str, b: str) -> str:
    """A fork has the title of its original."""
    if a == b:
        return f"Compare {shortened(a, 2 * _TITLE)}"
    return f"{shortened(a, _TITLE)} ↔ {shortened(b, _TITLE)}"


def _verdict(compared: ComparedThreads) -> str:
    comparison = compared.comparison
    if comparison.same:
        return f"They say the same: {amounts.count(len(comparison.pairs), 'entry', 'entries')}"
    kinds = (
        (Match.CHANGED, "changed"),
        (Match.ONLY_A, "only in A"),
        (Match.ONLY_B, "only in B"),
        (Match.EQUAL, "equal"),
        (Match.NOT_RUN, "not run in the other"),
    )
    counts = [(comparison.count(match), words) for match, words in kinds]
    return ", ".join(f"{count:,} {words}" for count, words in counts if count)


def _parts(wanted: Sequence[Pair], job: lane.Job, tell: Callable[[_Parts], None]) -> _Parts:
    """What the pairs show. What takes long is told piece by piece, and is not gone on with when nobody waits for it."""
    found: _Parts = {}
    told = time.monotonic()
    for pair in wanted:
        if job.stopped:
            break
        found[key_of(pair)] = (pair, parts_of(pair))
        if time.monotonic() - told > _TELL_SECONDS:
            job.tell(partial(tell, found))
            found, told = {}, time.monotonic()
    return found

"""The open project in the window: navigator, documents, inspector and live panel, and what passes between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from workbench.app.calls.badges import badges_of
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import Event
from workbench.gui.commands.offering import Runnable
from workbench.gui.handover.file_drop import FileDrop
from workbench.gui.inspector.inspector import Inspector
from workbench.gui.live.gone_calls import GoneCalls
from workbench.gui.live.live_panel import LivePanel
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.live.thread_names import ThreadNames
from workbench.gui.navigator.navigator import Navigator
from workbench.gui.process.loading_ahead import LoadingAhead
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.style.tokens import INSPECTOR_WIDTH, NAVIGATOR_WIDTH, ROW, SECTION
from workbench.gui.thread.thread_feed import ThreadFeed
from workbench.gui.thread.thread_words import title_of
from workbench.gui.tool.tool_document import ToolDocument
from workbench.gui.window.call_actions import CallActions
from workbench.gui.window.chosen_calls import ChosenCalls
from workbench.gui.window.docks import Area, Docks, Panel
from workbench.gui.window.documents import Documents
from workbench.gui.window.entry_menu import EntryMenu
from workbench.gui.window.inspector_feed import InspectorFeed
from workbench.gui.window.navigator_feed import NavigatorFeed
from workbench.gui.window.opener import Opener
from workbench.gui.window.reopening import Reopening
from workbench.gui.window.thread_shelf import THREAD

LIVE_HEIGHT, LIVE_LEAST = 176, SECTION + 4 * ROW
"""Of the live panel: at first, and at least, which is its head and four rows."""
_KEEP_MS = 500
_CAUGHT_UP = 200
"""Calls that are looked for in the history when some were not told of."""


class Workspace(QMainWindow):
    """Everything under the toolbar: the documents in the middle, the panels docked around them."""

    state_changed = Signal()
    """What can be run or stopped may be another."""

    def __init__(self, session: Session, settings: WindowSettings) -> None:
        super().__init__(None, Qt.WindowType.Widget)
        self._session = session
        self._settings = settings
        self._since = time.time_ns() // 1_000
        self.navigator = Navigator()
        self.documents = Documents()
        self.inspector = Inspector(session)
        self.live = LivePanel()
        self.opener = Opener(session, self.documents, settings)
        self.calls = CallActions(session, self.live, self.opener.open_tool, self)
        self.chosen = ChosenCalls(self.live, self.inspector, self.documents)
        self.threads = ThreadFeed(session, self)
        self.entries = EntryMenu(session, self.opener, self.navigator, self)
        self.gone = GoneCalls(session, self.live.model, self)
        ThreadNames(session, self.live.model, self)
        self._listed = NavigatorFeed(
            session, self.navigator, self.documents, self.opener, threads=self.threads, settings=settings
        )
        self._feed = InspectorFeed(self.documents, self.inspector)
        self._reopening = Reopening(session, self.documents, self.opener, settings)
        self._places_changed = QTimer(self)
        self._places_changed.setSingleShot(True)
        self._places_changed.setInterval(_KEEP_MS)
        self._places_changed.timeout.connect(self._keep_places)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.navigator.setMinimumWidth(180)
        self.documents.setMinimumWidth(420)
        self.inspector.setMinimumWidth(260)
        self.live.setMinimumHeight(LIVE_LEAST)
        self.setCentralWidget(self.documents)
        self.docks = Docks(
            self,
            [
                Panel("navigator", "Navigator", self.navigator, Area.LeftDockWidgetArea, NAVIGATOR_WIDTH),
                Panel("inspector", "Inspector", self.inspector, Area.RightDockWidgetArea, INSPECTOR_WIDTH),
                Panel("live", "Live calls", self.live, Area.BottomDockWidgetArea, LIVE_HEIGHT),
            ],
        )

    def _connect(self) -> None:
        session, opener, feed = self._session, self.opener, self._feed
        session.refreshed.connect(self._refreshed)
        session.happened.connect(self._happened)
        session.missed.connect(self._catch_up)
        self.navigator.new_asked.connect(self.new_tool)
        self._listed.thread_asked.connect(self.start_thread)
        self.navigator.menu_asked.connect(self.entries.open)
        later = Qt.ConnectionType.QueuedConnection  # not while the list is shown anew
        self.navigator.chosen_changed.connect(self.state_changed, later)
        self.threads.changed.connect(self._show_threads)
        opener.pads.changed.connect(self._refreshed)
        opener.pads.state_changed.connect(self.state_changed)
        self.documents.fronted.connect(self._fronted)
        self.documents.empty_link.clicked.connect(self.new_tool)
        self.calls.call_asked.connect(self._show_call)
        self.calls.variable_asked.connect(opener.ask_variable)
        self.calls.thread_asked.connect(opener.threads.show)
        self.live.chosen.connect(self._live_chosen)
        self.inspector.left.connect(feed.show_front)
        self.inspector.asked_about_calls.connect(self.calls.do)
        self.inspector.source_asked.connect(opener.show_source)
        self.inspector.set_asked.connect(opener.set_variable)
        opener.sent_changed.connect(self._sent_changed)
        opener.worked_in.connect(feed.work_in)
        opener.field_entered.connect(self.inspector.sent.show_field)
        opener.call_chosen.connect(feed.call_chosen)
        opener.asked_about_calls.connect(self.calls.do)
        self.calls.comparison_asked.connect(opener.show_comparison)
        self.calls.deleted.connect(self._call_deleted)
        self.calls.export_asked.connect(opener.handing.export_calls)
        FileDrop(self).dropped.connect(opener.handing.ask_to_import)

    async def begin(self) -> None:
        """Show the project for the first time, with the documents that were open in it."""
        await self._listed.begin()
        self._refreshed()
        self.threads.look()
        self.opener.pads.look()
        self._reopening.begin()
        await self._session.ask(lambda wb: wb.settled())
        self._listed.opened()
        self.documents.show_opened()
        self._refreshed()
        LoadingAhead(self)

    def keep(self) -> None:
        """Remember places and open documents, and keep what is typed."""
        self._keep_places()
        self._reopening.keep()
        self.documents.keep_now()

    def _keep_places(self) -> None:
        self._settings.keep_layout("docks", self.docks.state())

    def showEvent(self, event: QShowEvent) -> None:
        """Places are taken once the window has its size: before that there is nothing to share out."""
        super().showEvent(event)
        if not self._placed:
            self._placed = True
            if not self.docks.restore(self._settings.layout("docks")):
                self.docks.set_sizes()
            self.docks.follow(self._places_changed.start)

    _placed = False

    def sizeHint(self) -> QSize:
        return QSize(NAVIGATOR_WIDTH + 420 + INSPECTOR_WIDTH, 600)

    # --- what is asked of it

    @property
    def tool(self) -> ToolDocument | None:
        """The tool in front."""
        front = self.documents.front
        return front if isinstance(front, ToolDocument) else None

    @property
    def runnable(self) -> Runnable | None:
        """The document in front that runs what is typed into it."""
        front = self.documents.front
        return front if isinstance(front, Runnable) else None

    def at_work(self) -> tuple[int, int]:
        """How much would be stopped on closing: what runs, threads between calls and code included, and what waits."""
        running, waiting = self.live.model.tally()
        running += self.opener.pads.running()
        return running + len(self.threads.running - self.live.model.busy()), waiting

    def new_tool(self) -> None:
        self.opener.new_tool(self)

    def start_thread(self) -> None:
        """Ask for what a new thread needs, of the agent in front if there is one."""
        tool = self.tool
        is_agent = tool is not None and tool.listing.file.kind is DefinitionKind.AGENT
        self.opener.threads.start(self, tool.name if tool is not None and is_agent else "")

    def focus_next_panel(self) -> None:
        """Go on from the panel that has the keyboard to the one after it, as they follow each other on screen."""
        stops: list[tuple[QWidget, QWidget]] = [
            (self.navigator, self.navigator.view),
            (self.documents, self.documents.front or self.documents),
            (self.inspector, self.inspector),
            (self.live, self.live.view),
        ]
        shown = [stop for stop in stops if stop[0].isVisible()]
        focus = QApplication.focusWidget()
        here = next((at for at, (panel, _) in enumerate(shown) if focus and panel.isAncestorOf(focus)), -1)
        self._enter(*shown[(here + 1) % len(shown)])

    def _enter(self, panel: QWidget, first: QWidget) -> None:
        panel.activateWindow()
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not panel.isAncestorOf(QApplication.focusWidget() or self):
            inside = [each for each in panel.findChildren(QWidget) if _takes_keys(each)]
            if inside:
                inside[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What can be done now, by the ids of commands: by the document in front, and about the chosen calls."""
        ways = self.chosen.offers(self.calls.do)
        chosen = self.navigator.chosen_threads()
        ways = {**ways, "import-history": self.opener.handing.ask_import}
        if len(chosen) > 1 or (chosen and "export-thread" not in ways):
            export = partial(self.entries.export, self.navigator.chosen_entries())
            ways = {**ways, "export-thread": export}
        if len(chosen) == 2:
            ways = {**ways, "compare-threads": partial(self.opener.comparisons.show_and_enter, *chosen)}
        return ways

    # --- what happens

    def _refreshed(self) -> None:
        self._listed.refresh()
        self.live.show_badges(badges_of(self._session.listings))
        self._reopening.refreshed()

    def show_questions(self, waiting: Sequence[ThreadId]) -> None:
        """Show which threads wait for the person who is their model, the longest first."""
        self.live.show_questions(waiting)
        self._listed.show_asking(waiting)

    def _show_threads(self) -> None:
        self._listed.show_threads()
        for line in self.threads.tree.lines():
            title = title_of(line.thread.name, line.thread.words, line.thread.agent)
            self.live.model.name_thread(line.thread.id, title)

    def _happened(self, events: list[Event]) -> None:
        self.live.apply(events)
        self.state_changed.emit()

    def _catch_up(self) -> None:
        """Some events were not told: take from the history what seems to run, and what was never seen."""
        self._session.do(self._reread())

    async def _reread(self) -> None:
        open_calls = [row.call_id for row in self.live.model.calls() if not row.state.is_final]
        page = await self._session.ask(lambda wb: wb.calls(limit=_CAUGHT_UP))
        unseen = [row.id for row in reversed(page.rows) if row.created_at >= self._since]
        for call_id in [*open_calls, *(each for each in unseen if self.live.model.find(each) is None)]:
            try:
                call = await self._session.ask(lambda wb, call_id=call_id: wb.call(call_id))
            except UserError:
                continue  # it is gone from the history, too
            self.live.refresh_call(call)
        self.state_changed.emit()

    def _fronted(self, document: QWidget | None) -> None:
        self._listed.mark_front()
        key = self.documents.front_key
        self.live.head.set_front(ThreadId(key.removeprefix(THREAD)) if key.startswith(THREAD) else None)
        self._feed.show_front()
        self.state_changed.emit()

    def _sent_changed(self, document: ToolDocument) -> None:
        self._feed.sent_changed(document)
        if document is self.documents.front:
            self.state_changed.emit()

    def _live_chosen(self, row: LiveRow | None) -> None:
        self._feed.live_chosen(row)
        self.state_changed.emit()

    def _show_call(self, call_id: str) -> None:
        """Whoever asks for a call reads on in it."""
        self.opener.show_call(call_id)
        self.documents.focus_front()

    def _call_deleted(self, call_id: str) -> None:
        self.gone.look()
        self.documents.close_key(call_id)
        self._fronted(self.documents.front)


def _takes_keys(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)

"""What the navigator shows of the open project, and what opening a row of it leads to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.domain.definitions import Diagnostic
from workbench.domain.listing import Listing
from workbench.domain.pages import CallFilter
from workbench.gui.navigator.connection_entries import connection_entry
from workbench.gui.navigator.navigator import Navigator
from workbench.gui.navigator.navigator_entries import CONNECTION, MORE_THREADS, PAD, Entry, ThreadEntry
from workbench.gui.navigator.navigator_model import Holdings
from workbench.gui.session.session import Session
from workbench.gui.settings import WindowSettings
from workbench.gui.style.marks import Mark
from workbench.gui.thread.thread_feed import ThreadFeed
from workbench.gui.tool.tool_document import ToolDocument
from workbench.gui.window.documents import Documents
from workbench.gui.window.opener import CALLS, SERVER, VARIABLES, Opener
from workbench.gui.window.thread_shelf import THREAD

_RECOUNT_MS = 200
"""While calls stream in, their number is looked at so often."""


class NavigatorFeed(QObject):
    """Only it fills the navigator and marks the row of the document in front."""

    thread_asked = Signal()
    """A new thread is to be started."""

    def __init__(
        self,
        session: Session,
        navigator: Navigator,
        documents: Documents,
        opener: Opener,
        *,
        threads: ThreadFeed,
        settings: WindowSettings,
    ) -> None:
        super().__init__(navigator)
        self._session = session
        self._navigator = navigator
        self._documents = documents
        self._opener = opener
        self._threads = threads
        self._settings = settings
        self._call_count: int | None = None
        self._served_at = ""
        self._asking: Sequence[ThreadId] = ()
        self._is_opened = False
        self._recount = QTimer(self)
        self._recount.setSingleShot(True)
        self._recount.setInterval(_RECOUNT_MS)
        self._recount.timeout.connect(lambda: session.do(self._count(), navigator))
        session.changed.connect(self._changed)
        session.server_changed.connect(self._show_served)
        navigator.opened.connect(self._open)
        navigator.went_to.connect(opener.go_to)
        navigator.turned.connect(self._keep_groups)
        navigator.thread_turned.connect(threads.toggle)
        navigator.wanted.connect(self._want)
        navigator.searched.connect(threads.search)

    async def begin(self) -> None:
        """Show the project for the first time, its groups open and closed as they were."""
        info = self._session.info
        closed = self._settings.closed_groups(info.root) if info is not None else None
        if closed is not None:
            self._navigator.model.close_groups(closed)
        self.refresh()
        await self._count()

    def opened(self) -> None:
        """Everything was looked at that the project holds."""
        self._is_opened = True
        self.refresh()

    # --- what it shows

    def refresh(self) -> None:
        """Show what the project holds now."""
        lines = self._session.variables
        missing: dict[str, tuple[str, ...]] = {}
        for line in lines:
            for tool in line.required_by if line.missing else ():
                missing[tool] = (*missing.get(tool, ()), line.name)
        absent = tuple(line.name for line in lines if line.missing)
        known = len(lines) if lines or (self._is_opened and not self._session.awaits_keyring) else None
        documents = [
            Entry(CALLS, "Calls", "history", is_document=True, count=self._call_count),
            Entry(VARIABLES, "Variables", "braces", is_document=True, missing=absent, count=known),
            self._server_entry(),
        ]
        held = Holdings(
            listings=self._session.listings,
            missing=missing,
            documents=documents,
            problems=self._project_problems(),
            rules=self._session.break_rules,
            connections=[connection_entry(status) for status in self._session.connections],
            pads=self._opener.pads.entries,
        )
        self._navigator.show_holdings(held)
        self._mark_front_again()

    def _server_entry(self) -> Entry:
        url = self._session.served_at
        if not url:
            return Entry(SERVER, "Server", "server", is_document=True)
        return Entry(SERVER, "Server", "server", url, is_document=True, mark=Mark.RUNNING, state="Running")

    def _show_served(self) -> None:
        if self._session.served_at != self._served_at:
            self._served_at = self._session.served_at
            self.refresh()

    def _project_problems(self) -> list[Diagnostic]:
        """What is wrong with the project itself: its settings, its interpreter, its packages and folders."""
        files = {listing.file.path for listing in self._session.listings}
        return [each for each in self._session.diagnostics if each.path not in files]

    def show_asking(self, waiting: Sequence[ThreadId]) -> None:
        """Show which threads wait for the person who is their model."""
        self._asking = waiting
        self.show_threads()

    def show_threads(self) -> None:
        """Show the threads as they are now."""
        tree = self._threads.tree
        self._navigator.show_threads(tree.lines(), has_more=tree.next_key is not None, asking=self._asking)
        if self._documents.front_key.startswith(THREAD):
            self._mark_front_again()

    def mark_front(self) -> None:
        """Make the row of the document in front the current one."""
        key, front = self._documents.front_key, self._documents.front
        kind = front.listing.file.kind.value if isinstance(front, ToolDocument) else ""
        self._navigator.select(f"{kind}:{key}" if kind else key)

    def _mark_front_again(self) -> None:
        """After the list was shown anew, which takes nobody away from where they are in it."""
        if not self._navigator.is_walked:
            self.mark_front()

    def _changed(self, changes: Changes) -> None:
        if (changes.calls or changes.history) and not self._recount.isActive():
            self._recount.start()

    async def _count(self) -> None:
        count = await self._session.ask(lambda wb: wb.count_calls(CallFilter()))
        if count != self._call_count:
            self._call_count = count
            self.refresh()

    def _keep_groups(self) -> None:
        if self._session.info is not None:
            self._settings.keep_closed_groups(self._session.info.root, self._navigator.model.closed)

    # --- what its rows lead to

    def _want(self, what: str) -> None:
        if what == MORE_THREADS:
            self._threads.read_more()
        else:
            self.thread_asked.emit()

    def _open(self, entry: Entry | ThreadEntry, take_focus: bool) -> None:
        if isinstance(entry, ThreadEntry):
            self._opener.threads.show(entry.line.thread.id)
        elif entry.key == CALLS:
            self._opener.show_calls()
        elif entry.key == VARIABLES:
            self._opener.show_variables()
        elif entry.key == SERVER:
            self._opener.show_server()
        elif entry.key.startswith(CONNECTION):
            self._opener.show_connection(entry.name)
        elif entry.key.startswith(PAD):
            self._session.do(self._open_pad(entry.key.removeprefix(PAD), take_focus=take_focus))
            return
        else:
            listing = self._navigator.model.listing(entry.key)
            if listing is not None:
                self._session.do(self._open_listing(listing, take_focus=take_focus))
                return
        if take_focus:
            self._documents.focus_front()

    async def _open_listing(self, listing: Listing, *, take_focus: bool) -> None:
        document = await self._opener.open_tool(listing)
        if take_focus:
            document.setFocus()

    async def _open_pad(self, id: str, *, take_focus: bool) -> None:
        document = await self._opener.pads.show(id)
        if take_focus:
            document.setFocus()

"""What the navigator lists of threads, kept true: read in pages, told of what moves, searched with its filter."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.app.threads.thread_tree import ThreadTree
from workbench.base.ids import CallId, ThreadId
from workbench.domain.changes import Changes
from workbench.domain.events import CallFinished, CallStateChanged, Event, ThreadMoved
from workbench.domain.pages import ThreadFilter
from workbench.domain.threads import ThreadStatus
from workbench.gui.session.session import Session

PAGE = 100
_CHILDREN = 500
_SOON_MS = 250
"""After a change; many are answered by one look."""


class ThreadFeed(QObject):
    """`changed` when `tree` shows something else."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.tree = ThreadTree()
        self.running = set[ThreadId]()
        """The threads at work in this window, as far as it was told."""
        self._session = session
        self._waiting = set[CallId]()
        """The calls that wait for a person, of any thread, as far as it was told."""
        self._text = ""
        self._reading = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self.look)
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._soon.start)

    def look(self) -> None:
        """Read the first page again, and the children that are shown."""
        self._session.do(self._read_first(again=False), self)

    def search(self, text: str) -> None:
        """List the threads that a text is found in, "" all of them."""
        text = text.strip()
        if text != self._text:
            self._text = text
            self._session.do(self._read_first(again=True), self)

    def read_more(self) -> None:
        """Read the page behind those that are there."""
        if self.tree.next_key is not None and not self._reading:
            self._reading = True
            self._session.do(self._read_more(), self)

    def toggle(self, thread_id: ThreadId) -> None:
        """Show or hide the children of a thread."""
        if self.tree.toggle(thread_id):
            self._session.do(self._read_children(thread_id), self)
        self.changed.emit()

    @property
    def _filter(self) -> ThreadFilter:
        return ThreadFilter(text=self._text, top_level=not self._text)

    async def _read_first(self, *, again: bool) -> None:
        wanted = self._filter
        page = await self._session.ask(lambda wb: wb.threads.page(wanted, limit=PAGE))
        if wanted.text != self._text:
            return  # another search began meanwhile
        (self.tree.start_again if again else self.tree.put_first)(page)
        for thread_id in self.tree.opened:
            await self._read_children(thread_id, tell=False)
        self.changed.emit()

    async def _read_more(self) -> None:
        try:
            wanted, key = self._filter, self.tree.next_key
            page = await self._session.ask(lambda wb: wb.threads.page(wanted, limit=PAGE, key=key))
            if wanted.text == self._text and key == self.tree.next_key:
                self.tree.put_more(page)
        finally:
            self._reading = False
        self.changed.emit()

    async def _read_children(self, thread_id: ThreadId, *, tell: bool = True) -> None:
        wanted = ThreadFilter(parent_id=thread_id)
        page = await self._session.ask(lambda wb: wb.threads.page(wanted, limit=_CHILDREN))
        self.tree.put_children(thread_id, page.rows)
        if tell:
            self.changed.emit()

    def _happened(self, events: list[Event]) -> None:
        moved = [event for event in events if isinstance(event, ThreadMoved)]
        told = [one for one in events if isinstance(one, CallStateChanged | CallFinished)]
        calls = {one.thread_id: one for one in told}
        before = set(self._waiting)
        for call in told:
            (self._waiting.add if call.state.awaits_person else self._waiting.discard)(call.call_id)
        if self._waiting != before:
            self._soon.start()  # the threads above say so, too
        waits = {
            thread_id: call.state if call.state.awaits_person else None for thread_id, call in calls.items()
        }
        turned = [thread_id for thread_id, state in waits.items() if self.tree.wait(thread_id, state)]
        if any(waits[thread_id] is None for thread_id in turned):
            self._soon.start()  # another call of it may still wait
        if turned and not moved:
            self.changed.emit()
        if moved:
            for event in moved:
                self.tree.move(event)
                at_work = event.status in (ThreadStatus.RUNNING, ThreadStatus.WAITING)
                (self.running.add if at_work else self.running.discard)(event.thread_id)
            self.changed.emit()
            self._soon.start()

    def _changed(self, changes: Changes) -> None:
        if changes.threads or changes.history:
            self._soon.start()

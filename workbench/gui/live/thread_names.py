"""Threads whose calls are seen get their names in the live panel, also those that no list may show."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.base.ids import ThreadId
from workbench.domain.events import CallSeen, Event
from workbench.domain.threads import ThreadKind
from workbench.gui.live.live_model import LiveModel
from workbench.gui.session.session import Session
from workbench.gui.thread.thread_words import title_of


class ThreadNames(QObject):
    """Asks for each thread once, when a call of it is first seen."""

    def __init__(self, session: Session, model: LiveModel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._model = model
        self._asked = set[ThreadId]()
        session.happened.connect(self._happened)

    def _happened(self, events: list[Event]) -> None:
        seen = {event.thread_id for event in events if isinstance(event, CallSeen)}
        for thread_id in seen - self._asked:
            self._asked.add(thread_id)
            self._session.do(self._name(thread_id), self)

    async def _name(self, thread_id: ThreadId) -> None:
        thread = await self._session.ask(lambda wb: wb.store.thread(thread_id))
        if thread is None:
            return
        if thread.kind is ThreadKind.BENCH:
            self._model.name_thread(thread_id, "Manual calls")
        elif thread.parent_id is not None:
            self._model.name_thread(
                thread_id, title_of(thread.name or thread.relationship or "", "", thread.agent)
            )
            if thread.made_by is not None:
                self._model.made_by(thread_id, thread.made_by)

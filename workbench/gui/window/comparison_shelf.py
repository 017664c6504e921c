"""Comparisons of threads as documents, each once: asked for by two threads, by one and its original, or by a choice."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.app import Workbench
from workbench.app.threads.compared_threads import with_original
from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread
from workbench.gui.session.session import Session
from workbench.gui.thread.thread_words import title_of
from workbench.gui.window.documents import Documents

COMPARED = "compared:"
"""Keys of comparisons of threads begin with this; the two ids stand behind it."""


class ComparisonShelf(QObject):
    """The older thread is at the left."""

    thread_asked = Signal(str)
    """The id of one of the two, to be shown."""
    entry_asked = Signal(str, str, str)
    """The ids of a thread, of a message of it and of a call that this carries ("" for none), to be gone to."""
    call_chosen = Signal(object, str)
    """In this document, the call of this id is the current one."""

    def __init__(self, session: Session, documents: Documents) -> None:
        super().__init__(documents)
        self._session = session
        self._documents = documents

    def show(self, one: str, other: str) -> None:
        """Two threads side by side."""
        from workbench.gui.thread_comparison.comparison_document import ThreadComparisonView

        a, b = sorted((one, other))  # ids tell when they were made
        key = f"{COMPARED}{a} {b}"

        def make() -> QWidget:
            view = ThreadComparisonView(self._session, ThreadId(a), ThreadId(b))
            view.titled.connect(partial(self._documents.rename, view))
            view.thread_asked.connect(self.thread_asked)
            view.entry_asked.connect(self.entry_asked)
            view.call_chosen.connect(partial(self.call_chosen.emit, view))
            view.left.connect(partial(self._documents.close_key, key))
            return view

        self._documents.open(key, "Comparison", "thread", make)

    def show_with_original(self, thread_id: str) -> None:
        """A thread beside the one that it was forked from."""
        self._session.do(self._show_with_original(ThreadId(thread_id)), self)

    async def _show_with_original(self, thread_id: ThreadId) -> None:
        self.show_and_enter(*await self._session.ask(lambda wb: with_original(wb, thread_id)))

    def ask(self, thread_id: str) -> None:
        """Ask for the thread to compare one with."""
        self._session.do(self._ask(ThreadId(thread_id)), self)

    async def _ask(self, thread_id: ThreadId) -> None:
        from workbench.gui.thread_comparison.thread_choice import ThreadChoice

        async def look(wb: Workbench) -> tuple[Thread, str]:
            page = await wb.threads.messages(thread_id, limit=1)
            return await wb.threads.thread(thread_id), page.messages[0].content or "" if page.messages else ""

        thread, words = await self._session.ask(look)
        title = title_of(thread.name or (thread.relationship or ""), words, thread.agent)
        choose = partial(self.show_and_enter, thread_id)
        ThreadChoice(self._documents.window(), self._session, thread, title, choose).open()

    def show_and_enter(self, one: str, other: str) -> None:
        """Two threads side by side, for whoever goes on there."""
        self.show(one, other)
        self._documents.focus_front()

"""The threads of a project as documents: one shown at what is looked for in it, a new one begun."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.pages import ThreadFilter
from workbench.gui.session.session import Session
from workbench.gui.window.documents import Documents

if TYPE_CHECKING:
    from workbench.gui.thread.start_thread import Start
    from workbench.gui.thread.thread_document import ThreadDocument

THREAD = "thread:"
"""Keys of threads' documents begin with this."""
_LOOKED_THROUGH = 20
"""Threads among which the agent used last is looked for."""


class ThreadShelf(QObject):
    """Opens threads as documents, each of them once."""

    call_chosen = Signal(object, str)
    """In this document, the call of this id is the current one."""
    call_opened = Signal(str)
    """The id of a call to show whole."""
    variable_asked = Signal(str)
    comparison_asked = Signal(str)
    """Another thread is to be chosen and compared with this one."""
    original_asked = Signal(str)
    """This thread is to be compared with the one that it was forked from."""
    export_asked = Signal(str, str)
    """This thread is to be handed over, in a file for which a name is proposed."""

    def __init__(self, session: Session, documents: Documents) -> None:
        super().__init__(documents)
        self._session = session
        self._documents = documents
        self._started_last = ""
        """The agent that a thread was begun with here."""

    def is_in_front(self, thread_id: str) -> bool:
        """Whether the document of a thread is what is seen."""
        return self._documents.front_key == THREAD + thread_id

    def answer_in(self, thread_id: str) -> None:
        """Where a thread waits for a person who is its model, ready to write."""
        document = self.show(thread_id)
        document.turn_to(0)
        document.answer.setFocus()

    def show_request(self, thread_id: str, request_id: str) -> None:
        """A request to a model, in the document of its thread."""
        from workbench.gui.thread.pages import show_request

        show_request(self.show(thread_id), thread_id, request_id)

    def go_to(self, thread_id: str, call_id: str = "") -> None:
        """Another thread, at one of its calls if one is named."""
        document = self.show(thread_id)
        if call_id:
            document.show_call(CallId(call_id))
        document.conversation.setFocus()

    def go_to_message(self, thread_id: str, message_id: str, call_id: str) -> None:
        """A message of a thread, or a call that it carries if one is named, wherever it stands."""
        from workbench.gui.thread.place_seeker import PlaceSeeker

        document = self.show(thread_id)
        document.turn_to(0)
        PlaceSeeker(document.conversation, MessageId(message_id), CallId(call_id) if call_id else None)
        document.conversation.setFocus()

    def show_fork(self, thread_id: str) -> None:
        """A thread that was just forked, or begun as a replay, ready to be written to."""
        self.show(thread_id).write()

    def show_origin(self, thread_id: str, message_id: str) -> None:
        """The thread that another one is forked from, at the message where it was."""
        if message_id:
            self.go_to_message(thread_id, message_id, "")
        else:
            self.go_to(thread_id)

    def show_effects(self, thread_id: str) -> None:
        """What a thread has scheduled, in its document."""
        document = self.show(thread_id)
        document.page("Effects")
        document.setFocus()

    def show(self, thread_id: str) -> ThreadDocument:
        """A thread, with what was said in it."""
        from workbench.gui.thread.pages import PAGES
        from workbench.gui.thread.thread_document import ThreadDocument

        def make() -> QWidget:
            document = ThreadDocument(self._session, ThreadId(thread_id), PAGES)
            document.request_asked.connect(self.show_request)
            document.thread_asked.connect(self.go_to)
            document.titled.connect(lambda title: self._documents.rename(document, title))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
            document.call_chosen.connect(partial(self.call_chosen.emit, document))
            document.call_opened.connect(self.call_opened)
            document.comparison_asked.connect(partial(self.comparison_asked.emit, thread_id))
            document.original_asked.connect(partial(self.original_asked.emit, thread_id))
            document.forked.connect(self.show_fork)
            document.message_asked.connect(self.show_origin)
            document.variable_asked.connect(self.variable_asked)
            document.export_asked.connect(partial(self.export_asked.emit, thread_id))
            document.left.connect(partial(self._documents.close_key, THREAD + thread_id))
            return document

        view = self._documents.open(THREAD + thread_id, "Thread", "thread", make)
        assert isinstance(view, ThreadDocument)  # noqa: S101 – the key is only ever a thread's
        return view

    def start(self, parent: QWidget, agent: str = "") -> None:
        """Ask for what a new thread needs."""
        self._session.do(self._ask(parent, agent), parent)

    async def _ask(self, parent: QWidget, agent: str) -> None:
        from workbench.gui.thread.start_thread import StartThread

        agents = await self._session.ask(lambda wb: wb.threads.agents())
        if not agents:
            self._session.tell("This project has no agent yet: “workbench new agent NAME” writes one.")
            return
        chosen = (
            agent or self._started_last or await self._used_last([one.name for one in agents if one.primary])
        )
        dialog = StartThread(parent, agents, chosen, self._start, self._session.run_mode)
        dialog.open()

    async def _used_last(self, names: Sequence[str]) -> str:
        """Which of these agents was at work last, "" for none."""
        wanted = ThreadFilter(top_level=True)
        page = await self._session.ask(lambda wb: wb.threads.page(wanted, limit=_LOOKED_THROUGH))
        return next((row.agent for row in page.rows if row.agent in names), "")

    async def _start(self, start: Start) -> None:
        thread = await self._session.ask(
            lambda wb: wb.threads.start(
                start.agent,
                start.arguments,
                message=start.message,
                attachments=start.files,
                name=start.name,
                variables=start.variables,
                dry_run=start.mode.dry_run,
                as_of=start.mode.as_of,
            )
        )
        self._started_last = start.agent
        self.show(thread.id).setFocus()

"""Forks of a thread: asked for at a message or of the whole, and what they are told of in its head (T21)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal

from workbench.app.threads.forks import Forked
from workbench.base.ids import MessageId, ThreadId
from workbench.domain.threads import ForkedFrom, Thread
from workbench.gui.controls.button import Button, Kind
from workbench.gui.session.session import Session
from workbench.gui.thread.thread_words import title_of

FORK_TIP = (
    "A new thread with all up to here, which waits for you."
    " Values and files come as they are now; this thread stays."
)
RUN_TIP = (
    "A new thread with all up to here, which goes on at once: an answer is asked for again."
    " Values and files come as they are now; this thread stays."
)


async def fork_and_show(
    session: Session,
    thread_id: ThreadId,
    show: Callable[[str], None],
    at: MessageId | None = None,
    *,
    run: bool = False,
) -> None:
    """Fork a thread at a message, or the whole of it; `run` lets the fork go on from there. `show` is given its id."""
    made: Forked = await session.ask(lambda wb: wb.threads.forks.fork(thread_id, at, run=run))
    show(made.thread.id)
    if made.remarks:
        session.tell(" ".join(made.remarks))


class ThreadOrigin(Button):
    """Names the thread that another one is forked from, and leads to where it was."""

    asked = Signal(str, str)
    """The ids of that thread and of a message of it ("" for none)."""

    def __init__(self) -> None:
        super().__init__("", Kind.QUIET, icon="branch")
        self._origin: ForkedFrom | None = None
        self.hide()
        self.clicked.connect(self._ask)

    async def read(self, session: Session, thread: Thread) -> None:
        """Tell of this thread's origin, if it has one; of one that was deleted only that."""
        origin = thread.forked_from
        if origin is None or origin == self._origin:
            return
        self._origin = origin
        found = await session.ask(lambda wb: wb.store.thread(origin.thread_id))
        came = "Replay of" if thread.replay else "Forked from"
        if found is None:
            name, tip = "a deleted thread", f"{came} a thread that was deleted"
        else:
            page = await session.ask(lambda wb: wb.threads.messages(found.id, limit=1))
            title = title_of(found.name, page.messages[0].content or "" if page.messages else "", found.agent)
            name, tip = found.id[-6:], f"{came} “{title}”: show where it was"
        self.set_icon("loop" if thread.replay else "branch")
        self.set_words(f"{came} {name}")
        self.setToolTip(tip)
        self.setEnabled(found is not None)
        self.show()

    def _ask(self) -> None:
        if self._origin is not None:
            self.asked.emit(self._origin.thread_id, self._origin.message_id or "")

"""The one place where the engine's thread and the window meet.

Calls go in as work that runs on the engine's own loop; what happens there comes out through a mailbox that a
timer of 33 ms empties, so that a thousand events are one repaint.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar, cast

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from workbench.base.errors import BugError, RunError
from workbench.gui.session.mailbox import Mailbox, Post

S = TypeVar("S")
T = TypeVar("T")

DRAIN_MS = 33
WAITING_LIMIT = 20_000
AT_ONCE = 1_000
"""Items that are delivered in one go: after a stall the window catches up in steps that it does not notice."""


class _Alarm(QObject):
    """Carries "there is post" from any thread into the window's, once per look."""

    rung = Signal()


class Bridge(Generic[S]):
    """A thread with its own asyncio loop, and the subject that lives there (an open project).

    `open_subject` is called in the engine's thread, so what it imports does not hold up the window; it is given
    `post`, which hands a value to the window. `deliver` gets what was posted, in the window's thread; a `BugError`
    among it is an exception that nobody in the engine's loop took.
    """

    def __init__(
        self,
        open_subject: Callable[[Callable[[object], None]], AbstractAsyncContextManager[S]],
        deliver: Callable[[Post[object]], None],
        *,
        key: Callable[[object], Hashable | None] = lambda item: None,
        merge: Callable[[object, object], object] = lambda old, new: new,
    ) -> None:
        self._open_subject = open_subject
        self._deliver = deliver
        self._alarm = _Alarm()
        self._timer = QTimer(self._alarm)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAIN_MS)
        self._timer.timeout.connect(self._drain)
        self._alarm.rung.connect(self._timer.start, Qt.ConnectionType.QueuedConnection)
        self._mailbox = Mailbox[object](limit=WAITING_LIMIT, key=key, merge=merge, wake=self._alarm.rung.emit)
        self._subject: Future[S] = Future()
        self._end: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._leave = asyncio.Event()
        self._calls = set[asyncio.Task[object]]()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._closed = False

    def start(self) -> None:
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many calls of the window are out."""
        return len(self._calls)

    async def opened(self) -> S:
        """Wait until the subject is open. Raises what opening it raised. Touch the subject only through `call`."""
        return await asyncio.shield(asyncio.wrap_future(self._subject))

    async def call(self, work: Callable[[S], Awaitable[T] | T]) -> T:
        """Run work on the subject in the engine's thread; its exception and our cancelling cross over.

        Raises RunError when the project is closed.
        """
        return await asyncio.wrap_future(self.begin(work))

    def begin(self, work: Callable[[S], Awaitable[T] | T]) -> Future[T]:
        """`call`, begun before anything that is called after it; the future ends with the work."""
        if self._closed:
            raise RunError("The project is closed.")
        return asyncio.run_coroutine_threadsafe(self._work(work), self._loop)

    async def close(self) -> None:
        """Cancel the calls still out, close the subject, end the thread. Raises what closing raised; twice is once."""
        if self._closed:
            return
        self._closed = True
        self._loop.call_soon_threadsafe(self._leave.set)
        await asyncio.wrap_future(self._end)
        self._thread.join()
        self._timer.stop()

    async def _work(self, work: Callable[[S], Awaitable[T] | T]) -> T:
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        subject = await asyncio.wrap_future(self._subject)
        answer = work(subject)
        if inspect.isawaitable(answer):
            return await cast("Awaitable[T]", answer)
        return answer

    def _run(self) -> None:
        self._loop.set_exception_handler(self._on_bug)
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            error = runner.run(self._watch())
        if error is None:
            self._end.set_result(None)
        else:
            self._end.set_exception(error)

    def _on_bug(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """What no task took is the window's to tell."""
        error = context.get("exception")
        trace = "".join(traceback.format_exception(error)) if isinstance(error, BaseException) else ""
        self._mailbox.put(
            BugError("Something went wrong in Workbench.", detail=f"{context.get('message')}\n{trace}")
        )

    async def _watch(self) -> BaseException | None:
        """Let the subject live, and hand on why it could not be opened or did not close."""
        life = asyncio.ensure_future(self._live())
        await asyncio.wait([life])
        error = life.exception()
        if error is None or self._subject.done():
            return error
        self._subject.set_exception(error)
        await self._leave.wait()
        return None

    async def _live(self) -> None:
        async with self._open_subject(self._mailbox.put) as subject:
            self._subject.set_result(subject)
            await self._leave.wait()
            for call in tuple(self._calls):
                call.cancel()
            await asyncio.gather(*self._calls, return_exceptions=True)

    def _drain(self) -> None:
        post = self._mailbox.take(AT_ONCE)
        if post.more:
            self._timer.start()
        self._deliver(post)

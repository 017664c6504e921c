"""The keyring's lane: one call at a time, each in a thread that can be left behind when the keyring never answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from workbench.base.clock import Clock
from workbench.secrets.states import WAITING, KeyringUnavailable

KNOCK_AGAIN_SECONDS = 60.0
"""For this long a keyring that does not answer is not asked again: each question may show one more prompt."""

T = TypeVar("T")


@dataclass(eq=False, slots=True)
class Wanted:
    """Whether anybody still waits for a piece of work. Work that is no longer wanted must not write."""

    _abandoned: threading.Event = field(default_factory=threading.Event)

    def abandon(self) -> None:
        self._abandoned.set()

    def __bool__(self) -> bool:
        return not self._abandoned.is_set()


Work = Callable[[Wanted], T]


@dataclass(eq=False, slots=True)
class _Errand(Generic[T]):
    """One piece of work in a thread of its own. The thread is a daemon: a prompt must not hold up the end of us."""

    work: Work[T]
    wanted: Wanted = field(default_factory=Wanted)
    result: Future[T] = field(default_factory=Future[T])

    def start(self) -> None:
        self.result.set_running_or_notify_cancel()  # from here on nobody can take the future from the thread
        threading.Thread(target=self._run, name="keyring", daemon=True).start()

    def _run(self) -> None:
        try:
            value = self.work(self.wanted)
        except BaseException as error:  # carried over to the one who waits, or to nobody
            self.result.set_exception(error)
        else:
            self.result.set_result(value)


class KeyringLane:
    """Runs blocking work one after another, off the loop, for at most `timeout` seconds each."""

    def __init__(self, clock: Clock, timeout: float) -> None:
        self._clock = clock
        self._timeout = timeout
        self._turn = asyncio.Lock()
        self._stuck: tuple[Callable[[], bool], float] | None = None
        self._running: set[asyncio.Task[object]] = set()

    async def run(self, work: Work[T]) -> T:
        """The work's result. Raises KeyringUnavailable (waiting) when the keyring does not answer in time.

        Then the work is left behind, and later calls are answered `waiting` at once until it comes back, or
        until a minute has passed: then a new thread asks again.
        """
        task = asyncio.create_task(self._take_turn(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # A caller that is cancelled must not let the next call in before this one is done.
        result = await asyncio.shield(task)
        if isinstance(result, KeyringUnavailable):
            raise result
        return result

    async def _take_turn(self, work: Work[T]) -> T | KeyringUnavailable:
        async with self._turn:
            if self._is_stuck():
                return KeyringUnavailable(WAITING)
            errand = _Errand(work)
            errand.start()
            answer = asyncio.wrap_future(errand.result)
            try:
                await asyncio.wait({answer}, timeout=self._timeout)
                if not answer.done():
                    self._stuck = errand.result.done, self._clock.monotonic()
                    return KeyringUnavailable(WAITING)
                return answer.result()
            except KeyringUnavailable as error:
                return error
            finally:
                if not answer.done():
                    errand.wanted.abandon()
                    answer.cancel()

    def _is_stuck(self) -> bool:
        if self._stuck is None:
            return False
        came_back, since = self._stuck
        if came_back() or self._clock.monotonic() - since >= KNOCK_AGAIN_SECONDS:
            self._stuck = None
        return self._stuck is not None

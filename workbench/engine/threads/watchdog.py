"""The watchdog: a thread at work of which nothing is heard for long says so, and what it waits for; it ends nothing."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.domain.calls import CallState
from workbench.domain.events import Event, ThreadMoved, ThreadQuiet
from workbench.domain.threads import ThreadStatus
from workbench.domain.writes import AppendEvent, Write
from workbench.engine.threads.runtime import Runtime
from workbench.engine.threads.work import Work

_log = logging.getLogger(__name__)

_LOOKS = 4
"""How often it looks within the time that a thread may be quiet."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What was said of a thread's quiet, and its status text before."""

    work: Work
    words: str
    before: str


class Watchdog:
    """Lives in the engine's loop. `at_work` gives the threads that run (T19).

    What a thread below is heard of counts for those above it. Whoever waits for a person is not quiet.
    """

    def __init__(self, runtime: Runtime, at_work: Callable[[], Sequence[Work]]) -> None:
        self._runtime = runtime
        self._at_work = at_work
        self._heard: dict[str, float] = {}
        self._told: dict[str, _Told] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None
        self._closed = False
        self._stop_listening = runtime.services.bus.subscribe(self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, ThreadQuiet) or (isinstance(event, ThreadMoved) and self._is_own(event)):
            return
        self._heard[event.thread_id] = asyncio.get_running_loop().time()
        if event.thread_id in self._told:
            self._look_in(0.0)
        elif self._timer is None:
            self._look_in(self._runtime.quiet_seconds / _LOOKS)

    def _is_own(self, event: ThreadMoved) -> bool:
        told = self._told.get(event.thread_id)
        return told is not None and event.status_text == told.words

    def _look_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look_at_all())
            self._looking.add_done_callback(self._has_looked)

    def _has_looked(self, looking: asyncio.Task[None]) -> None:
        """A mistake of ours must not end the watch: a thread that hangs gives no event that would begin it again."""
        error = None if looking.cancelled() else looking.exception()
        if error is not None:
            _log.error("Threads at work were not looked at, by a mistake of Workbench.", exc_info=error)
            if self._timer is None and not self._closed:
                self._look_in(self._runtime.quiet_seconds / _LOOKS)

    async def _look_at_all(self) -> None:
        works = self._at_work()
        running = {work.thread.id for work in works}
        self._heard = {one: at for one, at in self._heard.items() if one in running}
        for one in [one for one in self._told if one not in running]:
            await self._take_back(one)
        for work in works:
            family = [one for one in works if one is work or work.thread.id in one.ancestors]
            quiet = asyncio.get_running_loop().time() - self._last_heard(family)
            waits_for = self._waits_for(work, family)
            if quiet < self._runtime.quiet_seconds or waits_for is None:
                await self._take_back(work.thread.id)
            elif work.thread.id not in self._told:
                await self._tell(work, quiet, waits_for)
        if works and self._timer is None:
            self._look_in(self._runtime.quiet_seconds / _LOOKS)

    def _last_heard(self, family: Sequence[Work]) -> float:
        now = asyncio.get_running_loop().time()
        return max(self._heard.setdefault(one.thread.id, now) for one in family)

    def _waits_for(self, work: Work, family: Sequence[Work]) -> str | None:
        """In words; None for a person, and while it is not known to wait."""
        members = {one.thread.id for one in family}
        calls = [call for call in self._runtime.live.values() if call.thread.id in members]
        if any(call.record.state.awaits_person for call in calls):
            return None
        if work.thread.status is not ThreadStatus.RUNNING or any(one.waits_for is None for one in family):
            return None
        running = [
            call
            for call in calls
            if call.thread.id == work.thread.id and call.record.state is CallState.RUNNING
        ]
        return work.waits_for or (f"the call of {running[-1].request.tool}" if running else None)

    async def _tell(self, work: Work, quiet: float, waits_for: str) -> None:
        words = f"Nothing has been heard for {quiet:.0f} s: it waits for {waits_for}."
        self._told[work.thread.id] = _Told(work, words, work.thread.status_text)
        now = work.services.clock.now_us()
        event = ThreadQuiet(thread_id=work.thread.id, at=now, seconds=quiet, waits_for=waits_for)
        try:
            await self._move(work, words, AppendEvent(event))
        except BaseException:
            del self._told[work.thread.id]
            raise
        work.services.bus.publish(event)

    async def _take_back(self, thread_id: str) -> None:
        told = self._told.pop(thread_id, None)
        if told is not None and told.work.thread.status_text == told.words:
            await self._move(told.work, told.before)

    async def _move(self, work: Work, words: str, *writes: Write) -> None:
        with contextlib.suppress(UserError):  # the disk is full, perhaps: the run itself will say so
            await work.move(work.thread.status, words, *writes)

    async def close(self) -> None:
        """Look no more, and leave nothing said."""
        if not self._closed:
            self._closed = True
            self._stop_listening()
        if self._timer is not None:
            self._timer.cancel()
        if self._looking is not None:
            await asyncio.wait([self._looking])
        for one in tuple(self._told):
            await self._take_back(one)

"""Telling a client how far its call is: the latest that is known, never more often than it can be sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from workbench.app import Workbench
from workbench.base.ids import CallId
from workbench.domain.calls import Progress
from workbench.domain.events import CallProgressed, Event

Report = Callable[[float, float | None, str | None], Awaitable[None]]


class ProgressReport:
    """Of one call, which is named once it has begun."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._call_id: CallId | None = None
        self._latest: Progress | None = None
        self._fresh = asyncio.Event()
        self._told = 0.0
        self._telling: asyncio.Task[None] | None = None

    def begun(self, call_id: CallId) -> None:
        """This is the call."""
        self._call_id = call_id

    @asynccontextmanager
    async def of(self, workbench: Workbench) -> AsyncGenerator[None]:
        """Tell while the block runs; what came last is told before it ends."""
        stop = workbench.subscribe(on_event=self._hear)
        try:
            yield
        finally:
            stop()
            if self._telling is not None:
                self._telling.cancel()
                await asyncio.wait({self._telling})
        if self._fresh.is_set():
            await self._tell_latest()

    def _hear(self, event: Event) -> None:
        if isinstance(event, CallProgressed) and event.call_id == self._call_id:
            self._latest = event.progress
            self._fresh.set()
            if self._telling is None:  # most calls tell nothing
                self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while True:
            await self._fresh.wait()
            await self._tell_latest()

    async def _tell_latest(self) -> None:
        """The protocol wants each number above the one before: a step without a number is counted."""
        self._fresh.clear()
        progress = self._latest
        if progress is None:
            return
        current = self._told + 1 if progress.current is None else progress.current
        if current > self._told or (current == 0 and self._told == 0):
            self._told = current
            await self._report(current, progress.total, progress.message)

"""From the run's thread to the loop that awaits it, in order, and no faster than that loop takes it."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable

from workbench.sandbox.stopping import Stop, Stopped, wait_for

_MOST = 256
_MOST_BYTES = 4_000_000
_AT_ONCE = 32

Deliver = Callable[[object], Awaitable[None] | None]


class LoopGone(Stopped):
    """The loop that awaited the run is closed: the run has nobody to run for."""


class Outbox:
    """Messages on their way to the loop. `deliver` runs on it, one message at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, deliver: Deliver) -> None:
        self._loop, self._deliver = loop, deliver
        self._waiting: deque[tuple[object, int]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._scheduled = False
        self._delivery: asyncio.Task[None] | None = None

    def put(self, message: object, size: int, stop: Stop) -> None:
        """Hand a message over from the run's thread, waiting while too much of it is unread. Raises Stopped."""
        self._add(message, size)
        if self._is_full():
            wait_for(self._changed, lambda: not self._is_full(), stop)

    def put_last(self, message: object) -> None:
        """Hand the last message over, without waiting. Raises LoopGone."""
        self._add(message, 0)

    def _is_full(self) -> bool:
        return len(self._waiting) > _MOST or self._bytes > _MOST_BYTES

    def _add(self, message: object, size: int) -> None:
        with self._changed:
            self._waiting.append((message, size))
            self._bytes += size
            wakes, self._scheduled = not self._scheduled, True
        if wakes:
            try:
                self._loop.call_soon_threadsafe(self._begin)
            except RuntimeError as error:
                raise LoopGone from error

    def _begin(self) -> None:
        self._delivery = self._loop.create_task(self._deliver_all())

    async def _deliver_all(self) -> None:
        count = 0
        while (message := self._next()) is not None:
            pending = self._deliver(message)
            if pending is not None:
                await pending
            count += 1
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)  # others have their turn

    def _next(self) -> object | None:
        with self._changed:
            if not self._waiting:
                self._scheduled = False
                return None
            message, size = self._waiting.popleft()
            self._bytes -= size
            self._changed.notify_all()
            return message

"""Hooks that are only told of something: they run beside the thread, one after another, and nobody waits for them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

SECONDS_TO_END = 2.0
"""How long the hooks of a thread may still run when everything is closed."""


class Observers:
    """The queue of one thread: two hundred calls at once start one hook at a time, not two hundred processes (T8)."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], Awaitable[None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def add(self, run: Callable[[], Awaitable[None]]) -> None:
        """Run this behind what waits already."""
        self._waiting.append(run)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self._waiting:
            await self._waiting.popleft()()

    async def heard(self) -> None:
        """Return when everything that was told has been heard."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def end(self) -> None:
        """Return when all is heard, or a moment later, with what still runs ended."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=SECONDS_TO_END)
            self._waiting.clear()
            self._task.cancel()
            await asyncio.wait([self._task])

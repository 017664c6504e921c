"""How far long work in another thread is, and whether it is still wanted."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from workbench.base.errors import RunError, WorkbenchError
from workbench.domain.calls import Progress

T = TypeVar("T")
Tell = Callable[[Progress], None]

_BETWEEN = 0.1
"""Seconds between two words about how far it is."""


class Pace:
    """Made on a loop, on which `tell` is called; `step` is for the thread that works."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self._done = self._total = 0
        self._told = 0.0

    def expect(self, steps: int) -> None:
        """So many more steps are to be done."""
        self._total += steps

    def step(self, steps: int = 1) -> None:
        """So much more is done. Raises RunError when it is not wanted any more."""
        if self._stopped.is_set():
            raise RunError("It was stopped.")
        self._done += steps
        now = time.monotonic()
        if self._tell is not None and now - self._told >= _BETWEEN:
            self._told = now
            progress = Progress(current=min(self._done, self._total), total=self._total)
            self._loop.call_soon_threadsafe(self._tell, progress)

    async def ended(self, work: Awaitable[T]) -> T:
        """What the work gives. When this is cancelled, the work is told to stop, and has ended before it comes back."""
        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self._stopped.set()
            with suppress(WorkbenchError):
                await task
            raise

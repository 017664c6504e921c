"""What must not be left half done when whoever waits for it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


async def to_its_end(work: Coroutine[object, object, T]) -> T:
    """Await what must not be left half done; cancelling comes too late for it, however often (a thread and the thread
    above it are stopped together)."""
    task = asyncio.ensure_future(work)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise

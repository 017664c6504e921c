"""Whether the loop comes round while something hostile is at work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

LIVE_SECONDS = 5.0
"""More than any pause of the loop that a person would notice, on a machine that does other things, too."""


@asynccontextmanager
async def live_loop() -> AsyncGenerator[None]:
    """Fails when the loop stood still meanwhile."""
    over = asyncio.Event()
    watching = asyncio.create_task(_longest_pause(over))
    yield
    over.set()
    assert await watching < LIVE_SECONDS


async def _longest_pause(until: asyncio.Event) -> float:
    longest, before = 0.0, time.monotonic()
    while not until.is_set():
        await asyncio.sleep(0.001)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    return longest

"""What happens, queued for one reader: bounded, in order, and a reader that was too slow is told what it missed."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from workbench.domain.events import Event

MOST_WAITING = 10_000
"""Events that wait for a reader; further ones are counted and let go."""


@dataclass(frozen=True, slots=True)
class Missed:
    """In the place of events that did not fit: the reader must look afresh at what is kept of the thread."""

    count: int
    type: ClassVar[str] = "missed"


class EventQueue:
    """Belongs to one loop."""

    def __init__(self, limit: int = MOST_WAITING) -> None:
        self._limit = limit
        self._waiting: deque[Event] = deque()
        self._missed = 0
        self._filled = asyncio.Event()

    def put(self, event: Event) -> None:
        """Leave an event; after one that did not fit none does until the reader has been told."""
        if self._missed or len(self._waiting) >= self._limit:
            self._missed += 1
        else:
            self._waiting.append(event)
        self._filled.set()

    async def get(self) -> Event | Missed:
        """The next event, or what came after all that waited and did not fit."""
        await self._filled.wait()
        if self._waiting:
            found = self._waiting.popleft()
        else:
            found, self._missed = Missed(self._missed), 0
        if not self._waiting and not self._missed:
            self._filled.clear()
        return found

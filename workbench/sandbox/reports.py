"""What code reports while it runs: kept in bounds for the result, and read live by whoever opens a reader."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque

_KEPT = 10_000
_KEPT_BYTES = 16_000_000
_UNREAD = 256


class Reports:
    """The reports of one run, on its loop."""

    def __init__(self) -> None:
        self.kept: list[object] = []
        self.dropped = 0
        self._bytes = 0
        self._ended = False
        self._readers: weakref.WeakSet[ReportReader] = weakref.WeakSet()
        # Set when a reader has read or is gone, and when there is something to read.
        self._moved = asyncio.Event()

    async def add(self, report: object, size: int) -> None:
        """Take one in; waits for readers that are behind, which holds up the code that reports."""
        if len(self.kept) < _KEPT and self._bytes + size <= _KEPT_BYTES:
            self.kept.append(report)
            self._bytes += size
        else:
            self.dropped += 1
        for reader in self._readers:
            reader.unread.append(report)
        self._move()
        while not self._ended and any(len(reader.unread) > _UNREAD for reader in self._readers):
            await self._moved.wait()

    def end(self) -> None:
        """No more will come, and nobody waits for readers any more."""
        self._ended = True
        for reader in self._readers:
            reader.ended = True
        self._move()

    def reader(self) -> ReportReader:
        """Those that are kept so far, and then each as it comes."""
        reader = ReportReader(deque(self.kept), self._ended, self)
        if not self._ended:
            self._readers.add(reader)
            weakref.finalize(reader, self._move).atexit = False
        return reader

    async def moved(self) -> None:
        """Until something happens to the reports or their readers."""
        await self._moved.wait()

    def read(self) -> None:
        """A reader has read one."""
        self._move()

    def _move(self) -> None:
        """Wake all that wait now; who waits later waits for the next time."""
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()


class ReportReader:
    """An async iterator over reports. One that is let go of no longer holds the code up."""

    def __init__(self, unread: deque[object], ended: bool, reports: Reports) -> None:
        self.unread = unread
        self.ended = ended
        self._reports = reports

    def __aiter__(self) -> ReportReader:
        return self

    async def __anext__(self) -> object:
        while not self.unread:
            if self.ended:
                raise StopAsyncIteration
            await self._reports.moved()
        report = self.unread.popleft()
        self._reports.read()
        return report

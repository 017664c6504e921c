"""The lanes: one thread that writes, in groups, and a few that read. Nothing here blocks an event loop."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

from workbench.base.errors import UsageError, WorkbenchError
from workbench.store.connection import transaction
from workbench.store.faults import is_busy, note_damage, removed, translate, translated
from workbench.store.writes import Recorder, StoreWrite

T = TypeVar("T")

_GATHERING = 0.005
"""Seconds that a batch waits for company when nobody waits for it."""

_GROUP = 256
"""Batches in one transaction at most, so that others who wait for the file get their turn."""


@dataclass(slots=True)
class _Batch:
    writes: Sequence[StoreWrite]
    flush: bool
    told: asyncio.Future[None] | None
    """None where nobody waits."""


@dataclass(slots=True)
class _Errand:
    perform: Callable[[], object]
    told: asyncio.Future[Any]


class WriterLane:
    """The thread `store-writer` and the connection it owns; what it is given is done in the order it came.

    Batches that wait are written together in one transaction and then told together: a commit costs a disk
    flush, and so a hundred waiting writers cost one. A batch that fails never harms its neighbours: the group is
    taken back and each batch is written alone.
    """

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop) -> None:
        self._path = path
        self._loop = loop
        self._given: SimpleQueue[Sequence[_Batch | _Errand | None]] = SimpleQueue()
        self._gathered: list[_Batch] = []
        """Batches for which nobody waits: they go with the next that somebody waits for, or alone a little later."""
        self._giving: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._opened: Recorder | None = None
        self._file: tuple[int, int] | None = None
        self.on_commit: Callable[[], None] = lambda: None
        """Called on the loop after each group."""
        # A daemon, since a program that ends without closing loses nothing that was acknowledged.
        threading.Thread(target=self._serve, name="store-writer", daemon=True).start()

    async def start(self, open_recorder: Callable[[], Recorder]) -> None:
        """Open the connection, in the lane."""

        def work() -> None:
            with translated(self._path):
                self._opened = open_recorder()
            self._file = _identity(self._path)

        await self._send_on(work)

    async def commit(self, writes: Sequence[StoreWrite], *, flush: bool = True) -> None:
        """Write a batch; returns when it is written, and on the disk if it is to be flushed.

        A cancelled caller's batch is written all the same.
        """
        if self._is_closed:
            raise UsageError("The store is closed.")
        told: asyncio.Future[None] = self._loop.create_future()
        self._give(_Batch(writes, flush, told))
        await told

    def write_soon(self, writes: Sequence[StoreWrite]) -> None:
        """Write a batch in its turn, for nobody who waits; one that is refused is left out."""
        if self._is_closed:
            raise UsageError("The store is closed.")
        self._gathered.append(_Batch(writes, flush=False, told=None))
        if self._giving is None:
            self._giving = self._loop.call_later(_GATHERING, self._give)

    async def settled(self) -> None:
        """Return when nothing waits that nobody waits for."""
        if self._gathered and not self._is_closed:
            await self._send_on(lambda: None)

    def _give(self, *last: _Batch | _Errand | None) -> None:
        if self._giving is not None:
            self._giving.cancel()
            self._giving = None
        gathered, self._gathered = self._gathered, []
        self._given.put((*gathered, *last))

    async def run(self, work: Callable[[Recorder], T]) -> T:
        """Do other work with the writing connection, between two groups."""
        if self._is_closed:
            raise UsageError("The store is closed.")

        def translated_work() -> T:
            with translated(self._path):
                return work(self._recorder)

        return await self._send_on(translated_work)

    async def close(self) -> None:
        """Write what waits, then close the connection."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._opened is not None:
            await self._send_on(self._opened.connection.close)
        self._give(None)

    async def _send_on(self, perform: Callable[[], T]) -> T:
        errand = _Errand(perform, self._loop.create_future())
        self._give(errand)
        return await errand.told

    @property
    def _recorder(self) -> Recorder:
        if self._opened is None:
            raise UsageError("The store is not open.")
        return self._opened

    # --- in the thread

    def _serve(self) -> None:
        waiting: deque[_Batch | _Errand | None] = deque()
        while True:
            if not waiting:
                waiting.extend(self._given.get())
            for _ in range(self._given.qsize()):
                waiting.extend(self._given.get())
            first = waiting.popleft()
            if first is None:
                return
            if isinstance(first, _Errand):
                _do(first)
                continue
            group = [first]
            while waiting and isinstance(waiting[0], _Batch) and len(group) < _GROUP:
                group.append(cast(_Batch, waiting.popleft()))
            self._loop.call_soon_threadsafe(self._tell_group, group, self._write(group))

    def _write(self, group: Sequence[_Batch]) -> Sequence[WorkbenchError | None]:
        recorder = self._recorder
        try:
            self._require_file()
            with transaction(recorder.connection, flush=any(batch.flush for batch in group)):
                recorder.write(write for batch in group for write in batch.writes)
        except Exception as error:  # carried over to those who wait; a mistake of ours, too
            note_damage(error, self._path)
            if len(group) > 1 and not is_busy(error):
                return [outcome for batch in group for outcome in self._write([batch])]
            return [
                error if isinstance(error, WorkbenchError) else translate(error, self._path) for _ in group
            ]
        return [None] * len(group)

    def _require_file(self) -> None:
        """SQLite itself would go on writing into a file that was removed, and all of it would be lost."""
        if _identity(self._path) != self._file:
            raise removed(self._path)

    # --- on the loop

    def _tell_group(self, group: Sequence[_Batch], outcomes: Sequence[WorkbenchError | None]) -> None:
        for batch, outcome in zip(group, outcomes, strict=True):
            _tell(batch.told, outcome)
        self.on_commit()


def _do(errand: _Errand) -> None:
    """In a thread of a lane: do it, and tell the loop on which somebody waits for it."""
    result, error = None, None
    try:
        result = errand.perform()
    except Exception as raised:  # carried over to the one who waits
        error = raised
    with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
        errand.told.get_loop().call_soon_threadsafe(_tell, errand.told, error, result)


def _tell(told: asyncio.Future[Any] | None, error: Exception | None, result: object = None) -> None:
    if told is None or told.done():
        return
    if error is None:
        told.set_result(result)
    else:
        told.set_exception(error)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies at a path, None when there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 -- before every commit; the path's own way costs twice as much
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


class ReaderLane:
    """A few threads `store-readers`, each with its read-only connection."""

    def __init__(self, path: Path, open_connection: Callable[[], sqlite3.Connection], size: int = 3) -> None:
        self._path = path
        self._open_connection = open_connection
        self._given: SimpleQueue[_Errand | None] = SimpleQueue()
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._is_closed = False
        # Daemons, as the one that writes: nothing is lost with them.
        self._threads = [
            threading.Thread(target=self._serve, name=f"store-readers_{number}", daemon=True)
            for number in range(size)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Ask a query. Cancelling the task interrupts it."""
        job = _Query(self._path, query)
        try:
            return await self._send_on(lambda: job.perform(self._connection()))
        except asyncio.CancelledError:
            job.interrupt()
            raise

    async def run_without_connection(self, work: Callable[[], T]) -> T:
        """Do work that takes long and needs no connection (hashing what is big)."""
        return await self._send_on(work)

    async def close(self) -> None:
        """Stop running queries and close the connections."""
        if self._is_closed:
            return
        self._is_closed = True
        for connection in self._opened:
            connection.interrupt()
        for _ in self._threads:
            self._given.put(None)
        await asyncio.to_thread(lambda: [thread.join() for thread in self._threads])
        for connection in self._opened:
            connection.close()

    async def _send_on(self, perform: Callable[[], T]) -> T:
        if self._is_closed:
            raise UsageError("The store is closed.")
        errand = _Errand(perform, asyncio.get_running_loop().create_future())
        self._given.put(errand)
        return await errand.told

    def _serve(self) -> None:
        while (errand := self._given.get()) is not None:
            if not errand.told.cancelled():
                _do(errand)

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            if not self._path.exists():
                raise removed(self._path)
            with translated(self._path):
                connection = self._open_connection()
            self._local.connection = connection
            self._opened.append(connection)
        return connection


class _Query(Generic[T]):
    """One running query, which another thread may interrupt: never a query that runs after it."""

    def __init__(self, path: Path, query: Callable[[sqlite3.Connection], T]) -> None:
        self._path = path
        self._query = query
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def perform(self, connection: sqlite3.Connection) -> T:
        with self._lock:
            self._connection = connection
        try:
            with translated(self._path):
                return self._query(connection)
        finally:
            with self._lock:
                self._connection = None

    def interrupt(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.interrupt()

"""The store of one project: opened, written to in one lane and kept in order; what is read of it stands in `reader`."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from workbench.base.clock import Clock
from workbench.base.errors import UserError
from workbench.base.ids import CallId, EffectId, ProjectId, ThreadId
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.domain.threads import Thread
from workbench.domain.writes import DeleteCall, DeleteMessage, DeleteThread, Write
from workbench.store import blobs, claims, closing, effects, opening, reads, retention, schema
from workbench.store.closing import Closed
from workbench.store.faults import suspicion, unwritable
from workbench.store.lanes import ReaderLane, WriterLane
from workbench.store.opening import Opened
from workbench.store.owners import Owner
from workbench.store.reader import StoreReader
from workbench.store.transfers import Transfers
from workbench.store.upkeep import Upkeep
from workbench.store.writes import Prepared, Recorder, StoreWrite, is_big, prepare

_WATCH_SECONDS = 0.5
_DELETIONS = frozenset({DeleteCall, DeleteMessage, DeleteThread})


async def open_store(path: Path, *, clock: Clock) -> SqliteStore:
    """Open the store at `path`, made if it is not there; bound to the running loop.

    Brings an older file up to date and closes what a crash left open (C7, T9). A file that cannot be written
    is opened for reading (`SqliteStore.is_read_only`).
    Raises UserError for a file that a newer Workbench or another program wrote, or that cannot be read.
    """
    try:
        return await _open(path, clock)
    except UserError:
        if not suspicion(path).exists():
            raise
    return await _open(path, clock)  # damage was met on the way: this time all of the file is looked at


async def _open(path: Path, clock: Clock) -> SqliteStore:
    opened = await asyncio.to_thread(opening.prepare, path)
    reader = ReaderLane(path, opened.connect_reader)
    writer: WriterLane | None = None
    closed = Closed()
    try:
        if opened.owner is not None:
            writer = WriterLane(path, asyncio.get_running_loop())
            await writer.start(partial(_open_recorder, path, opened.owner, clock))
            clean_up = partial(closing.clean_up, owner=opened.owner, now_us=clock.now_us())
            closed = await writer.run(clean_up)
        project_id = ProjectId(await reader.run(reads.project_id))
    except BaseException:
        await _close(writer, reader, opened.owner)
        raise
    return SqliteStore(
        path,
        clock,
        opened=opened,
        writer=writer,
        reader=reader,
        project_id=project_id,
        closed=closed,
    )


class SqliteStore(StoreReader):
    """Fills the engine's `Store`. Every method belongs to the loop that opened it.

    `project_id` is the file's own (V4). `interrupted` are the calls that were closed at opening, `stopped` the
    threads. `damage` says, line by line, what was wrong with the file and is repaired now; it is empty for a sound one.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        opened: Opened,
        writer: WriterLane | None,
        reader: ReaderLane,
        project_id: ProjectId,
        closed: Closed,
    ) -> None:
        super().__init__(clock, reader, opened.owner)
        self.path = path
        self.project_id = project_id
        self.interrupted = tuple(closed.calls)
        self.stopped = tuple(closed.threads)
        self.damage = opened.damage
        self._writer = writer
        self._upkeep = Upkeep(writer) if writer is not None else None
        self.transfers = Transfers(path, reader, writer, clock)
        """Whole histories, out of it and into it."""
        self._seen: tuple[int, frozenset[str]] | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether the file can be read but not written; `commit` then says so."""
        return self._writer is None

    async def close(self) -> None:
        """Write what waits and let go of the file."""
        if self._upkeep is not None:
            await self._upkeep.close()
        await _close(self._writer, self._reader, self._owner)

    # --- writing ---

    async def commit(self, *writes: Write, flush: bool = True) -> None:
        """Write all of them in one transaction; returns when they are on the disk.

        Without `flush` it returns when a killed program cannot lose them; only a power cut could.

        Batches are written in the order of the calls. One that carries big values (over 64 KiB) takes its place
        when these are on the disk: they are written before it, piece by piece, and hold nobody up.
        Raises UserError when the store cannot be written (disk full, read-only), UsageError for a value that
        cannot be stored, each with nothing of the batch kept.
        """
        writer, upkeep = self._writing()
        if any(map(is_big, writes)):
            await writer.commit(await self._put_big_values(writer, writes), flush=flush)
        else:
            await writer.commit(writes, flush=flush)
        if not _DELETIONS.isdisjoint(map(type, writes)):
            self._histories.forget()
            await upkeep.remove_traces()

    def write_soon(self, *writes: Write) -> None:
        """Write them in one transaction before whatever is committed from here on; nobody waits for that."""
        writer, _ = self._writing()
        writer.write_soon(writes)

    async def _settled(self) -> None:
        """Whoever looks at what is open sees what was given to `write_soon`, too."""
        if self._writer is not None:
            await self._writer.settled()

    async def _catch_up(self) -> None:
        if self._upkeep is not None:
            await self._upkeep.catch_up()

    async def _put_big_values(self, writer: WriterLane, writes: Sequence[Write]) -> Sequence[StoreWrite]:
        prepared = await self._reader.run_without_connection(lambda: [prepare(write) for write in writes])
        packed = [write.packed for write in prepared if isinstance(write, Prepared)]
        for blob in {blob.hash: blob for one in packed for blob in one.blobs}.values():
            if not await self._reader.run(partial(blobs.exists, hash=blob.hash)):
                for chunk in blob.chunks():
                    await writer.commit([chunk])
        return prepared

    def _writing(self) -> tuple[WriterLane, Upkeep]:
        if self._writer is None or self._upkeep is None:
            raise unwritable(self.path)
        return self._writer, self._upkeep

    # --- who runs what ---

    async def claim(self, thread_id: ThreadId) -> Thread | None:
        """Take a thread to run it (T9); see the port."""
        writer, _ = self._writing()
        if self._owner is None:
            return None
        work = partial(claims.claim, owner=self._owner, now_us=self._clock.now_us(), thread_id=thread_id)
        return await writer.run(work)

    async def let_go(self, thread_id: ThreadId) -> None:
        """A thread that was claimed is not run (T9)."""
        writer, _ = self._writing()
        if self._owner is not None:
            await writer.run(partial(claims.let_go, owner=self._owner, thread_id=thread_id))

    async def count_exchange(self, root: ThreadId) -> int:
        """One more message between the threads of a tree; how many since a person spoke (T15)."""
        writer, _ = self._writing()
        return await writer.run(partial(claims.count_exchange, root=root))

    async def forget_exchanges(self, root: ThreadId) -> None:
        """A person spoke in the tree of this thread (T15)."""
        writer, _ = self._writing()
        await writer.run(partial(claims.forget_exchanges, root=root))

    async def begin_session(self, thread: Thread) -> Thread:
        """Keep a thread that is begun under a key, or give the one that was; see the port."""
        writer, _ = self._writing()
        return await writer.run(partial(claims.begin_session, thread=thread))

    async def move_effect(self, changed: EffectRun, was: EffectState) -> EffectMoved | None:
        """Put an effect if it still is in that state (T16); see the port."""
        writer, _ = self._writing()
        if self._owner is None:
            return None
        now_us = self._clock.now_us()
        work = partial(effects.move, owner=self._owner, now_us=now_us, changed=changed, was=was)
        return await writer.run(work)

    async def let_go_effect(self, effect_id: EffectId) -> None:
        """Nothing of an effect runs here any more."""
        writer, _ = self._writing()
        if self._owner is not None:
            await writer.run(partial(effects.let_go, owner=self._owner, effect_id=effect_id))

    # --- upkeep ---

    async def indexed(self) -> None:
        """Return when the search index holds everything committed so far."""
        if self._upkeep is not None:
            await self._upkeep.index()

    async def apply_retention(
        self, *, max_age_days: float | None = None, max_bytes: int | None = None
    ) -> int:
        """Delete for good the oldest ended calls: those older than an age, and more while the file is too big.

        Returns how many went.
        """
        writer, upkeep = self._writing()
        before_us = self._before_us(max_age_days)

        async def delete_while(choose: Callable[[sqlite3.Connection], Sequence[CallId]]) -> int:
            deleted = 0
            while chosen := await self._reader.run(choose):
                await writer.commit([DeleteCall(call_id) for call_id in chosen])
                await upkeep.index()
                deleted += len(chosen)
            return deleted

        deleted = 0
        if before_us is not None:
            deleted += await delete_while(partial(retention.expired, before_us=before_us))
        if max_bytes is not None:
            deleted += await delete_while(partial(retention.excess, max_bytes=max_bytes))
        if deleted:
            await upkeep.remove_traces()
        return deleted

    async def retention_preview(
        self, *, max_age_days: float | None = None, max_bytes: int | None = None
    ) -> retention.Preview:
        """How many calls `apply_retention` would delete now, by one of the two bounds."""
        before_us = self._before_us(max_age_days)
        return await self._reader.run(partial(retention.preview, before_us=before_us, max_bytes=max_bytes))

    def _before_us(self, max_age_days: float | None) -> int | None:
        return None if max_age_days is None else self._clock.now_us() - int(max_age_days * 86_400_000_000)

    async def close_abandoned(self) -> Closed:
        """Close what processes left open that have died since; opening did so for those dead by then (C7, T9)."""
        if self._owner is None or self._writer is None:
            return Closed()
        work = partial(closing.close_abandoned, owner=self._owner, now_us=self._clock.now_us())
        return await self._writer.run(work)

    async def changed_elsewhere(self) -> None:
        """Return when another process has written to the file, opened or left it, since this last returned."""
        while True:
            seen = (await self._data_version(), await self._others())
            before, self._seen = self._seen, seen
            if before is not None and seen != before:
                return
            await asyncio.sleep(_WATCH_SECONDS)

    async def _data_version(self) -> int:
        # Asked on the writing connection: its own commits do not count.
        if self._writer is None:
            return await self._reader.run(reads.data_version)
        return await self._writer.run(lambda recorder: reads.data_version(recorder.connection))

    async def is_shared(self) -> bool:
        """Whether another opening of this store is alive: a window, a server, a command."""
        return bool(await self._others())

    async def _others(self) -> frozenset[str]:
        if self._owner is None:
            return frozenset()
        return await self._reader.run_without_connection(self._owner.others)


def _open_recorder(path: Path, owner: Owner, clock: Clock) -> Recorder:
    return Recorder(schema.open_writer(path), owner.token, clock)


async def _close(writer: WriterLane | None, reader: ReaderLane, owner: Owner | None) -> None:
    await reader.close()
    if writer is not None:
        await writer.close()
    if owner is not None:
        owner.release()

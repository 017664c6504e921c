"""Whole histories, out of a store and into it, in the lanes of that store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from workbench.base.clock import Clock
from workbench.domain.handed_over import Selection
from workbench.store import blobs
from workbench.store.blobs import Chunk
from workbench.store.connection import one_state, transaction
from workbench.store.faults import unwritable
from workbench.store.handing_out import StoredHistory
from workbench.store.lanes import ReaderLane, WriterLane
from workbench.store.taking_in import Arrival
from workbench.store.writes import Recorder

T = TypeVar("T")


class Transfers:
    """Belongs to the loop of its store. Taking in raises UserError where the store cannot be written."""

    def __init__(self, path: Path, reader: ReaderLane, writer: WriterLane | None, clock: Clock) -> None:
        self._path = path
        self._reader = reader
        self._writer = writer
        self._clock = clock

    async def hand_out(self, selection: Selection, work: Callable[[StoredHistory], T]) -> T:
        """Do something in a reading thread with what was chosen, all of one moment."""
        if self._writer is not None:
            await self._writer.settled()
        return await self._reader.run(partial(_with_history, selection=selection, work=work))

    async def has_blob(self, hash: str) -> bool:
        """Whether bytes are there already."""
        return await self._reader.run(partial(blobs.exists, hash=hash))

    async def put_part(self, hash: str, number: int, data: memoryview) -> None:
        """Put a piece of a file (CHUNK_BYTES each, the last may be shorter) before the history that holds it."""
        await self._writing().commit([Chunk(hash, number, data)], flush=False)

    async def forget_parts(self) -> None:
        """Remove the pieces of what was not taken in after all."""
        await self._writing().run(_sweep)

    async def take_in(self, work: Callable[[Arrival], T]) -> T:
        """Do in the writing thread what puts a history: all of it is there then, or nothing."""
        writer = self._writing()
        done = await writer.run(partial(_taken_in, now_us=self._clock.now_us(), work=work))
        writer.on_commit()
        return done

    def _writing(self) -> WriterLane:
        if self._writer is None:
            raise unwritable(self._path)
        return self._writer


def _with_history(
    connection: sqlite3.Connection, selection: Selection, work: Callable[[StoredHistory], T]
) -> T:
    with one_state(connection):
        return work(StoredHistory(connection, selection))


def _taken_in(recorder: Recorder, now_us: int, work: Callable[[Arrival], T]) -> T:
    with transaction(recorder.connection):
        arrival = Arrival(recorder, now_us)
        done = work(arrival)
        arrival.close()
        return done


def _sweep(recorder: Recorder) -> None:
    with transaction(recorder.connection):
        blobs.sweep(recorder.connection)

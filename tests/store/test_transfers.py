"""A history is put into a store in one transaction: what fails on the way, or is killed, leaves nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.conftest import OpenStore
from tests.store.sample_history import call, thread
from workbench.base.errors import RunError
from workbench.domain.calls import Call
from workbench.domain.handed_over import HandedFile, Selection
from workbench.domain.pages import CallFilter
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.writes import PutCall, PutThread, WriteFile
from workbench.store import SqliteStore
from workbench.store.blobs import CHUNK_BYTES, Blob
from workbench.store.handing_out import StoredHistory
from workbench.store.taking_in import Arrival

DATA = b"0123456789" * (CHUNK_BYTES // 5)


def no_thumbnail(sha256: str) -> bytes:
    raise AssertionError(sha256)


def file_of(owner: Thread, sha256: str) -> HandedFile:
    return HandedFile(
        thread_id=owner.id,
        path="/big.bin",
        mime_type="application/octet-stream",
        size=len(DATA),
        created_at=1,
        sha256=sha256,
    )


async def put_parts(store: SqliteStore, but: int = -1) -> str:
    """The pieces of a file, before anything holds it; `but` is one that is left out."""
    blob = Blob.of(DATA)
    for chunk in blob.chunks():
        if chunk.number != but:
            await store.transfers.put_part(chunk.hash, chunk.number, chunk.data)
    return blob.hash


def chunks(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM chunk").fetchone()[0]


@pytest.mark.rule("T24")
async def test_a_file_comes_in_piece_by_piece_and_is_held_by_its_thread(store: SqliteStore) -> None:
    new = thread(ThreadKind.AGENT)
    sha256 = await put_parts(store)
    assert not await store.transfers.has_blob(sha256)

    def put(arrival: Arrival) -> None:
        arrival.put([new], no_thumbnail)
        arrival.put([file_of(new, sha256)], no_thumbnail)

    await store.transfers.take_in(put)

    assert await store.transfers.has_blob(sha256)
    assert await store.read_file(new.id, "/big.bin") == DATA


@pytest.mark.rule("T24")
async def test_what_fails_on_the_way_leaves_nothing(store: SqliteStore) -> None:
    new = thread(ThreadKind.AGENT)
    sha256 = await put_parts(store, but=1)

    def put(arrival: Arrival) -> None:
        arrival.put([new], no_thumbnail)
        arrival.put([call(new.id)], no_thumbnail)
        arrival.put([file_of(new, sha256)], no_thumbnail)

    with pytest.raises(RunError, match="Import it again"):
        await store.transfers.take_in(put)
    await store.transfers.forget_parts()

    assert await store.thread(new.id) is None
    assert (await store.calls(CallFilter())).rows == ()
    assert chunks(store.path) == 0


@pytest.mark.rule("T24")
async def test_pieces_whose_history_never_came_go_at_the_next_opening(opening: OpenStore, path: Path) -> None:
    store = await opening()
    await put_parts(store)
    assert chunks(path) == 2
    await store.close()

    await opening()

    assert chunks(path) == 0


@pytest.mark.rule("T23")
async def test_a_history_is_read_as_it_was_at_one_moment(store: SqliteStore) -> None:
    new = thread(ThreadKind.AGENT)
    await store.commit(PutThread(new), PutCall(call(new.id)), WriteFile(new.id, "/a", b"a", "text/plain"))
    with closing(sqlite3.connect(store.path, check_same_thread=False)) as other:

        def read(history: StoredHistory) -> tuple[int, int]:
            before = len(history.threads)
            other.execute("DELETE FROM call")
            other.commit()
            return before, len(list(history.rows(Call)))

        assert await store.transfers.hand_out(Selection(threads=(new.id,)), read) == (1, 1)
    assert (await store.calls(CallFilter())).rows == ()

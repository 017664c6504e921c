"""Sessions of channels: a key names one thread, whoever begins it (T17)."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.conftest import OpenStore
from tests.store.sample_history import thread
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.writes import DeleteThread, PutThread
from workbench.store import SqliteStore
from workbench.store.connection import WriterConnection
from workbench.store.tables import MIGRATIONS


def begun(key: str = "42", *, created_at: int = 1) -> Thread:
    new = thread(ThreadKind.AGENT, created_at)
    return new.model_copy(update={"channel": "desk", "channel_key": key})


@pytest.mark.rule("T17")
async def test_two_processes_that_begin_a_session_of_one_key_at_once_get_the_same(opening: OpenStore) -> None:
    stores = [await opening(), await opening()]

    for key in range(20):
        wanted = [begun(str(key)) for _ in range(4)]
        given = await asyncio.gather(*(stores[n % 2].begin_session(one) for n, one in enumerate(wanted)))

        (first,) = {one.id for one in given}
        assert first in {one.id for one in wanted}
        assert [one.id for one in await _of(stores[0], str(key))] == [first]
        found = await stores[1].session("desk", str(key))
        assert found is not None
        assert found.id == first


async def _of(store: SqliteStore, key: str) -> list[Thread]:
    return [one for one in await store.threads(ThreadKind.AGENT) if one.channel_key == key]


async def test_a_session_is_found_as_long_as_it_is_there_and_then_begun_anew(store: SqliteStore) -> None:
    first, second = begun(), begun()
    assert await store.begin_session(first) == first
    await store.commit(PutThread(first.model_copy(update={"agent": "other"})))
    assert (await store.begin_session(second)).agent == "other"
    assert await store.session("desk", "") is None
    assert await store.session("", "42") is None

    await store.commit(DeleteThread(first.id))

    assert await store.session("desk", "42") is None
    assert await store.begin_session(second) == second


async def test_of_several_of_one_key_in_an_older_file_the_newest_is_found(
    opening: OpenStore, path: Path
) -> None:
    store = await opening()
    older, newer, other = begun(created_at=1), begun(created_at=2), begun("43")
    await store.commit(PutThread(newer), PutThread(other), PutThread(thread(ThreadKind.AGENT)))
    await store.close()
    with closing(sqlite3.connect(path, factory=WriterConnection)) as connection, connection:
        connection.execute("DROP INDEX thread_by_key")
        for column in ("channel", "channel_key"):
            connection.execute(f"ALTER TABLE thread DROP COLUMN {column}")
        connection.execute(
            "INSERT INTO thread (id, kind, created_at, payload)"
            " SELECT ?, kind, 1, replace(payload, ?, ?) FROM thread WHERE id = ?",
            (older.id, newer.id, older.id, newer.id),
        )
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = ?", (MIGRATIONS[-1].__name__,))

    store = await opening()

    keys = {key: await store.session("desk", key) for key in ("42", "43")}
    assert {key: found and found.id for key, found in keys.items()} == {"42": newer.id, "43": other.id}
    assert len(await store.threads(ThreadKind.AGENT)) == 4

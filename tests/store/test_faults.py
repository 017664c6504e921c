"""When the disk or a value is at fault: words, nothing half-written, and on it goes when the fault is gone."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from tests.full_disk import fill, small_disk_at
from tests.store.conftest import OpenStore
from tests.store.sample_history import StillClock, call, finished, put_calls, put_thread, started
from workbench.base.errors import BugError, UsageError, UserError
from workbench.domain.pages import CallFilter
from workbench.domain.writes import PutCall, SetValue, WriteFile
from workbench.store import SqliteStore, open_account_store, open_store
from workbench.store.connection import connect_reader
from workbench.store.lanes import ReaderLane


@contextmanager
def no_file_grows_beyond(size: int) -> Generator[None]:
    """The system refuses to make any file of this process longer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk_at(tmp_path / "disk", megabytes=1) as folder:
        yield folder


@pytest.fixture
async def full_disk_store(small_disk: Path, clock: StillClock) -> AsyncIterator[SqliteStore]:
    store = await open_store(small_disk / "threads.db", clock=clock)
    yield store
    await store.close()


async def test_a_full_disk_is_said_and_the_store_goes_on_when_there_is_space_again(
    full_disk_store: SqliteStore, small_disk: Path
) -> None:
    store = full_disk_store
    thread_id = await put_thread(store)
    running, begun = started(thread_id)
    await store.commit(*begun)
    filler = small_disk / "filler"
    fill(filler)
    done, ended = finished(running, "too long for this disk " * 2_000)

    with pytest.raises(UserError, match=r"no space left .*threads.db.*Free some space"):
        await store.commit(*ended)
    assert await store.call(running.id) == running
    assert len(await store.events(thread_id)) == 1

    filler.unlink()
    await store.commit(*ended)

    assert await store.call(done.id) == done
    assert [row.id for row in (await store.calls(CallFilter(text="disk"))).rows] == [done.id]


async def test_a_disk_that_refuses_writes_is_said_and_nothing_of_the_batch_is_kept(
    store: SqliteStore,
) -> None:
    thread_id = await put_thread(store)
    first, second = call(thread_id), call(thread_id)
    await put_calls(store, first)
    await store.indexed()

    with no_file_grows_beyond(8_192), pytest.raises(UserError, match=r"disk|space"):
        await store.commit(PutCall(second), WriteFile(thread_id, "/a", b"x" * 50_000, "text/plain"))

    assert await store.call(second.id) is None
    assert await store.files(thread_id) == []
    await store.commit(PutCall(second))
    assert await store.count_calls(CallFilter()) == 2


async def test_indexing_that_a_full_disk_broke_off_begins_again(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    long = call(thread_id, text="firstword " + "filler " * 100_000 + "lastword")
    await put_calls(store, long)

    with no_file_grows_beyond(8_192), pytest.raises(UserError):
        await store.indexed()

    for word in ("firstword", "lastword"):
        assert [row.id for row in (await store.calls(CallFilter(text=word))).rows] == [long.id]


async def test_while_the_disk_is_full_every_waiting_writer_is_told_and_none_hangs(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    await store.indexed()

    with no_file_grows_beyond(8_192):
        results = await asyncio.wait_for(
            asyncio.gather(
                *(store.commit(PutCall(call(thread_id, text="x" * 9_000))) for _ in range(50)),
                return_exceptions=True,
            ),
            timeout=20,
        )

    assert {type(result) for result in results} == {UserError}
    assert await store.count_calls(CallFilter()) == 0


async def test_a_store_that_was_taken_away_is_said(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    path.unlink()

    with pytest.raises(UserError, match=r"moved or removed.*open the project again"):
        await store.commit(SetValue(thread_id, "k", "1"))


async def test_the_first_question_of_a_reader_after_the_store_was_taken_away_says_the_same(
    store: SqliteStore, path: Path
) -> None:
    """A reader opens its connection when it is first asked, and SQLite says only that there is no file."""
    readers = ReaderLane(path, partial(connect_reader, path))
    path.unlink()

    with pytest.raises(UserError, match=r"moved or removed.*open the project again"):
        await readers.run(lambda connection: connection.total_changes)
    await readers.close()


async def test_a_value_that_cannot_be_stored_is_refused_alone(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    impossible = call(thread_id, created_at=2**80)

    with pytest.raises(UsageError, match="cannot be stored"):
        await store.commit(SetValue(thread_id, "k", "1"), PutCall(impossible))
    with pytest.raises(UsageError, match="cannot be stored"):
        await store.commit(SetValue(thread_id, "k", "half \ud83d"))

    assert await store.value(thread_id, "k") is None


async def test_a_mistake_of_ours_is_told_and_the_writer_goes_on(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    no_write = cast(SetValue, "no write")

    outcomes = await asyncio.gather(
        store.commit(no_write), store.commit(SetValue(thread_id, "k", "1")), return_exceptions=True
    )

    assert [type(outcome) for outcome in outcomes] == [BugError, type(None)]
    assert await store.value(thread_id, "k") == "1"


async def test_an_account_store_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "person").write_text("a file")

    with pytest.raises(UserError, match=r"person.* cannot be made"):
        await open_account_store(tmp_path / "person" / "account.db")


async def test_opening_fails_with_words_when_the_disk_is_full(opening: OpenStore) -> None:
    with no_file_grows_beyond(4_096), pytest.raises(UserError, match=r"disk|space"):
        await opening()

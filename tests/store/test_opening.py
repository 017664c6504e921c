"""Opening a file: new, older, newer, somebody else's, read-only, damaged."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.conftest import OpenStore
from tests.store.sample_history import (
    HOUR_US,
    StillClock,
    call,
    count,
    finished,
    message,
    put_calls,
    put_thread,
    started,
    thread,
)
from workbench.base.errors import BugError, UserError
from workbench.base.ids import RequestId, uuid7
from workbench.domain.events import ThreadMoved
from workbench.domain.pages import CallFilter
from workbench.domain.threads import Inbound, ThreadKind, ThreadStatus, WrittenAnswer
from workbench.domain.writes import AppendEvent, PutCall, PutInbound, PutThread, SetValue, WriteFile
from workbench.store import SqliteStore, open_account_store, open_store
from workbench.store.schema import migrate, open_writer
from workbench.store.tables import MIGRATIONS, Migration

RELEASED = sorted(Path("tests/data/store").glob("schema-*.db"))


def with_a_new_table(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE novelty (id TEXT PRIMARY KEY)")


def that_loses_rows(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM call")


def that_fails(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (id TEXT)")
    connection.execute("SELECT * FROM not_there")


async def fill(opening: OpenStore, calls: int = 3) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    await put_calls(store, *(call(thread_id, text=f"result {number} " * 20) for number in range(calls)))
    await store.indexed()
    await store.close()


def migrate_file(path: Path, *added: Migration) -> None:
    with closing(open_writer(path)) as connection:
        migrate(connection, path, [*MIGRATIONS, *added])


# --- new and kept


async def test_a_new_store_has_a_project_id_that_stays(opening: OpenStore, path: Path) -> None:
    first = await opening()
    await first.close()
    second = await opening()

    assert len(first.project_id) == 36
    assert second.project_id == first.project_id
    assert (path.parent / ".gitignore").read_text() == "*\n"
    assert second.damage == second.interrupted == ()


async def test_a_closed_store_is_one_file(opening: OpenStore, path: Path) -> None:
    await fill(opening)

    assert [file.name for file in path.parent.iterdir() if file.is_file() and file.name != ".gitignore"] == [
        path.name
    ]


@pytest.mark.parametrize("released", RELEASED, ids=lambda file: file.stem)
async def test_a_file_of_every_released_schema_opens_with_all_it_holds(
    released: Path, opening: OpenStore, path: Path
) -> None:
    path.parent.mkdir()
    shutil.copy(released, path)

    store = await opening()

    assert store.damage == ()
    (found,) = (await store.calls(CallFilter(text="kept"))).rows
    whole = await store.call(found.id)
    assert whole is not None
    assert whole.result is not None
    assert whole.result.text.startswith("a result that was kept")
    assert len(whole.log) == 100_000
    thread = await store.bench_thread()
    assert thread is not None
    assert (await store.messages(thread.id)).total == 2
    assert len(await store.events(thread.id)) == 3
    assert await store.value(thread.id, "k") == '{"n":1.10}'
    assert await store.read_file(thread.id, "/attachments/a.txt") == b"attached"
    assert [row.name for row in await store.variables()] == ["UNIT"]


@pytest.mark.rule("T5", "T9")
async def test_threads_that_a_dead_process_ran_are_stopped_once_and_those_at_rest_or_ended_for_good_stay_so(
    opening: OpenStore, path: Path
) -> None:
    store = await opening()
    threads = [thread(ThreadKind.AGENT) for _ in range(4)]
    states: list[dict[str, object]] = [
        {"status": ThreadStatus.RUNNING},
        {"status": ThreadStatus.TERMINATED, "terminated_at": 1},
        {"status": ThreadStatus.AWAITING_HUMAN},
        {"status": ThreadStatus.AWAITING_HUMAN},
    ]
    for one, state in zip(threads, states, strict=True):
        await store.commit(PutThread(one.model_copy(update=state)))
    unread = Inbound(id=uuid7(), thread_id=threads[3].id, message=message(threads[3].id, "Hello."))
    await store.commit(PutInbound(unread))
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE thread SET owner = 'gone'")

    for _ in range(2):
        store = await opening()
        found = [await store.thread(one.id) for one in threads]
        assert [one.status for one in found if one] == [
            ThreadStatus.STOPPED,
            ThreadStatus.TERMINATED,
            ThreadStatus.AWAITING_HUMAN,
            ThreadStatus.STOPPED,
        ]
        assert [len(await store.events(one.id)) for one in threads] == [1, 0, 0, 1]
        assert await store.elsewhere_within(threads[2].id) == []
        await store.close()


@pytest.mark.rule("C7", "T9")
async def test_what_a_crash_cut_off_ended_when_it_was_last_heard_of(
    opening: OpenStore, path: Path, clock: StillClock
) -> None:
    store = await opening()
    at_work = thread(ThreadKind.AGENT).model_copy(update={"status": ThreadStatus.RUNNING})
    began = ThreadMoved(thread_id=at_work.id, at=clock.now, status=ThreadStatus.RUNNING, side="a")
    running, begun = started(at_work.id)
    await store.commit(PutThread(at_work), AppendEvent(began), *begun)
    first = running.model_copy(update={"created_at": clock.now, "started_at": clock.now})
    await store.commit(PutCall(first))
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE thread SET owner = 'gone'")
        connection.execute("UPDATE call SET owner = 'gone'")
    cut_off_at = clock.now
    clock.now += 8 * HOUR_US

    store = await opening()

    (spans,) = await store.spans(at_work.id)
    assert [(run.ended, run.status) for run in spans.runs] == [(cut_off_at, ThreadStatus.STOPPED)]
    assert [call.ended_at for call in spans.calls] == [cut_off_at]
    closed = await store.thread(at_work.id)
    assert closed is not None
    assert closed.updated_at == clock.now


@pytest.mark.rule("T9", "T17")
async def test_a_thread_that_was_not_read_is_stopped_at_the_next_opening_and_one_with_a_mere_wish_is_not(
    opening: OpenStore,
) -> None:
    store = await opening()
    written, wished, answered = threads = [thread(ThreadKind.AGENT) for _ in range(3)]
    asked = RequestId(uuid7())
    left = [
        Inbound(id=uuid7(), thread_id=written.id, message=message(written.id, "Hello.")),
        Inbound(id=uuid7(), thread_id=wished.id, stop=True),
        Inbound(id=uuid7(), thread_id=answered.id, answer=WrittenAnswer(request_id=asked, text="Hello.")),
    ]
    await store.commit(*map(PutThread, threads), *map(PutInbound, left))
    assert [(await store.snapshot(one.id, "a")).is_written_to for one in threads] == [True, True, False]
    await store.close()

    store = await opening()

    found = [await store.thread(one.id) for one in threads]
    assert [one.status for one in found if one] == [
        ThreadStatus.STOPPED,
        ThreadStatus.IDLE,
        ThreadStatus.IDLE,
    ]
    for one in (wished, answered):
        await store.claim(one.id)
        assert await store.inbox(one.id) == []


def test_every_released_schema_has_its_kept_file() -> None:
    assert [file.stem for file in RELEASED] == [f"schema-{n}" for n in range(1, len(MIGRATIONS) + 1)]


# --- older and newer


async def test_an_older_file_is_copied_before_it_is_changed(opening: OpenStore, path: Path) -> None:
    await fill(opening)

    migrate_file(path, with_a_new_table)

    copy = path.with_name("threads.db.before-with_a_new_table")
    assert count(path, "call") == count(copy, "call") == 3
    assert count(path, "novelty") == 0
    with pytest.raises(sqlite3.OperationalError):
        count(copy, "novelty")


@pytest.mark.parametrize(("migration", "error"), [(that_loses_rows, BugError), (that_fails, sqlite3.Error)])
async def test_a_migration_that_goes_wrong_leaves_the_file_as_it_was(
    opening: OpenStore, path: Path, migration: Migration, error: type[Exception]
) -> None:
    await fill(opening)

    with pytest.raises(error):
        migrate_file(path, migration)

    store = await opening()
    assert await store.count_calls(CallFilter()) == 3


async def test_a_file_of_a_newer_workbench_is_refused_with_words(opening: OpenStore, path: Path) -> None:
    await fill(opening)
    migrate_file(path, with_a_new_table)
    before = path.read_bytes()

    with pytest.raises(UserError, match=r"newer Workbench.*Update Workbench"):
        await opening()

    assert path.read_bytes() == before


async def test_a_database_of_another_program_is_left_alone(opening: OpenStore, path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE cats (name TEXT)")

    with pytest.raises(UserError, match="another program"):
        await opening()

    assert count(path, "cats") == 0


async def test_a_store_of_the_account_and_one_of_a_project_are_not_mixed_up(
    opening: OpenStore, path: Path
) -> None:
    await fill(opening)

    with pytest.raises(UserError, match="another program"):
        await open_account_store(path)


# --- read-only


@pytest.fixture
def folder_mode(path: Path) -> Iterator[Path]:
    yield path.parent
    path.parent.chmod(0o755)


@pytest.mark.parametrize("what", ["file", "folder"])
async def test_a_store_that_cannot_be_written_is_opened_for_reading(
    opening: OpenStore, path: Path, folder_mode: Path, what: str
) -> None:
    await fill(opening)
    path.chmod(0o444)
    folder_mode.chmod(0o555 if what == "folder" else 0o755)

    store = await opening()

    assert store.is_read_only
    assert len((await store.calls(CallFilter(text="result"))).rows) == 3
    with pytest.raises(UserError, match="opened for reading"):
        await store.commit(SetValue((await store.threads())[0].id, "k", "1"))
    with pytest.raises(UserError, match="opened for reading"):
        await store.apply_retention(max_bytes=0)
    assert (await store.close_abandoned()).calls == ()


async def test_what_a_killed_program_left_in_the_log_is_read_also_where_nothing_can_be_written(
    opening: OpenStore, path: Path, tmp_path: Path
) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    await put_calls(store, *(call(thread_id) for _ in range(3)))
    await store.indexed()
    left = tmp_path / "left"
    shutil.copytree(path.parent, left, ignore=shutil.ignore_patterns("*-open"))
    left.chmod(0o555)
    try:
        read = await open_store(left / path.name, clock=StillClock())
        assert read.is_read_only
        assert await read.count_calls(CallFilter()) == 3
        await read.close()
    finally:
        left.chmod(0o755)


async def test_a_folder_that_cannot_be_made_is_said(opening: OpenStore, path: Path) -> None:
    path.parent.write_text("a file stands where the folder should be")

    with pytest.raises(UserError, match=r"cannot be made"):
        await opening()


# --- damaged


async def fill_and_damage(opening: OpenStore, path: Path, start: float, length: int) -> int:
    """A store of 400 calls with some bytes of its file overwritten; how many bytes the file has."""
    await fill(opening, calls=400)
    data = bytearray(path.read_bytes())
    at = int(len(data) * start) // 4096 * 4096
    data[at : at + length] = b"\xa5" * length
    path.write_bytes(data)
    return len(data)


@pytest.mark.parametrize("start", [0.1, 0.3, 0.4, 0.6, 0.8])
async def test_a_bad_page_is_found_and_the_rest_saved_into_a_new_file(
    opening: OpenStore, path: Path, start: float
) -> None:
    await fill_and_damage(opening, path, start, 4096)
    damaged = path.read_bytes()

    store = await opening()

    found = await store.count_calls(CallFilter())
    assert "damaged" in store.damage[0]
    assert found > 300
    assert await store.count_calls(CallFilter(text="result")) == found
    assert path.with_name("threads.db.damaged-1").read_bytes() == damaged
    assert str(path.with_name("threads.db.damaged-1")) in store.damage[-1]
    thread = await store.bench_thread()
    assert thread is None or (await put_calls(store, call(thread.id)))
    await store.close()
    assert (await opening()).damage == ()


async def test_what_is_left_of_a_truncated_file_is_saved(opening: OpenStore, path: Path) -> None:
    await fill(opening, calls=400)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 6 // 10])

    store = await opening()

    assert store.damage
    assert 0 < await store.count_calls(CallFilter()) <= 400
    for row in (await store.calls(CallFilter(), limit=400)).rows:
        assert await store.call(row.id) is not None


async def test_a_file_that_is_no_database_is_kept_aside_and_a_new_one_begun(
    opening: OpenStore, path: Path
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all " * 500)

    store = await opening()

    assert "Not all could be saved" in store.damage[1]
    assert await store.threads() == []
    assert path.with_name("threads.db.damaged-1").read_bytes() == b"not a database at all " * 500


async def test_calls_whose_thread_is_gone_are_kept_in_a_recovered_one(opening: OpenStore, path: Path) -> None:
    await fill(opening)
    with closing(sqlite3.connect(path)) as meddling:
        meddling.execute("DELETE FROM thread")
        meddling.commit()

    store = await opening()

    assert store.damage[1] == "Everything in it could be saved."
    assert await store.count_calls(CallFilter()) == 3
    assert [thread.status_text for thread in await store.threads()] == ["recovered"]
    assert await store.bench_thread() is None


async def test_a_value_whose_blob_was_lost_still_shows_its_beginning(opening: OpenStore, path: Path) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    running, begun = started(thread_id)
    done, ended = finished(running, "the beginning " * 10_000)
    await store.commit(*begun)
    await store.commit(*ended)
    await store.close()
    with closing(sqlite3.connect(path)) as meddling:
        meddling.execute("DELETE FROM chunk")
        meddling.commit()

    store = await opening()

    found = await store.call(done.id)
    assert found is not None
    assert found.result is not None
    assert found.result.text.startswith("the beginning the beginning")
    assert len(found.result.text) < 2_000


async def test_damage_met_while_open_is_said_and_repaired_at_the_next_opening(
    opening: OpenStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.damage.CHECKED_BYTES", 0)
    await fill_and_damage(opening, path, 0.3, 4096)
    store = await opening()
    assert store.damage == ()

    with pytest.raises(UserError, match=r"damaged.*open it again"):
        await write_everything_again(store)
    await store.close()

    assert (await opening()).damage


async def test_damage_met_on_the_way_of_opening_is_repaired_at_once(
    opening: OpenStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.damage.CHECKED_BYTES", 0)
    await fill_and_damage(opening, path, 0.05, 100_000)

    assert (await opening()).damage


async def test_a_damaged_store_that_is_open_elsewhere_is_not_touched(opening: OpenStore, path: Path) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    await put_calls(store, *(call(thread_id) for _ in range(200)))
    await store.commit(WriteFile(thread_id, "/a", b"x" * 100_000, "text/plain"))
    with closing(sqlite3.connect(path)) as meddling:
        meddling.execute("DELETE FROM thread")
        meddling.commit()

    with pytest.raises(UserError, match="another program has it open"):
        await opening()

    assert not path.with_name("threads.db.damaged-1").exists()


async def write_everything_again(store: SqliteStore) -> None:
    page = await store.calls(CallFilter(), limit=500)
    for row in page.rows:
        found = await store.call(row.id)
        assert found is not None
        await store.commit(PutCall(found))

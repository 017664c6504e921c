"""What a killed process leaves behind, and two processes on one project."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import pytest

from tests.store.conftest import OpenStore
from tests.store.sample_history import call, count, put_thread, thread
from workbench.base.errors import UserError
from workbench.base.ids import CallId
from workbench.domain.calls import CallState, FailureKind
from workbench.domain.events import EVENT, CallFinished
from workbench.domain.pages import CallFilter
from workbench.domain.threads import MessageStatus, ThreadKind, ThreadStatus
from workbench.domain.writes import PutCall, PutThread, SetValue
from workbench.store import SqliteStore

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def process(what: str, path: Path, *arguments: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """`other_process.py`, killed at the end if it still runs."""
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.store.other_process", what, str(path), *arguments),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield other
    finally:
        if other.returncode is None:
            # Its own `kill` first looks whether it has ended by itself, and so takes the status from who waits for it.
            with suppress(ProcessLookupError):
                os.kill(other.pid, signal.SIGKILL)
        await other.communicate()


async def said(other: asyncio.subprocess.Process) -> str:
    """The next line of the other process."""
    assert other.stdout is not None
    line = await asyncio.wait_for(other.stdout.readline(), timeout=40)
    return line.decode().strip()


async def check_after_a_kill(store: SqliteStore, lines: list[str]) -> None:
    """Nothing acknowledged is lost, and every call has its result and its messages."""
    began = {CallId(line.split()[1]) for line in lines if line.startswith("began ")}
    ended = {CallId(line.split()[1]) for line in lines if line.startswith("ended ")}
    rows = (await store.calls(CallFilter(), limit=100_000)).rows
    assert began <= {row.id for row in rows}
    assert all(row.state.is_final for row in rows)
    assert ended <= {row.id for row in rows if row.state is CallState.SUCCEEDED}
    assert store.damage == ()


# --- after a kill


@pytest.mark.rule("C7")
async def test_a_call_that_a_killed_process_left_open_is_closed_as_interrupted(
    path: Path, opening: OpenStore
) -> None:
    async with process("hold", path) as other:
        await said(other)
        call_id = CallId((await said(other)).split()[1])
        other.kill()

    store = await opening()

    (closed,) = store.interrupted
    assert closed == await store.call(call_id)
    assert closed.state is CallState.FAILED
    assert closed.result is not None
    assert closed.result.failure is not None
    assert closed.result.failure.kind is FailureKind.INTERRUPTED
    assert closed.result_message_id is not None
    result = await store.message(closed.result_message_id)
    assert result is not None
    assert (result.status, result.tool_status, result.tool_call_id) == (
        MessageStatus.COMPLETED,
        "error",
        call_id,
    )
    assert result.content == closed.result.text
    page = await store.messages(closed.thread_id)
    assert [message.id for message in page.messages] == [closed.message_id, result.id]
    last = EVENT.validate_json((await store.events(closed.thread_id))[-1])
    assert isinstance(last, CallFinished)
    assert last.result == closed.result
    await store.close()
    assert (await opening()).interrupted == ()


@pytest.mark.rule("C7")
async def test_an_interrupted_call_keeps_what_it_was_known_to_print_and_ends_when_it_was_last_heard_of(
    path: Path, opening: OpenStore
) -> None:
    async with process("hold", path, "3") as other:
        await said(other)
        call_id = CallId((await said(other)).split()[1])
        other.kill()

    closed = await (await opening()).call(call_id)

    assert closed is not None
    assert closed.log == "line 1\nline 2\nline 3\n"
    assert closed.duration_ms == 3_000


@pytest.mark.rule("C7")
async def test_how_long_an_interrupted_call_ran_that_was_never_heard_of_is_not_said(
    path: Path, opening: OpenStore
) -> None:
    async with process("hold", path) as other:
        await said(other)
        call_id = CallId((await said(other)).split()[1])
        other.kill()

    closed = await (await opening()).call(call_id)

    assert closed is not None
    assert (closed.log, closed.finished_at, closed.duration_ms) == ("", None, None)


@pytest.mark.rule("C7")
async def test_a_call_that_died_before_its_messages_were_made_gets_its_result_message(
    path: Path, opening: OpenStore
) -> None:
    store = await opening()
    orphan = call(await put_thread(store), state=CallState.WAITING_FOR_VARIABLE)
    await store.commit(PutCall(orphan))
    with closing(sqlite3.connect(path)) as meddling:
        meddling.execute("UPDATE call SET owner = 'nobody'")
        meddling.commit()

    (closed,) = (await store.close_abandoned()).calls

    (result,) = (await store.messages(orphan.thread_id)).messages
    assert (result.id, result.tool_call_id) == (closed.result_message_id, orphan.id)


async def kill_at_a_random_moment(path: Path, opening: OpenStore, seconds: float) -> int:
    """Kill a process in the middle of its calls, look at what it left; how many calls had ended."""
    async with process("calls", path) as other:
        lines = [await said(other)]
        assert lines[0].startswith("opened")
        while not lines[-1].startswith("ended"):
            lines.append(await said(other))
        try:
            await asyncio.wait_for(other.wait(), timeout=seconds)
        except TimeoutError:
            os.kill(other.pid, signal.SIGKILL)
        rest, _ = await other.communicate()
    lines += rest.decode().splitlines()[: rest.count(b"\n")]
    store = await opening()
    await check_after_a_kill(store, lines)
    await store.close()
    return sum(line.startswith("ended") for line in lines)


@pytest.mark.rule("C7")
async def test_killed_in_the_middle_nothing_acknowledged_is_lost(path: Path, opening: OpenStore) -> None:
    assert await kill_at_a_random_moment(path, opening, 0.2) > 0


@pytest.mark.rule("C7")
@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_killed_at_fifty_random_moments_nothing_acknowledged_is_lost(
    path: Path, opening: OpenStore
) -> None:
    chance = random.Random(7731)
    ended = [await kill_at_a_random_moment(path, opening, chance.random() * 0.4) for _ in range(50)]

    assert sum(ended) > 500
    assert count(path, "call") >= sum(ended)


# --- two processes


async def test_calls_of_a_live_process_stay_open_and_are_closed_when_it_dies(
    path: Path, opening: OpenStore
) -> None:
    async with process("hold", path) as other:
        await said(other)
        call_id = CallId((await said(other)).split()[1])

        store = await opening()

        assert store.interrupted == ()
        running = await store.call(call_id)
        assert running is not None
        assert running.state is CallState.RUNNING

        await store.indexed()  # nothing is left for the other to do
        noticed = asyncio.create_task(store.changed_elsewhere())
        await asyncio.wait([noticed], timeout=0.7)
        assert not noticed.done()
        other.kill()
        await asyncio.wait_for(noticed, timeout=30)

        assert [closed.id for closed in (await store.close_abandoned()).calls] == [call_id]


async def test_processes_that_start_together_on_a_new_project_agree(path: Path) -> None:
    async with process("one", path) as first, process("one", path) as second, process("one", path) as third:
        opened = [await said(other) for other in (first, second, third)]
        closed = [await said(other) for other in (first, second, third)]

    assert len(set(opened)) == 1
    assert closed == ["closed"] * 3
    assert count(path, "call") == 3


async def test_two_processes_write_side_by_side_and_none_is_told_that_the_store_is_locked(
    path: Path, store: SqliteStore
) -> None:
    thread_id = await put_thread(store)
    async with process("values", path, "600") as other:
        assert (await said(other)).startswith("opened")
        number = 0
        ending = asyncio.create_task(said(other))
        while not ending.done():
            await asyncio.gather(
                *(store.commit(SetValue(thread_id, f"own {number + n}", "1")) for n in range(20))
            )
            number += 20

        assert await ending == "closed"

    assert count(path, "value") == 600 + number


async def test_a_write_of_another_process_is_noticed_and_an_own_one_never(
    path: Path, store: SqliteStore
) -> None:
    await put_thread(store)
    await store.indexed()
    noticed = asyncio.create_task(store.changed_elsewhere())
    await store.commit(SetValue((await store.threads())[0].id, "k", "1"))
    await store.indexed()
    await asyncio.wait([noticed], timeout=1.2)
    assert not noticed.done()

    async with process("one", path) as other:
        await said(other)
        await asyncio.wait_for(noticed, timeout=30)
        assert await said(other) == "closed"

    again = asyncio.create_task(store.changed_elsewhere())
    with closing(sqlite3.connect(path)) as elsewhere:
        elsewhere.execute("INSERT INTO meta VALUES ('x', 'y')")
        elsewhere.commit()
    await asyncio.wait_for(again, timeout=30)


async def test_a_program_that_keeps_the_file_to_itself_is_named_not_a_lock(
    path: Path, opening: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.connection.BUSY_SECONDS", 0.05)
    store = await opening()
    thread_id = await put_thread(store)
    await store.indexed()
    with closing(sqlite3.connect(path)) as selfish:
        selfish.execute("BEGIN IMMEDIATE")
        results = await asyncio.gather(
            *(store.commit(SetValue(thread_id, f"{n}", "1")) for n in range(30)), return_exceptions=True
        )
        assert {type(result) for result in results} == {UserError}
        assert all("Another program" in str(result) and "locked" not in str(result) for result in results)
        selfish.rollback()

    await store.commit(SetValue(thread_id, "k", "1"))

    assert count(path, "value") == 1


@pytest.mark.rule("T17")
async def test_what_is_written_too_late_of_a_thread_that_another_process_runs_changes_nothing(
    opening: OpenStore,
) -> None:
    ours, theirs = await opening(), await opening()
    at_rest = thread(ThreadKind.AGENT)
    await ours.commit(PutThread(at_rest))
    assert await theirs.claim(at_rest.id)
    late = at_rest.model_copy(update={"status_text": "Counting."})

    await ours.commit(PutThread(late))
    assert await ours.is_elsewhere(at_rest.id)
    running = at_rest.model_copy(update={"status": ThreadStatus.RUNNING})
    await theirs.commit(PutThread(running))
    await ours.commit(PutThread(late))

    assert await ours.is_elsewhere(at_rest.id)
    assert await ours.thread(at_rest.id) == running
    assert await ours.claim(at_rest.id) is None
    await theirs.commit(PutThread(at_rest))
    await ours.commit(PutThread(late))
    assert await theirs.thread(at_rest.id) == late

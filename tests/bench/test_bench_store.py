"""How fast the store is: group commit, the cost of a write apart from the disk, the pages of a long history."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time

import pytest

from tests.bench.conftest import Table
from tests.bench.pairs import measured_in_turn, per_second
from tests.store.sample_history import call, finished, message, put_thread, started
from workbench.base.clock import SystemClock
from workbench.domain.calls import CallState, Origin
from workbench.domain.pages import CallFilter
from workbench.domain.writes import AppendEvent, PutCall, PutMessage, Write
from workbench.store import SqliteStore, open_store
from workbench.store.connection import transaction
from workbench.store.writes import Recorder

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_store(tmp_path / "threads.db", clock=SystemClock())
    yield store
    await store.close()


async def test_two_hundred_waiting_writers_get_at_least_four_times_the_commits_of_one(
    store: SqliteStore, table: Table
) -> None:
    thread_id = await put_thread(store)

    async def write() -> None:
        await store.commit(PutMessage(message(thread_id, "x" * 400)))

    pairs = await measured_in_turn(
        partial(per_second, write, calls=3_000, callers=200), partial(per_second, write, calls=200, callers=1)
    )

    table.ratio(
        "commits per second, 200 waiting writers beside one",
        pairs.ratio,
        measured=f"{median(pairs.ours):,.0f}",
        beside=f"{median(pairs.theirs):,.0f}",
        at_least=4,
    )


async def test_a_write_costs_some_microseconds_apart_from_the_disk(store: SqliteStore, table: Table) -> None:
    thread_id = await put_thread(store)
    running = [call(thread_id, state=CallState.RUNNING) for _ in range(2_000)]
    ended = [finished(started(thread_id)[0], "9.8 ft")[1][-1] for _ in range(2_000)]
    kinds: dict[str, list[Write]] = {
        "PutCall, new": [PutCall(one) for one in running],
        "PutCall, again": [PutCall(one.model_copy(update={"state": CallState.SUCCEEDED})) for one in running],
        "PutMessage": [PutMessage(message(thread_id)) for _ in range(2_000)],
        "AppendEvent": [write for write in ended if isinstance(write, AppendEvent)],
    }

    def cost(recorder: Recorder, writes: list[Write]) -> float:
        with transaction(recorder.connection):
            began = thread_time()
            recorder.write(writes)
            return (thread_time() - began) / len(writes) * 1e6

    for name, writes in kinds.items():
        lane = store._writer  # pyright: ignore[reportPrivateUsage]
        assert lane is not None
        figure = await lane.run(lambda recorder, writes=writes: cost(recorder, writes))
        table.show(f"{name}, without the disk", f"{figure:.1f} µs")


async def test_a_page_of_a_long_history_comes_at_once(store: SqliteStore, table: Table) -> None:
    thread_id = await put_thread(store)
    for part in range(40):
        calls = [
            call(
                thread_id,
                f"tool{n % 50}",
                state=CallState.FAILED if n % 1000 == 7 else CallState.SUCCEEDED,
                origin=Origin.MCP if n % 2000 == 9 else Origin.FORM,
                text=f"result {part} {n}",
            )
            for n in range(2_500)
        ]
        await store.commit(*map(PutCall, calls))
    await store.indexed()
    for name, wanted in {
        "all": CallFilter(),
        "of one tool": CallFilter(tool="tool7"),
        "of a rare origin": CallFilter(origins=(Origin.MCP,)),
        "failed or stopped (rare)": CallFilter(states=(CallState.FAILED, CallState.STOPPED)),
        "with a word that all have": CallFilter(text="result"),
        "with a rare word": CallFilter(text="2477"),
    }.items():
        times: list[float] = []
        for _ in range(15):
            began = perf_counter()
            page = await store.calls(wanted, limit=50)
            times.append((perf_counter() - began) * 1e3)
            assert len(page.rows) >= 40
        table.show(f"50 of 100,000 calls, {name}", f"{median(times):.2f} ms")

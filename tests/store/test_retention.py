"""Retention gives up the oldest ended calls, by age and by size."""

from __future__ import annotations

from pathlib import Path

from tests.store.sample_history import HOUR_US, StillClock, call, put_calls, put_thread
from workbench.domain.calls import CallState
from workbench.domain.pages import CallFilter
from workbench.store import SqliteStore


async def test_calls_older_than_the_age_go_and_open_ones_stay(store: SqliteStore, clock: StillClock) -> None:
    thread_id = await put_thread(store)
    old = [call(thread_id, created_at=clock.now - 25 * HOUR_US) for _ in range(250)]
    waiting = call(thread_id, state=CallState.WAITING_FOR_VARIABLE, created_at=clock.now - 99 * HOUR_US)
    fresh = call(thread_id, created_at=clock.now - 23 * HOUR_US)
    await put_calls(store, waiting, *old, fresh)

    assert await store.apply_retention(max_age_days=1) == 250

    assert [row.id for row in (await store.calls(CallFilter())).rows] == [fresh.id, waiting.id]
    assert await store.apply_retention(max_age_days=1) == 0


async def test_the_oldest_calls_go_until_the_file_is_small_enough(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    ids = await put_calls(store, *(call(thread_id, text="x" * 20_000) for _ in range(400)))
    await store.indexed()

    await store.apply_retention(max_bytes=6_000_000)

    left = [row.id for row in (await store.calls(CallFilter(), limit=400)).rows]
    assert 0 < len(left) < 400
    assert left == ids[::-1][: len(left)]
    assert path.stat().st_size < 6_100_000


async def test_without_a_limit_nothing_goes(store: SqliteStore) -> None:
    await put_calls(store, call(await put_thread(store)))

    assert await store.apply_retention() == 0
    assert await store.apply_retention(max_bytes=10_000_000) == 0
    assert await store.count_calls(CallFilter()) == 1

"""Stores that are closed again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.store.sample_history import StillClock
from workbench.store import SqliteStore, open_store

OpenStore = Callable[[], Awaitable[SqliteStore]]


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".workbench" / "threads.db"


@pytest.fixture
async def opening(path: Path, clock: StillClock) -> AsyncIterator[OpenStore]:
    """Opens the store of this test, again if wanted."""
    opened: list[SqliteStore] = []

    async def open_again() -> SqliteStore:
        store = await open_store(path, clock=clock)
        opened.append(store)
        return store

    yield open_again
    for store in opened:
        await store.close()


@pytest.fixture
async def store(opening: OpenStore) -> SqliteStore:
    return await opening()

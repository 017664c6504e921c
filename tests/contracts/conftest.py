"""The implementations that the contract suites run against."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workbench.base.clock import SystemClock
from workbench.store import SqliteAccountStore, SqliteStore, open_account_store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await open_store(tmp_path / "threads.db", clock=SystemClock())
    yield store
    await store.close()


@pytest.fixture
async def account(tmp_path: Path) -> AsyncIterator[SqliteAccountStore]:
    account = await open_account_store(tmp_path / "person" / "account.db")
    yield account
    await account.close()

"""One engine a test, on an empty store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.engine.rig import Rig, make_engine
from workbench.base.clock import SystemClock
from workbench.engine.doubles.host import ScriptedHost
from workbench.engine.doubles.vault import MemoryVault
from workbench.store import open_account_store, open_store


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """An engine with nothing in it yet."""
    store = await open_store(tmp_path / "threads.db", clock=SystemClock())
    accounts = await open_account_store(tmp_path / "account.db")
    host, vault = ScriptedHost(), MemoryVault()
    engine = make_engine(store, accounts, tmp_path, host=host, vault=vault)
    rig = Rig(engine, host, store, engine.services.variables, vault, accounts, tmp_path)
    engine.services.bus.subscribe(rig.events.append)
    yield rig
    await engine.close()
    await accounts.close()
    await store.close()

"""Events of kinds that only a newer Workbench knows: whoever reads a thread's events reads on behind them."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.app.threads.threads import AgentThreads


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


async def test_events_behind_those_that_only_a_newer_workbench_knows_are_read(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "One."}])
    thread = await rig.talk("helper", "Hello.")
    desk = AgentThreads(rig.engine, rig.rig.store)
    before = await desk.numbered_events(thread.id, limit=100)
    newer = """UPDATE event SET payload = json_set(payload, '$.data.type', 'dreamt') WHERE number <= 2"""
    with closing(sqlite3.connect(rig.rig.folder / "threads.db")) as connection, connection:
        connection.execute(newer)

    assert await desk.numbered_events(thread.id, limit=2) == before[2:4]
    events, last = await desk.events(thread.id)
    assert events == tuple(event for _, event in before[2:])
    assert last == before[-1][0]
    assert (await desk.events(thread.id, after=last)) == ((), last)

"""A second process at work on the project of a rig: an opening of the store and an engine of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest

from tests.engine.rig import Rig, make_engine
from tests.engine.thread_rig import ThreadRig
from workbench.app.upkeep import follow_wishes
from workbench.base.clock import SystemClock
from workbench.store import open_store


@asynccontextmanager
async def process_on(first: ThreadRig, *, person_attached: bool = False) -> AsyncGenerator[ThreadRig]:
    """The rig of another process, with the same tools and models; the definitions are loaded in it."""
    store = await open_store(first.rig.folder / "threads.db", clock=SystemClock())
    engine = make_engine(
        store,
        first.rig.accounts,
        first.rig.folder,
        host=first.host,
        vault=first.rig.vault,
        models=first.models,
        person_attached=person_attached,
    )
    rig = replace(first.rig, engine=engine, store=store, variables=engine.services.variables, events=[])
    engine.services.bus.subscribe(rig.events.append)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        stack.push_async_callback(engine.close)
        await rig.load()
        await engine.services.variables.load()
        yield ThreadRig(rig)


@asynccontextmanager
async def second_process(
    first: ThreadRig, monkeypatch: pytest.MonkeyPatch, *, person_attached: bool = False
) -> AsyncGenerator[ThreadRig]:
    """The rig of another process; each follows what the other writes, as the program does."""
    monkeypatch.setattr("workbench.store.store._WATCH_SECONDS", 0.02)
    async with process_on(first, person_attached=person_attached) as second, AsyncExitStack() as stack:
        await first.rig.load()
        for one in (first, second):
            await stack.enter_async_context(_following(one.rig))
        stack.push_async_callback(second.engine.close)
        stack.push_async_callback(first.engine.close)
        yield second


@asynccontextmanager
async def _following(rig: Rig) -> AsyncGenerator[None]:
    following = asyncio.create_task(follow_wishes(rig.store, rig.engine))
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait([following])

"""A tree at work is stopped, ended or cut into at moments of chance: nothing of it is left open, all can be sent."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import create, free, quiet, worker
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState
from workbench.domain.pages import CallFilter
from workbench.domain.requests import RequestState
from workbench.domain.threads import MessageStatus, ThreadKind, ThreadStatus
from workbench.engine.ports import CallLink
from workbench.engine.threads.repair import UNFINISHED, sendable

ENOUGH = 400
OPEN = tuple(state for state in CallState if not state.is_final)


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


async def a_moment(seconds: float) -> None:
    """Go on at a moment that nothing in the tree decides, which is what is tried here."""
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    await asyncio.wait({never}, timeout=seconds)


async def tree(rig: ThreadRig, chance: random.Random) -> None:
    """An agent that never ends: calls, queued and nested ones, a sub-prompt, children of every kind."""

    async def look(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del link, arguments
        await a_moment(chance.random() * 0.01)
        return "seen"

    async def queues(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        await link.ask("queueTool", {"name": "look", "argumentsJson": "{}"})
        return await link.ask("invokeTool", {"name": "look", "argumentsJson": "{}"}) and "queued"

    for name, tool in (("look", look), ("queues", queues)):
        rig.host.define(name, tool, schema={"type": "object"})
    works = {"calls": [{"name": "look"}, {"name": "done", "arguments": {"report": "Done."}}]}
    worker(rig, [works] * ENOUGH)
    rig.prompt("sub", tools=["look"], script=[{"calls": [{"name": "look"}]}] * ENOUGH)
    called = {"name": "worker", "arguments": {"message": "Work."}}
    turn: list[dict[str, Any]] = [
        {"calls": [{"name": "look"}, {"name": "queues"}, {"name": "sub"}]},
        {"calls": [called, {"name": "look"}]},
        create("free"),
        create("block"),
        {"text": "All is done."},
    ]
    children = [{**free(), "as": "free"}, {"agent": "worker", "blocking": True, "as": "block"}]
    rig.agent(
        "boss",
        tools=["look", "queues", "sub", "worker"],
        script=turn * ENOUGH,
        side={"subagents": children},
    )
    await rig.rig.load()


async def cut_into(rig: ThreadRig, thread_id: ThreadId, chance: random.Random) -> None:
    """Do something to the tree at work."""
    threads, live = rig.engine.threads, rig.engine.live_calls()
    children = await rig.rig.store.children(thread_id)
    try:
        match chance.choice(("stop", "twice", "end", "child", "call", "message")):
            case "stop":
                await threads.stop(thread_id)
            case "twice":
                await asyncio.gather(threads.stop(thread_id), threads.stop(thread_id))
            case "end":
                await threads.terminate(thread_id)
                await threads.stop(thread_id)
            case "child" if children:
                await threads.terminate(children[-1].id)
            case "call" if live:
                await rig.engine.stop(chance.choice(live).id)
            case _:
                await asyncio.gather(threads.send(thread_id, "More."), threads.stop(thread_id))
    except UserError:
        pass  # it has ended by itself meanwhile
    # Of a tree of which only a part was ended the rest would work on for as long as there is something to say.
    await a_moment(chance.random() * 0.02)
    with suppress(UserError):
        await threads.stop(thread_id)


async def nothing_is_open(rig: ThreadRig) -> None:
    store = rig.rig.store
    assert (await store.calls(CallFilter(states=OPEN))).rows == ()
    for thread in await store.threads(ThreadKind.AGENT):
        assert thread.status not in (ThreadStatus.RUNNING, ThreadStatus.WAITING), thread
        assert not [one for one in await store.requests(thread.id) if one.state is RequestState.RUNNING]
        history = await store.history(thread.id)
        assert not [one for one in history if one.status is MessageStatus.PENDING]
        _, repairs = sendable([one for one in history if one.depth == 0])
        assert not [repair for repair in repairs if repair.code != UNFINISHED]
    assert rig.engine.live_calls() == ()


async def some_rounds(rig: ThreadRig, seed: int, rounds: int) -> None:
    chance = random.Random(seed)
    await tree(rig, chance)
    for _ in range(rounds):
        thread = await rig.start("boss")
        await rig.engine.threads.send(thread.id, "Go.")
        await a_moment(chance.random() * 0.15)
        async with asyncio.timeout(60):
            await cut_into(rig, thread.id, chance)
            await quiet(rig)
            await nothing_is_open(rig)
            row = await rig.rig.store.thread(thread.id)
            if row is not None and row.status is not ThreadStatus.TERMINATED:
                await rig.engine.threads.go_on(thread.id)
                await a_moment(chance.random() * 0.05)
                await rig.engine.threads.stop(thread.id)
                await quiet(rig)
                await nothing_is_open(rig)


@pytest.mark.rule("T9", "T10")
async def test_a_stop_at_a_moment_of_chance_leaves_nothing_open(rig: ThreadRig) -> None:
    await some_rounds(rig, seed=1, rounds=6)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 8))
async def test_stops_at_many_moments_of_chance_leave_nothing_open(rig: ThreadRig, seed: int) -> None:
    await some_rounds(rig, seed, rounds=40)

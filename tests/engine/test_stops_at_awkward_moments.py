"""A stop at an awkward moment: nothing behind it begins, it is a stop, and what waits is there to go on with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.engine.held_commits import HeldCommit, give_it_time
from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import Gate, row
from tests.engine.thread_rig import ThreadRig
from workbench.base.ids import uuid7
from workbench.domain.threads import Inbound, ThreadStatus
from workbench.domain.writes import PutInbound, PutThread, Write


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("C6", "C13", "T9")
async def test_a_stop_among_queued_calls_leaves_those_behind_it_until_the_thread_goes_on(
    rig: ThreadRig,
) -> None:
    gate = Gate(rig)
    rig.agent("helper", tools=["look"], script=[{"text": "Seen."}])
    thread = await rig.start("helper")
    for _ in range(3):
        queued = Inbound(id=uuid7(), thread_id=thread.id, tool="look", arguments="{}")
        await rig.rig.store.commit(PutInbound(queued))
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1)

    stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
    done, _ = await asyncio.wait([stopping], timeout=30)
    entered = gate.entered
    gate.let_go()

    assert done, "the stop did not end"
    assert (entered, (await row(rig, thread)).status) == (1, ThreadStatus.STOPPED)
    assert len(await rig.rig.store.inbox(thread.id)) == 2

    await rig.engine.threads.go_on(thread.id)
    await rig.engine.threads.parked(thread.id)

    assert gate.entered == 3
    assert (await rig.said(thread))[-1] == "assistant: Seen."
    assert await rig.rig.store.inbox(thread.id) == []


@pytest.mark.rule("T9")
async def test_a_stop_before_the_first_turn_of_what_came_in_is_a_stop(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}])
    thread = await rig.talk("helper", "Hello.")

    async with asyncio.timeout(30):
        async with rig.engine.threads.held(thread.id):
            await rig.engine.threads.send(thread.id, "And?")
            stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
            await give_it_time(rig, thread)
        assert await stopping

    assert (await row(rig, thread)).status is ThreadStatus.STOPPED
    assert len(await rig.rig.store.inbox(thread.id)) == 1
    await rig.engine.threads.nudge(thread.id)  # only a person lets it go on
    assert rig.engine.threads.running() == ()


@pytest.mark.rule("T9")
async def test_a_stop_of_what_came_in_while_a_thread_parked_is_a_stop(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}])
    thread = await rig.start("helper")
    parking = HeldCommit(
        rig,
        monkeypatch,
        lambda write: isinstance(write, PutThread) and write.thread.status is ThreadStatus.AWAITING_HUMAN,
    )

    await rig.engine.threads.send(thread.id, "Hello.")
    await parking.reached.wait()
    await rig.engine.threads.send(thread.id, "And?")
    stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
    await give_it_time(rig, thread)
    parking.let_go()
    await stopping

    assert (await row(rig, thread)).status is ThreadStatus.STOPPED
    assert len(await rig.rig.store.inbox(thread.id)) == 1


@pytest.mark.rule("T9")
async def test_what_comes_in_behind_a_stop_before_the_first_turn_is_taken_up_behind_it(
    rig: ThreadRig,
) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}])
    thread = await rig.talk("helper", "Hello.")

    async with asyncio.timeout(30):
        async with rig.engine.threads.held(thread.id):
            await rig.engine.threads.send(thread.id, "And?")
            stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
            await give_it_time(rig, thread)
            await rig.engine.threads.send(thread.id, "Do go on.")
        assert await stopping
        await rig.engine.threads.parked(thread.id)

    assert (await rig.said(thread))[-3:] == ["user: And?", "user: Do go on.", "assistant: Two."]


@pytest.mark.rule("C12", "T9")
@pytest.mark.parametrize("before", [False, True])
async def test_an_approval_holds_for_what_is_said_behind_the_stop_and_not_for_what_was_before(
    rig: ThreadRig, before: bool
) -> None:
    rig.tool("send", lambda given: "sent", needsApproval=True)
    calls = {"calls": [{"name": "send"}]}
    rig.agent("helper", tools=["send"], script=[calls, {"text": "So: {{result}}"}])
    thread = await rig.start("helper")

    async with asyncio.timeout(30):
        async with rig.engine.threads.held(thread.id):
            await rig.engine.threads.send(thread.id, "Send it.", approve=before)
            stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
            await give_it_time(rig, thread)
            await rig.engine.threads.send(thread.id, "Do send it.", approve=not before)
        await stopping
        await rig.engine.threads.parked(thread.id)

    assert ((await rig.said(thread))[-1] == "assistant: So: sent") is not before


@pytest.mark.rule("T3", "T9")
async def test_who_wakes_a_stopped_thread_for_what_it_took_up_before_the_stop_leaves_it_stopped(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Gate(rig, "look"), Gate(rig, "see")
    script = [{"calls": [{"name": "look"}]}, {"calls": [{"name": "see"}]}]
    rig.agent("helper", tools=["look", "see"], script=script)
    thread = await rig.start("helper")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: first.entered == 1)
    commit, told = rig.rig.store.commit, asyncio.Event()

    async def told_late(*writes: Write, flush: bool = True) -> None:
        await commit(*writes, flush=flush)
        if any(isinstance(write, PutInbound) for write in writes):
            first.let_go()
            await told.wait()

    monkeypatch.setattr(rig.rig.store, "commit", told_late)
    sending = asyncio.ensure_future(rig.engine.threads.send(thread.id, "More."))
    await rig.rig.until(lambda: second.entered == 1)
    assert "user: More." in await rig.said(thread)
    await rig.engine.threads.stop(thread.id)
    told.set()
    await sending
    await rig.engine.threads.parked(thread.id)

    assert (await row(rig, thread)).status is ThreadStatus.STOPPED

"""A handoff happens whole or not at all: no agent has the words for another, whatever cuts into it (T4, T9)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.engine.held_commits import HeldCommit, give_it_time
from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import row
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.domain.threads import ThreadStatus
from workbench.domain.writes import PutMessage, Write


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def desk(rig: ThreadRig) -> None:
    """An agent that hands its thread over to an expert."""
    script = [{"text": "The expert here."}]
    rig.agent("expert", script=script, exposeAsTool=True, toolDescription="An expert.")
    asks = {"calls": [{"name": "expert", "arguments": {"message": "Help him."}}]}
    rig.agent("front", tools=["expert"], script=[asks, {"text": "I could not: {{result}}"}])


def opens_the_turn(write: Write) -> bool:
    return isinstance(write, PutMessage) and write.message.content == "Help him."


@pytest.mark.rule("T4", "T9")
async def test_a_stop_in_the_middle_of_a_handoff_leaves_it_whole(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(rig)
    thread = await rig.start("front")
    opening = HeldCommit(rig, monkeypatch, opens_the_turn)

    await rig.engine.threads.send(thread.id, "Hello.")
    await opening.reached.wait()
    assert (await row(rig, thread)).agent == "front"
    stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
    await give_it_time(rig, thread)
    opening.let_go()
    await stopping

    stopped = await row(rig, thread)
    assert (stopped.status, stopped.agent) == (ThreadStatus.STOPPED, "expert")
    await rig.engine.threads.go_on(thread.id)
    await rig.engine.threads.parked(thread.id)
    assert (await rig.said(thread))[-1] == "assistant: The expert here."


@pytest.mark.rule("T4")
async def test_a_handoff_that_cannot_be_kept_is_none(rig: ThreadRig, monkeypatch: pytest.MonkeyPatch) -> None:
    desk(rig)
    thread = await rig.start("front")
    commit = rig.rig.store.commit

    async def full(*writes: Write, flush: bool = True) -> None:
        if any(map(opens_the_turn, writes)):
            raise UserError("The disk is full.")
        await commit(*writes, flush=flush)

    monkeypatch.setattr(rig.rig.store, "commit", full)
    parked = await rig.say(thread, "Hello.")

    assert (parked.agent, parked.given) == ("front", {})
    assert (await rig.said(thread))[-1] == "assistant: I could not: The disk is full."

"""A thread at rest is changed while nothing of it can begin, here or in another process (T9, T10)."""

from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import AsyncExitStack

import pytest

from tests.engine.held_commits import HeldCommit, give_it_time
from tests.engine.test_families_at_fault import DONE, LOOK, Gate, row, worker
from tests.engine.thread_rig import ThreadRig
from workbench.app.threads.threads import AgentThreads
from workbench.base.errors import RunError, UserError
from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.domain.calls import Call, FailureKind
from workbench.domain.threads import Message, MessageStatus, Role, Thread, ThreadStatus
from workbench.domain.writes import DeleteMessage, DeleteThread, PutMessage, PutThread
from workbench.engine.threads.family import NewThread

ANSWERS = [{"text": "One."}, {"text": "Two."}]


async def begun_by_hand(rig: ThreadRig, thread: Thread, gate: Gate) -> asyncio.Future[Call]:
    """A call of the tool `look` in a thread that has come to the gate; its end."""
    request = (await rig.rig.request("look")).model_copy(update={"thread_id": thread.id})
    ended = await rig.engine.start(request, thread)
    await rig.rig.until(lambda: gate.entered == 1)
    return ended


async def at_rest(rig: ThreadRig) -> None:
    """Return when nothing runs in this process."""
    async with asyncio.timeout(30):
        while rig.engine.threads.running():  # noqa: ASYNC110 -- a thread that is gone has no end that is told
            await asyncio.sleep(0)


@pytest.mark.rule("T9", "T10")
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_thread_that_is_written_to_while_it_is_edited_begins_behind_the_edit(
    rig: ThreadRig, other: ThreadRig, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    rig.agent("helper", script=ANSWERS, prompt={"includeChat": True})
    thread = await rig.talk("helper", "An old word.")
    await other.rig.load()
    first, *_ = await rig.messages(thread)
    commit = HeldCommit(rig, monkeypatch, lambda write: isinstance(write, DeleteMessage))
    desk = AgentThreads(rig.engine, rig.rig.store)
    writer = other if elsewhere else rig

    deleting = asyncio.ensure_future(desk.delete_messages(thread.id, first.id))
    await commit.reached.wait()
    await writer.engine.threads.send(thread.id, "A new word.")
    await give_it_time(rig, thread)
    commit.let_go()

    assert await deleting == (first.id,)
    await writer.engine.threads.parked(thread.id)
    assert await rig.said(thread) == ["assistant: One.", "user: A new word.", "assistant: Two."]
    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[-1].id)
    assert asked is not None
    assert "[deleted]" not in str(asked.turns)  # nor was it asked with what was about to go


@pytest.mark.rule("T9", "T10")
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_thread_at_work_is_not_changed_wherever_it_runs(
    rig: ThreadRig, other: ThreadRig, elsewhere: bool
) -> None:
    gate = Gate(rig)
    rig.agent("helper", tools=["look"], script=[LOOK, {"text": "Seen."}])
    thread = await rig.start("helper")
    await other.rig.load()
    await (other if elsewhere else rig).engine.threads.send(thread.id, "Go.")
    await (other if elsewhere else rig).rig.until(lambda: gate.entered == 1)
    first, *_ = await rig.messages(thread)
    desk = AgentThreads(rig.engine, rig.rig.store)

    for change in (
        desk.edit_message(first.id, "Stay."),
        desk.insert_message(thread.id, "Stay."),
        desk.delete_messages(thread.id, first.id),
        desk.delete(thread.id),
    ):
        with pytest.raises(RunError if elsewhere else UserError, match="at work"):
            await change

    assert (await row(rig, thread)).status is ThreadStatus.RUNNING


@pytest.mark.rule("T9")
async def test_a_thread_that_is_written_to_while_it_is_deleted_is_gone_and_does_not_run(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    commit = HeldCommit(rig, monkeypatch, lambda write: isinstance(write, DeleteThread))

    deleting = asyncio.ensure_future(AgentThreads(rig.engine, rig.rig.store).delete(thread.id))
    await commit.reached.wait()
    await rig.engine.threads.send(thread.id, "Still there?")
    await give_it_time(rig, thread)
    commit.let_go()
    await deleting
    await at_rest(rig)

    assert await rig.rig.store.thread(thread.id) is None
    assert len([event for event in rig.rig.events if event.type == "step_started"]) == 1


@pytest.mark.rule("T5")
async def test_a_message_that_comes_while_a_thread_is_terminated_starts_nothing(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    over = HeldCommit(
        rig, monkeypatch, lambda write: isinstance(write, PutThread) and bool(write.thread.terminated_at)
    )

    ending = asyncio.ensure_future(rig.engine.threads.terminate(thread.id))
    await over.reached.wait()
    with pytest.raises(UserError, match="terminated"):
        await rig.engine.threads.send(thread.id, "Still there?")
    over.let_go()
    await ending

    assert (await row(rig, thread)).status is ThreadStatus.TERMINATED
    assert await rig.said(thread) == ["user: Hello.", "assistant: One."]


@pytest.mark.rule("T5")
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_code_does_not_wake_a_terminated_thread(
    rig: ThreadRig, other: ThreadRig, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    await other.rig.load()
    message = Message(
        id=MessageId(uuid7()), thread_id=thread.id, role=Role.USER, created_at=1, content="Wake up."
    )
    kept = HeldCommit(rig, monkeypatch, lambda write: type(write).__name__ == "PutInbound")

    delivering = asyncio.ensure_future(rig.engine.threads.deliver(message))  # it was there when this began
    await kept.reached.wait()
    await (other if elsewhere else rig).engine.threads.terminate(thread.id)
    kept.let_go()
    await delivering
    await at_rest(rig)
    with pytest.raises(UserError, match="terminated"):
        await rig.engine.threads.deliver(message)

    assert (await row(rig, thread)).status is ThreadStatus.TERMINATED
    assert await rig.said(thread) == ["user: Hello.", "assistant: One."]


@pytest.mark.rule("C6", "T5")
async def test_a_thread_that_a_call_by_hand_keeps_at_rest_is_ended_for_good_by_that_call(
    rig: ThreadRig,
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")

    async with asyncio.timeout(30), rig.engine.threads.held(thread.id):
        await rig.engine.threads.terminate(thread.id)

    assert (await row(rig, thread)).status is ThreadStatus.TERMINATED


@pytest.mark.rule("C6", "T5")
async def test_what_came_in_meanwhile_does_not_keep_that_call_from_ending_its_thread(rig: ThreadRig) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")

    async with asyncio.timeout(30):
        async with rig.engine.threads.held(thread.id):
            await rig.engine.threads.send(thread.id, "And?")
            await give_it_time(rig, thread)
            await rig.engine.threads.terminate(thread.id)
        await rig.engine.threads.parked(thread.id)

    assert (await row(rig, thread)).status is ThreadStatus.TERMINATED
    assert await rig.said(thread) == ["user: Hello.", "assistant: One."]


@pytest.mark.rule("C6", "T17")
async def test_a_thread_that_is_held_in_one_process_takes_a_message_of_another_up_behind_that(
    rig: ThreadRig, other: ThreadRig
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    await other.rig.load()

    async with rig.engine.threads.held(thread.id):
        await other.engine.threads.send(thread.id, "And?")
        await give_it_time(rig, thread)
        assert (await row(rig, thread)).status is ThreadStatus.AWAITING_HUMAN
    await other.engine.threads.parked(thread.id)

    assert (await rig.said(thread))[-1] == "assistant: Two."


@pytest.mark.rule("C6", "T17")
async def test_whoever_waits_for_a_thread_that_another_process_holds_does_not_ask_again_and_again(
    rig: ThreadRig, other: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    await other.rig.load()
    claim, claims = other.rig.store.claim, list[ThreadId]()

    async def counted(thread_id: ThreadId) -> Thread | None:
        claims.append(thread_id)
        return await claim(thread_id)

    monkeypatch.setattr(other.rig.store, "claim", counted)
    async with rig.engine.threads.held(thread.id):
        await other.engine.threads.send(thread.id, "And?")
        for _ in range(10):
            await give_it_time(rig, thread)
        assert len(claims) <= 3
    await other.engine.threads.parked(thread.id)

    assert (await rig.said(thread))[-1] == "assistant: Two."


@pytest.mark.rule("C6", "C13", "T17")
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_stop_ends_the_call_by_hand_that_holds_a_thread_wherever_it_runs(
    rig: ThreadRig, other: ThreadRig, elsewhere: bool
) -> None:
    gate = Gate(rig)
    rig.agent("helper", tools=["look"], script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    await other.rig.load()

    async with asyncio.timeout(20), rig.engine.threads.held(thread.id):
        ended = await begun_by_hand(rig, thread, gate)
        stopped = await (other if elsewhere else rig).engine.threads.stop(thread.id)
        call = await ended

    assert stopped
    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.kind is FailureKind.CANCELLED
    assert (await row(rig, thread)).status is ThreadStatus.AWAITING_HUMAN
    assert await rig.rig.store.inbox(thread.id) == []


@pytest.mark.rule("C6", "T9")
@pytest.mark.parametrize("holds", [False, True])
async def test_a_thread_is_not_changed_or_deleted_under_a_call_by_hand(rig: ThreadRig, holds: bool) -> None:
    gate = Gate(rig)
    rig.agent("helper", tools=["look"], script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    first, *_ = await rig.messages(thread)
    desk = AgentThreads(rig.engine, rig.rig.store)
    async with asyncio.timeout(20), AsyncExitStack() as stack:
        if holds:
            await stack.enter_async_context(rig.engine.threads.held(thread.id))
        ended = await begun_by_hand(rig, thread, gate)
        for change in (desk.edit_message(first.id, "Hi."), desk.delete(thread.id)):
            with pytest.raises(UserError, match="call is under way"):
                await change
        gate.let_go()
        assert (await ended).result is not None

    await desk.delete(thread.id)
    assert await rig.rig.store.thread(thread.id) is None


@pytest.mark.rule("T9", "T17")
async def test_what_another_process_wrote_to_a_thread_whose_call_by_hand_is_stopped_waits_for_a_person(
    rig: ThreadRig, other: ThreadRig
) -> None:
    gate = Gate(rig)
    rig.agent("helper", tools=["look"], script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    await other.rig.load()

    async with asyncio.timeout(20), rig.engine.threads.held(thread.id):
        ended = await begun_by_hand(rig, thread, gate)
        await other.engine.threads.send(thread.id, "And?")
        await other.engine.threads.stop(thread.id)
        await ended
    await other.engine.threads.parked(thread.id)

    assert (await row(rig, thread)).status is ThreadStatus.STOPPED
    assert "user: And?" not in await rig.said(thread)
    await other.engine.threads.go_on(thread.id)
    await other.engine.threads.parked(thread.id)
    assert (await rig.said(thread))[-2:] == ["user: And?", "assistant: Two."]


@pytest.mark.rule("T3", "T17")
async def test_a_message_of_another_process_is_taken_up_behind_a_turn_that_failed_as_one_from_here_is(
    rig: ThreadRig, other: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.agent("helper", script=[])
    thread = await rig.start("helper")
    await other.rig.load()
    failing = HeldCommit(
        rig,
        monkeypatch,
        lambda write: isinstance(write, PutMessage) and write.message.status is MessageStatus.FAILED,
    )
    await rig.engine.threads.send(thread.id, "Go.")
    await failing.reached.wait()
    await other.engine.threads.send(thread.id, "Still there?")
    await other.engine.threads.parked(thread.id)
    failing.let_go()
    await rig.engine.threads.parked(thread.id)

    assert (await row(rig, thread)).status is ThreadStatus.FAILED
    assert "user: Still there?" in await rig.said(thread)
    assert await rig.rig.store.inbox(thread.id) == []


async def test_a_thread_at_rest_is_forgotten_and_there_again_when_it_is_asked_for(rig: ThreadRig) -> None:
    gc.freeze()  # only what is made from here on is looked through
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    held = await rig.engine.threads.work_of(thread.id)
    there = weakref.ref(held)
    gc.collect()
    assert await rig.engine.threads.work_of(thread.id) is held

    del held
    async with asyncio.timeout(30):
        while there() is not None:  # what the loop still has of its last run goes with its next steps
            await asyncio.sleep(0)
            gc.collect()

    await rig.say(thread, "And?")
    assert (await rig.said(thread))[-1] == "assistant: Two."


@pytest.mark.rule("T5")
async def test_a_new_thread_is_terminated_before_it_ever_ran(rig: ThreadRig) -> None:
    rig.agent("helper", script=ANSWERS)
    await rig.rig.load()
    thread = await rig.engine.threads.start(NewThread("helper", {}))

    await rig.engine.threads.terminate(thread.id)

    ended = await row(rig, thread)
    assert (ended.status, ended.terminated_at is not None) == (ThreadStatus.TERMINATED, True)


@pytest.mark.rule("C6", "T9")
async def test_a_thread_that_is_held_stays_held_when_its_status_is_written(
    rig: ThreadRig, other: ThreadRig
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    work = await rig.engine.threads.work_of(thread.id)
    set_status = rig.engine.threads.methods(work, in_run=False)["setStatus"]

    async with rig.engine.threads.held(thread.id):
        await set_status({"status": "Counting."})
        assert await other.rig.store.is_elsewhere(thread.id)
    assert not await other.rig.store.is_elsewhere(thread.id)
    assert (await row(other, thread)).status_text == "Counting."


@pytest.mark.rule("T4", "T5")
async def test_a_thread_that_was_ended_for_good_is_held_by_nobody(rig: ThreadRig, other: ThreadRig) -> None:
    gate = Gate(rig)
    worker(rig, [DONE])
    ask = {"calls": [{"name": "worker", "arguments": {"message": "Work."}}]}
    rig.agent("boss", tools=["worker", "look"], script=[ask, LOOK])
    await other.rig.load()
    thread = await rig.start("boss")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1)

    await rig.engine.threads.terminate(thread.id)

    (child,) = await rig.rig.store.children(thread.id)
    assert [await other.rig.store.is_elsewhere(one.id) for one in (thread, child)] == [False, False]
    await AgentThreads(other.engine, other.rig.store).delete(thread.id)
    assert await rig.rig.store.thread(child.id) is None


@pytest.mark.rule("T5", "T9")
@pytest.mark.parametrize("ends", [False, True])
async def test_whoever_is_cancelled_while_a_thread_is_claimed_leaves_it_to_others(
    rig: ThreadRig, other: ThreadRig, monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    rig.agent("helper", script=ANSWERS)
    thread = await rig.talk("helper", "Hello.")
    claim, claimed = rig.rig.store.claim, asyncio.Event()

    async def slow(thread_id: ThreadId) -> Thread | None:
        await claim(thread_id)
        claimed.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def change() -> None:
        if ends:
            await rig.engine.threads.terminate(thread.id)
        async with rig.engine.threads.held(thread.id):
            pass

    monkeypatch.setattr(rig.rig.store, "claim", slow)
    changing = asyncio.ensure_future(change())
    await claimed.wait()
    changing.cancel()
    await asyncio.wait([changing])

    assert not await other.rig.store.is_elsewhere(thread.id)

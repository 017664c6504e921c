"""Trees of threads that are spread over processes: stopped as a whole, waited for wherever they run (T5, T9, T17)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.engine.test_families_at_fault import DONE, LOOK, Gate, create, free, row, worker
from tests.engine.thread_rig import ThreadRig
from tests.engine.two_processes import second_process
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import CallId, MessageId, uuid7
from workbench.domain.calls import CallState
from workbench.domain.threads import Message, Role, Thread, ThreadStatus
from workbench.domain.variables import Scope, VariableType
from workbench.engine.approvals import Verdict
from workbench.engine.ports import CallLink, StateError
from workbench.engine.threads.repair import sendable


async def until_status(rig: ThreadRig, thread: Thread, status: ThreadStatus) -> None:
    """Return when the thread has this status, wherever it runs."""
    async with asyncio.timeout(30):
        while (await row(rig, thread)).status is not status:  # noqa: ASYNC110 -- another process writes it
            await asyncio.sleep(0.01)


async def only_child(rig: ThreadRig, thread: Thread) -> Thread:
    (child,) = await rig.rig.store.children(thread.id)
    return child


@pytest.mark.rule("C13", "T9", "T17")
@pytest.mark.parametrize("from_the_other", [False, True])
async def test_a_tree_that_two_processes_run_is_stopped_as_a_whole_from_either(
    rig: ThreadRig, other: ThreadRig, from_the_other: bool
) -> None:
    gate = Gate(rig)
    worker(rig, [LOOK, DONE], name="deep")
    worker(rig, [DONE, create("deep", "Eve"), LOOK, DONE], subagents=[{"agent": "deep"}])
    rig.agent("boss", tools=["look"], script=[create(), LOOK, {"text": "On."}], side={"subagents": [free()]})
    thread = await rig.start("boss")
    await other.rig.load()
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1)
    child = await only_child(rig, thread)
    await rig.engine.threads.parked(child.id)
    await other.engine.threads.send(child.id, "Again.")  # the other process runs it and the thread below it
    await other.rig.until(lambda: gate.entered == 2)
    assert [len(one.engine.threads.running()) for one in (rig, other)] == [1, 2]

    assert await (other if from_the_other else rig).engine.threads.stop(thread.id)

    family = (thread, child, await only_child(rig, child))
    for one in family:
        assert (await row(rig, one)).status is ThreadStatus.STOPPED
        assert sendable(await rig.messages(one))[1] == ()
        assert not any(waiting.stop for waiting in await rig.rig.store.inbox(one.id))


@dataclass
class Asking:
    """A thread that waits for a child which another process runs."""

    thread: Thread
    child: Thread
    gate: Gate


async def asks_a_child_elsewhere(rig: ThreadRig, other: ThreadRig, **relation: object) -> Asking:
    """`rig` runs a thread that has made a child and asks it again, while `other` has the child at work."""
    gate, ready = Gate(rig), Gate(rig, "ready")
    worker(rig, [DONE, LOOK, DONE])
    said = {"reference": "{{result.0.reference}}", "message": "And now?"}
    again = {"calls": [{"name": "subagent_message", "arguments": said}]}
    look: dict[str, object] = {"calls": [{"name": "subagents"}]}
    script = [create(), {"calls": [{"name": "ready"}]}, look, again, {"text": "I heard: {{result}}"}]
    side = {"subagents": [{"agent": "worker", **relation}]}
    rig.agent("boss", tools=["ready"], script=script, side=side)
    thread = await rig.start("boss")
    await other.rig.load()
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: ready.entered == 1)
    child = await only_child(rig, thread)
    await other.engine.threads.send(child.id, "A person asks.")
    await other.rig.until(lambda: gate.entered == 1)
    ready.let_go()
    async with asyncio.timeout(30):
        while not await rig.rig.store.inbox(child.id):  # noqa: ASYNC110 -- no event tells of it
            await asyncio.sleep(0.01)
    return Asking(thread, child, gate)


@pytest.mark.rule("T5", "T17")
@pytest.mark.parametrize("way", ["implicit", "explicit"])
async def test_a_call_waits_for_a_child_that_another_process_runs_and_its_report_is_the_result(
    rig: ThreadRig, other: ThreadRig, way: str
) -> None:
    asking = await asks_a_child_elsewhere(rig, other, parentCommunication=way)

    asking.gate.let_go()

    await rig.until_said(asking.thread, "I heard: All done.")
    assert [one.content for one in await rig.messages(asking.thread) if one.silent] == []
    assert await rig.rig.store.inbox(asking.thread.id) == []


@pytest.mark.rule("T5", "T17")
async def test_a_child_that_is_stopped_in_another_process_gives_its_parent_no_result(
    rig: ThreadRig, other: ThreadRig
) -> None:
    asking = await asks_a_child_elsewhere(rig, other)

    await other.engine.threads.stop(asking.child.id)

    async with asyncio.timeout(30):
        while "gave no result" not in (await rig.said(asking.thread))[-1]:  # noqa: ASYNC110 -- as above
            await asyncio.sleep(0.01)
    assert (await row(rig, asking.child)).status is ThreadStatus.STOPPED


@pytest.mark.rule("T5", "T9", "T17")
async def test_a_stop_of_the_parent_stops_the_child_that_another_process_runs_for_it(
    rig: ThreadRig, other: ThreadRig
) -> None:
    asking = await asks_a_child_elsewhere(rig, other)

    await rig.engine.threads.stop(asking.thread.id)

    for one in (asking.thread, asking.child):
        assert (await row(rig, one)).status is ThreadStatus.STOPPED


@pytest.mark.rule("T15", "T17")
async def test_the_bound_of_what_threads_exchange_holds_whoever_runs_them_until_a_person_speaks(
    rig: ThreadRig, other: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.engine.threads.children.MOST_EXCHANGES", 6)
    notices: list[object] = []

    async def notify(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        try:
            notices.append(await link.ask("notifyParent", {"content": "Still here."}))
        except StateError as error:
            notices.append(error.message)
        return "told"

    rig.host.define("look", notify, schema={"type": "object"})
    worker(rig, [LOOK, DONE] * 8)
    side = {"subagents": [{"agent": "worker", "blocking": False, "parentCommunication": "explicit"}]}
    rig.agent("boss", script=[create(), *[{"text": "Well."}] * 20], side=side)
    thread = await rig.start("boss")
    await other.rig.load()
    await rig.say(thread, "Go.")  # two messages: what the child is to do, and its word
    child = await only_child(rig, thread)
    await rig.engine.threads.parked(child.id)

    async def code_wakes_the_child(process: ThreadRig) -> None:
        message = Message(
            id=MessageId(uuid7()), thread_id=child.id, role=Role.USER, created_at=1, content="Go on."
        )
        await process.engine.threads.deliver(message)
        await process.engine.threads.parked(child.id)

    for process in (other, rig, other, rig, other):
        await code_wakes_the_child(process)

    words = "The threads here exchanged 6 messages without a person's word."
    (refused,) = [one for one in notices if one is not None]
    assert words in str(refused)
    assert len(notices) == 6
    await other.engine.threads.send(thread.id, "Go on, both of you.")
    await code_wakes_the_child(rig)
    assert notices[6:] == [None]


@pytest.mark.rule("C12", "T17")
@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval_that_is_given_in_another_process_reaches_the_call_that_waits(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, approved: bool
) -> None:
    rig.tool("send", lambda given: f"sent {given['to']}", needsApproval=True)
    asking = {"calls": [{"name": "send", "arguments": {"to": "Ann"}}]}
    rig.agent("helper", tools=["send"], script=[asking, {"text": "So: {{result}}"}])
    async with second_process(rig, monkeypatch, person_attached=True) as other:
        thread = await rig.start("helper")
        await other.rig.load()
        await other.engine.threads.send(thread.id, "Go.")
        call_id = await other.rig.until_state(CallState.WAITING_FOR_APPROVAL)
        async with asyncio.timeout(30):
            while not await waits(rig, call_id):  # noqa: ASYNC110 -- that it waits is told a moment before it is kept
                await asyncio.sleep(0.01)
        edited = b'{"to": "Bob"}'

        await rig.engine.decide(call_id, Verdict(approved, "you", "not him", edited if approved else None))

        await other.engine.threads.parked(thread.id)
        answer = "sent Bob" if approved else "The call was rejected: not him"
        assert (await rig.said(thread))[-1].startswith(f"assistant: So: {answer}")
        assert await rig.rig.store.inbox(thread.id) == []
        with pytest.raises(UserError, match="no longer waits"):
            await rig.engine.decide(call_id, Verdict(approved=True, by="you"))


@pytest.mark.rule("C5", "T17")
async def test_a_variable_that_is_set_in_another_process_reaches_the_prompt_that_waits(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = {"name": "DESK", "type": "text", "required": True}
    rig.agent("helper", script=[{"text": "Done."}], prompt={"variables": [desk]})
    async with second_process(rig, monkeypatch, person_attached=True) as other:
        thread = await rig.start("helper")
        await other.rig.load()
        await other.engine.threads.send(thread.id, "Go.")
        await until_status(rig, thread, ThreadStatus.WAITING)

        await rig.rig.variables.set("DESK", "north", Scope.INSTANCE, type=VariableType.TEXT)

        await until_status(rig, thread, ThreadStatus.AWAITING_HUMAN)
        assert (await rig.said(thread))[-1] == "assistant: Done."


async def waits(rig: ThreadRig, call_id: CallId) -> bool:
    call = await rig.rig.store.call(call_id)
    return call is not None and call.state is CallState.WAITING_FOR_APPROVAL

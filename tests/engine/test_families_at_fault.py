"""What goes wrong between the threads of a tree: stops, failures, endless talk. Nothing is lost, nothing runs on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue, dump
from workbench.domain.events import SessionEnded, ThreadMoved
from workbench.domain.threads import Role, Thread, ThreadStatus
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import AppendEvent, PutInbound, PutThread, Write, WriteFile
from workbench.engine.engine import Engine
from workbench.engine.ports import CallLink
from workbench.engine.threads.family import NewThread
from workbench.engine.threads.repair import sendable

DONE = {"calls": [{"name": "done", "arguments": {"report": "All done."}}]}
LOOK = {"calls": [{"name": "look"}]}


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


class Gate:
    """A tool whose calls wait until they are let go."""

    def __init__(self, rig: ThreadRig, name: str = "look") -> None:
        self.entered = 0
        self._open = asyncio.Event()
        rig.host.define(name, self._call, schema={"type": "object"})

    async def _call(self, link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        self.entered += 1
        link.emit("entered", "null")
        await self._open.wait()
        return "seen"

    def let_go(self) -> None:
        self._open.set()


def worker(rig: ThreadRig, script: list[dict[str, Any]], name: str = "worker", **side: Any) -> None:
    """An agent that can be made a child and ends its session with `done`."""
    rig.tool("done", lambda given: "ok")
    rig.prompt(f"{name}_work", script=script, tools=["done", "look"])
    rig.prompt("nobody", script=[])
    stop = {"name": "done", "messageProperty": "report"}
    rig.agent(
        name,
        sideA={"prompt": f"{name}_work", "sessionStop": stop, **side},
        sideB={"prompt": "nobody"},
        exposeAsTool=True,
        toolDescription="Works.",
    )


def create(relationship: str = "worker", name: str = "Ann") -> dict[str, object]:
    given = {"relationship": relationship, "name": name, "arguments": {"message": "Work."}}
    return {"calls": [{"name": "subagent_create", "arguments": given}]}


def free(agent: str = "worker") -> dict[str, object]:
    return {"agent": agent, "blocking": False}


async def row(rig: ThreadRig, thread: Thread) -> Thread:
    found = await rig.rig.store.thread(thread.id)
    assert found is not None
    return found


async def silent(rig: ThreadRig, thread: Thread) -> list[str | None]:
    """What other threads said to it."""
    return [one.content for one in await rig.messages(thread) if one.silent]


async def quiet(rig: ThreadRig) -> None:
    """Return when no thread is at work."""
    while running := rig.engine.threads.running():
        await asyncio.gather(*(rig.engine.threads.parked(one.id) for one in running))


# --- stopping


@pytest.mark.rule("C13", "T9", "T10")
async def test_stopping_a_parent_stops_all_below_it_and_none_starts_another_again(rig: ThreadRig) -> None:
    gate = Gate(rig)
    worker(rig, [LOOK, DONE], name="deep")
    worker(rig, [create("deep", "Eve"), LOOK, DONE], subagents=[free("deep")])
    rig.agent("boss", tools=["look"], script=[create(), LOOK, {"text": "On."}], side={"subagents": [free()]})
    thread = await rig.start("boss")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 3)
    family = rig.engine.threads.running()

    assert await rig.engine.threads.stop(thread.id)

    assert rig.engine.threads.running() == ()
    assert rig.engine.live_calls() == ()
    assert len(family) == 3
    for one in family:
        assert (await row(rig, one)).status is ThreadStatus.STOPPED
        assert sendable(await rig.messages(one))[1] == ()


@pytest.mark.rule("T5", "T9")
async def test_a_stopped_parent_is_not_started_by_its_child_and_hears_it_with_the_next_word(
    rig: ThreadRig,
) -> None:
    gate = Gate(rig)
    Gate(rig, "wait")
    worker(rig, [LOOK, DONE])
    rig.agent(
        "boss",
        tools=["wait"],
        script=[create(), {"calls": [{"name": "wait"}]}, {"text": "I hear."}],
        side={"subagents": [free()]},
    )
    thread = await rig.start("boss")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1 and len(rig.engine.live_calls()) == 2)
    (child,) = await rig.rig.store.children(thread.id)
    await rig.engine.threads.stop(thread.id)

    gate.let_go()
    await rig.engine.threads.go_on(child.id)
    await rig.engine.threads.parked(child.id)

    assert (await row(rig, thread)).status is ThreadStatus.STOPPED
    assert len(await rig.rig.store.inbox(thread.id)) == 1
    await rig.say(thread, "And?")
    assert await silent(rig, thread) == ["Ann is done: All done."]
    assert (await rig.said(thread))[-1] == "assistant: I hear."


@pytest.mark.rule("T9", "T10")
async def test_a_stop_in_the_midst_of_a_sub_prompt_closes_what_its_prompt_had_asked(rig: ThreadRig) -> None:
    rig.prompt("judge", script=[{"text": "A long verdict."}])
    rig.agent("helper", tools=["judge"], script=[{"calls": [{"name": "judge"}]}, {"text": "Well."}])
    thread = await rig.start("helper")
    rig.engine.services.bus.subscribe(lambda event: rig.models.hold() if event.type == "call_state" else None)
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until_event("answer_chunk")

    await rig.engine.threads.stop(thread.id)

    rig.models.let_go()
    assert (await row(rig, thread)).status is ThreadStatus.STOPPED
    results = [one for one in await rig.messages(thread) if one.role is Role.TOOL]
    assert [(one.tool_status, one.content) for one in results] == [("error", "The call was stopped.")]
    await rig.say(thread, "And?")
    assert (await rig.said(thread))[-1] == "assistant: Well."


@pytest.mark.rule("C13", "T9")
async def test_a_stop_does_not_wait_for_work_that_came_in_meanwhile(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(rig)
    rig.agent("helper", tools=["look"], script=[LOOK, LOOK])
    thread = await rig.start("helper")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1)
    commit, was_sent = rig.rig.store.commit, asyncio.Event()

    async def parks_late(*writes: Write, flush: bool = True) -> None:
        if any(isinstance(one, PutThread) and one.thread.status is ThreadStatus.STOPPED for one in writes):
            await was_sent.wait()
        await commit(*writes, flush=flush)

    monkeypatch.setattr(rig.rig.store, "commit", parks_late)
    stopping = asyncio.ensure_future(rig.engine.threads.stop(thread.id))
    await rig.rig.until(lambda: rig.engine.live_calls() == ())
    await rig.engine.threads.send(thread.id, "One more thing.")
    was_sent.set()

    async with asyncio.timeout(30):
        assert await stopping
    await rig.rig.until(lambda: gate.entered == 2)
    assert "user: One more thing." in await rig.said(thread)


# --- what a child comes to


@pytest.mark.rule("T5")
async def test_a_free_child_that_fails_is_told_to_its_parent(rig: ThreadRig) -> None:
    Gate(rig)
    worker(rig, [{"fail": {"kind": "auth", "message": "No key."}}])
    rig.agent(
        "boss",
        script=[create(), {"text": "It works."}, {"when": {"user": "No key."}, "text": "I see."}],
        side={"subagents": [free()]},
    )

    thread = await rig.talk("boss", "Go.")
    await rig.until_said(thread, "I see.")

    assert await silent(rig, thread) == ["Ann failed: Ann gave no result. No key."]


@pytest.mark.rule("T5")
async def test_a_blocking_child_that_fails_gives_its_reason_once(rig: ThreadRig) -> None:
    Gate(rig)
    worker(rig, [{"fail": {"kind": "auth", "message": "No key."}}])
    rig.agent("boss", script=[create(), {"text": "Oh."}], side={"subagents": [{"agent": "worker"}]})

    thread = await rig.talk("boss", "Go.")

    assert (await rig.said(thread))[2:] == ["tool: Ann gave no result. No key.", "assistant: Oh."]
    assert await rig.rig.store.inbox(thread.id) == []


@pytest.mark.rule("T5", "T9")
@pytest.mark.parametrize("blocking", [False, True])
async def test_what_a_child_said_is_kept_with_the_end_of_its_session(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, blocking: bool
) -> None:
    """The program dies at the worst moment: the session's end is kept, and nothing after it."""
    gate = Gate(rig)
    worker(rig, [LOOK, DONE])
    relation = {"agent": "worker", "blocking": blocking}
    rig.agent("boss", script=[create(), {"text": "I hear."}, {"text": "So."}], side={"subagents": [relation]})
    thread = await rig.start("boss")
    commit = rig.rig.store.commit
    is_dead = False

    async def dies(*writes: Write, flush: bool = True) -> None:
        nonlocal is_dead
        if is_dead:
            raise UserError("The program is dead.")
        is_dead = any(isinstance(one, AppendEvent) and isinstance(one.event, SessionEnded) for one in writes)
        await commit(*writes, flush=flush)

    with monkeypatch.context() as patch:
        patch.setattr(rig.rig.store, "commit", dies)
        await rig.engine.threads.send(thread.id, "Go.")
        await rig.rig.until(lambda: gate.entered == 1)
        (child,) = await rig.rig.store.children(thread.id)
        gate.let_go()
        await rig.engine.threads.parked(child.id)
        await rig.engine.threads.parked(thread.id)
    again = ThreadRig(await rig.rig.reopened())
    await again.rig.load()

    await again.engine.threads.go_on(thread.id)
    await again.engine.threads.parked(thread.id)

    assert await silent(rig, thread) == ["Ann is done: All done."]
    assert sendable(await rig.messages(thread))[0][-1].role is Role.ASSISTANT
    await again.engine.close()


@pytest.mark.rule("T5")
async def test_two_calls_at_once_that_wait_for_one_child_both_hear_it(rig: ThreadRig) -> None:
    gate = Gate(rig)
    worker(rig, [DONE, LOOK, DONE])
    heard: list[Any] = []

    async def ask_twice(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        (child,) = await rig.rig.store.children(thread.id)
        given = dump({"reference": child.id, "message": "And?"})
        asked = {"name": "subagent_message", "argumentsJson": given}
        heard.extend(await asyncio.gather(*(link.ask("invokeTool", asked) for _ in range(2))))
        return "asked"

    rig.host.define("ask_twice", ask_twice, schema={"type": "object"})
    script = [create(), {"calls": [{"name": "ask_twice"}]}, {"text": "Good."}]
    rig.agent("boss", tools=["ask_twice"], script=script, side={"subagents": [{"agent": "worker"}]})
    thread = await rig.start("boss")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1)
    gate.let_go()
    await rig.until_said(thread, "Good.")

    assert [one["result"] for one in heard] == ["All done.", "All done."]
    assert await rig.rig.store.inbox(thread.id) == []


@pytest.mark.rule("T5")
async def test_two_children_that_are_made_at_once_are_no_more_than_may_be(rig: ThreadRig) -> None:
    worker(rig, [DONE])
    made: list[Any] = []

    async def make_two(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        given = {"relationship": "worker", "name": "Ann", "arguments": {"message": "Work."}}
        asked = {"name": "subagent_create", "argumentsJson": dump(given)}
        made.extend(await asyncio.gather(*(link.ask("invokeTool", asked) for _ in range(2))))
        return "made"

    rig.host.define("make_two", make_two, schema={"type": "object"})
    script = [{"calls": [{"name": "make_two"}]}, {"text": "Good."}]
    relation = {"agent": "worker", "maxInstances": 1}
    rig.agent("boss", tools=["make_two"], script=script, side={"subagents": [relation]})

    thread = await rig.talk("boss", "Go.")

    assert len(await rig.rig.store.children(thread.id)) == 1
    assert sorted(one["status"] for one in made) == ["error", "success"]


@pytest.mark.rule("T5", "T9", "V2")
@pytest.mark.parametrize("blocking", [False, True])
async def test_a_child_that_waits_for_a_variable_of_its_own_is_stopped_and_goes_on_when_it_is_there(
    rig: ThreadRig, blocking: bool
) -> None:
    needy = {"name": "DESK", "type": "text", "required": True, "scoped": True}
    rig.tool("look", lambda given: "seen", variables=[needy])
    worker(rig, [DONE])
    relation = {"agent": "worker", "blocking": blocking}
    script = [create(), {"text": "It waits."}, {"when": {"user": "All done."}, "text": "I see."}]
    rig.agent("boss", script=script, side={"subagents": [relation]})
    await rig.rig.load()
    engine = Engine(rig.engine.services, person_attached=True)

    async def waits(times: int) -> None:
        moves = lambda: [one for one in rig.rig.events if isinstance(one, ThreadMoved)]  # noqa: E731
        await rig.rig.until(lambda: [one.status for one in moves()].count(ThreadStatus.WAITING) == times)

    thread = await engine.threads.start(NewThread("boss", {}))
    await engine.threads.send(thread.id, "Go.")
    await waits(1)
    (child,) = await rig.rig.store.children(thread.id)
    assert (child.status, child.status_text) == (ThreadStatus.WAITING, "Waits for DESK.")

    await engine.threads.stop(child.id)
    assert (await row(rig, child)).status is ThreadStatus.STOPPED
    await engine.threads.parked(thread.id)
    await engine.threads.go_on(child.id)
    await waits(2)
    await rig.rig.variables.set("DESK", "north", Scope.INSTANCE, type=VariableType.TEXT)

    await rig.until_said(thread, "I see.")
    assert await silent(rig, thread) == ["Ann is done: All done."]
    await engine.close()


@pytest.mark.rule("T6")
async def test_a_file_goes_to_a_child_with_the_message_that_names_it_or_not_at_all(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(rig, [DONE])
    relation = {"agent": "worker", "initAttachmentsProperty": "files", "initUserMessageProperty": "message"}
    schema = {"type": "object", "properties": {"message": {"type": "string"}, "files": {"type": "array"}}}
    rig.prompts_schema("worker_work", schema)
    given = {"message": "Work.", "files": ["/in.txt"]}
    making = {
        "name": "subagent_create",
        "arguments": {"relationship": "worker", "name": "Ann", "arguments": given},
    }
    rig.agent("boss", script=[{"calls": [making]}, {"text": "Oh."}], side={"subagents": [relation]})
    thread = await rig.start("boss")
    await rig.rig.store.commit(WriteFile(thread.id, "/in.txt", b"content", "text/plain"))
    commit = rig.rig.store.commit

    async def is_full(*writes: Write, flush: bool = True) -> None:
        kept = [one.inbound for one in writes if isinstance(one, PutInbound)]
        if any(one.thread_id != thread.id for one in kept):
            raise UserError("The disk is full.")
        await commit(*writes, flush=flush)

    monkeypatch.setattr(rig.rig.store, "commit", is_full)
    await rig.say(thread, "Go.")

    (child,) = await rig.rig.store.children(thread.id)
    assert "The disk is full." in (await rig.said(thread))[2]
    assert await rig.rig.store.files(child.id) == []


# --- talk without end


@pytest.mark.rule("T15")
async def test_free_threads_that_answer_each_other_for_ever_are_stopped_and_say_so(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.engine.threads.children.MOST_EXCHANGES", 9)
    Gate(rig)
    worker(rig, [DONE] * 20)
    said = {"reference": "{{result.0.reference}}", "message": "?"}
    again = {"calls": [{"name": "subagent_message", "arguments": said}]}
    turn: list[Any] = [{"calls": [{"name": "subagents"}]}, again, {"text": "Go on."}]
    rig.agent("boss", script=[create(), {"text": "Begun."}, *turn * 12], side={"subagents": [free()]})

    thread = await rig.talk("boss", "Go.")
    await quiet(rig)

    words = "exchanged 9 messages without a person's word"
    parent = await row(rig, thread)
    lines = await rig.said(thread)
    assert words in parent.status_text or any(words in line for line in lines)
    heard = len(await silent(rig, thread))
    assert heard <= 9

    await rig.say(thread, "Go on.")
    await quiet(rig)
    assert len(await silent(rig, thread)) > heard

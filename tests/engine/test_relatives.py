"""Code of a thread in the threads above and below it: their state as of threads at rest (T18)."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import Gate, quiet
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.base.ids import uuid7
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import CodeEmitted
from workbench.domain.threads import Inbound, Thread, ThreadStatus
from workbench.domain.writes import PutInbound, SetValue, WriteFile
from workbench.engine.ports import CallLink, StateError
from workbench.engine.threads.family import NewThread

Question = tuple[str, Mapping[str, object]]


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def asks(rig: ThreadRig, name: str, questions: list[Question], **fields: Any) -> list[Any]:
    """A tool that asks what stands in `questions` when it runs; a refusal is told by its type."""
    answers: list[Any] = []

    async def body(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        for method, params in questions:
            try:
                answers.append(await link.ask(method, params))
            except StateError as error:
                answers.append(error.type)
        return "asked"

    rig.host.define(name, body, schema={"type": "object"}, **fields)
    return answers


def of(thread: Thread, method: str, **params: object) -> Question:
    return "inThread", {"ofThread": thread.id, "ofMethod": method, **params}


async def family(
    rig: ThreadRig, questions: list[Question], **fields: Any
) -> tuple[Thread, Thread, list[Any]]:
    """A boss, whose one tool asks, and a helper below it; and what the tool was answered."""
    answers = asks(rig, "look", questions, **fields)
    rig.tool("next", lambda given: "done")
    look = {"calls": [{"name": "look", "arguments": dict[str, object]()}]}
    rig.agent("boss", tools=["look"], script=[look, {"text": "Seen."}])
    rig.agent("helper", tools=["next"], script=[{"text": "I see."}], prompt={"includeChat": True})
    boss = await rig.start("boss")
    new = NewThread("helper", {"n": 1}, name="Ann", parent_id=boss.id, relationship="helper")
    return boss, await rig.engine.threads.start(new), answers


@pytest.mark.rule("T18")
async def test_a_child_is_read_written_to_and_woken(rig: ThreadRig) -> None:
    questions: list[Question] = []
    boss, child, answers = await family(rig, questions)
    await rig.rig.store.commit(
        SetValue(child.id, "k", "7"), WriteFile(child.id, "/a.txt", b"a", "text/plain")
    )
    questions += [
        ("relative", {"reference": child.id}),
        ("relative", {"reference": boss.id}),
        of(child, "getValue", key="k"),
        of(child, "readFile", path="/a.txt"),
        of(child, "stop"),
        of(child, "emit", event="went", dataJson='{"a": 1}'),
        of(child, "queueMessage", content="Look here."),
    ]

    await rig.say(boss, "Go.")
    await rig.until_said(child, "I see.")

    found, nobody, *rest = answers
    assert (found["threadId"], found["agentId"], found["arguments"]) == (child.id, "helper", {"n": 1})
    assert (found["execution"], nobody) == (None, None)
    assert rest == ["7", base64.b64encode(b"a").decode(), "RuntimeError", None, None]
    assert (await rig.said(child))[0] == "user: Look here."
    told = [event for event in rig.rig.events if isinstance(event, CodeEmitted)]
    assert [(one.thread_id, one.event) for one in told] == [(child.id, "went")]


@pytest.mark.rule("T18")
async def test_a_child_reaches_its_parent_and_no_thread_of_another_tree(rig: ThreadRig) -> None:
    questions: list[Question] = []
    _, stranger, _ = await family(rig, questions)
    answers = asks(rig, "up", questions)
    up = {"calls": [{"name": "up", "arguments": dict[str, object]()}]}
    rig.agent("worker", tools=["up"], script=[up, {"text": "Done."}])
    boss = await rig.start("boss")
    new = NewThread("worker", {}, parent_id=boss.id, relationship="worker")
    child = await rig.engine.threads.start(new)
    questions += [
        ("relative", {}),
        of(boss, "setStatus", status="The worker was here."),
        of(boss, "relative"),
        of(stranger, "getMessages"),
    ]

    await rig.say(child, "Go.")

    above, _, at_the_top, refused = answers
    assert (above["threadId"], at_the_top, refused) == (boss.id, None, "LookupError")
    seen = await rig.rig.store.thread(boss.id)
    assert seen is not None
    assert seen.status_text == "The worker was here."


@pytest.mark.rule("T18", "C4")
async def test_what_a_tool_may_use_holds_in_other_threads_too(rig: ThreadRig) -> None:
    questions: list[Question] = []
    boss, child, answers = await family(rig, questions, uses=["lookup"])
    questions += [
        of(child, "queueTool", name="next", argumentsJson="{}"),
        of(child, "invokeTool", name="next", argumentsJson="{}"),
    ]

    await rig.say(boss, "Go.")

    assert answers[0] == "PermissionError"
    assert (answers[1]["status"], answers[1]["failure"]) == ("error", "undeclared_target")
    assert await rig.said(child) == []


@pytest.mark.rule("T18", "T9")
async def test_code_of_another_thread_does_not_start_one_that_was_stopped(rig: ThreadRig) -> None:
    questions: list[Question] = []
    boss, child, answers = await family(rig, questions)
    gate = Gate(rig, "next")
    await rig.rig.store.commit(PutInbound(Inbound(id=uuid7(), thread_id=child.id, tool="next")))
    await rig.engine.threads.send(child.id, "Go.")
    await rig.rig.until(lambda: gate.entered == 1)
    await rig.engine.threads.stop(child.id)
    gate.let_go()
    questions += [of(child, "queueTool", name="next", argumentsJson="{}")]

    await rig.say(boss, "Go.")
    await quiet(rig)

    assert answers == [None]
    stopped = await rig.rig.store.thread(child.id)
    assert stopped is not None
    assert (stopped.status, gate.entered) == (ThreadStatus.STOPPED, 1)


@pytest.mark.rule("T18", "T8")
async def test_hooks_that_write_to_each_others_threads_do_not_set_each_other_off(rig: ThreadRig) -> None:
    ran: list[str] = []

    async def echo(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        ran.append("ran")
        for other in others:
            await link.ask("inThread", {"ofThread": other, "ofMethod": "injectMessage", **said})

    said = {"role": "user", "content": "Echo.", "silent": True}
    others: list[str] = []
    rig.host.add(DefinitionKind.HOOK, "hook_echo", {"hook": "after_create_message", "id": "echo"}, echo)
    rig.agent("boss", script=[{"text": "Hello."}], hooks=["echo"])
    rig.agent("helper", script=[], hooks=["echo"])
    boss = await rig.start("boss")
    child = await rig.engine.threads.start(NewThread("helper", {}, parent_id=boss.id, relationship="helper"))
    others.append(child.id)

    await rig.say(boss, "Hi.")
    await rig.heard(boss)
    await rig.heard(child)

    assert await rig.said(child) == ["user: Echo.", "user: Echo."]
    assert len(ran) == 2


async def test_a_call_by_hand_has_no_relatives(rig: ThreadRig) -> None:
    answers = asks(rig, "look", [("relative", {}), ("relative", {"reference": "x"}), ("children", {})])

    await rig.rig.call("look")

    assert answers == [None, None, []]

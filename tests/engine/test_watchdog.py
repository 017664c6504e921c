"""A run that hangs says so in words, can be stopped, and is never ended by itself (T19)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig, make_engine
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.calls import CallState
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import ThreadMoved, ThreadQuiet
from workbench.domain.model_answers import Delta
from workbench.domain.model_requests import ModelRequest
from workbench.domain.threads import Thread, ThreadStatus
from workbench.domain.writes import AppendEvent, Write
from workbench.engine.ports import CallLink, ModelAccess

pytestmark = pytest.mark.rule("T19")


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    """Threads that may be quiet for a moment only."""
    await watched(rig, seconds=0.1)
    yield ThreadRig(rig)
    await rig.engine.close()


async def watched(rig: Rig, *, seconds: float, person_attached: bool = False) -> None:
    """Another engine in the rig, whose threads may be quiet for so long."""
    await rig.engine.close()
    rig.engine = make_engine(
        rig.store,
        rig.accounts,
        rig.folder,
        host=rig.host,
        vault=rig.vault,
        models=rig.engine.services.models,
        quiet_seconds=seconds,
        person_attached=person_attached,
    )
    rig.engine.services.bus.subscribe(rig.events.append)


async def hangs(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    del link, arguments
    await asyncio.Event().wait()
    return None


def quiet(rig: ThreadRig, thread: Thread | None = None) -> list[str]:
    """What threads were said to wait for."""
    found = [event for event in rig.rig.events if isinstance(event, ThreadQuiet)]
    return [event.waits_for for event in found if thread is None or event.thread_id == thread.id]


async def until_said(rig: ThreadRig, thread: Thread, words: str) -> None:
    """Return when the thread's status says this."""

    def says() -> bool:
        moved = [one for one in rig.rig.events if isinstance(one, ThreadMoved) and one.thread_id == thread.id]
        return bool(moved) and words in moved[-1].status_text

    await rig.rig.until(says)


async def begun(rig: ThreadRig, agent: str) -> Thread:
    thread = await rig.start(agent)
    await rig.engine.threads.send(thread.id, "Go.")
    return thread


async def test_a_model_that_neither_writes_nor_fails_is_said_and_the_thread_can_be_stopped(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        del request, access
        await asyncio.Event().wait()
        for delta in ():
            yield delta

    monkeypatch.setattr(rig.models, "stream", never)
    rig.agent("helper", script=[])
    thread = await begun(rig, "helper")

    await until_said(rig, thread, "it waits for the model helper_prompt_model")

    assert rig.engine.threads.running()[0].status is ThreadStatus.RUNNING
    await rig.engine.threads.stop(thread.id)
    row = await rig.rig.store.thread(thread.id)
    assert row is not None
    assert (row.status, row.status_text) == (ThreadStatus.STOPPED, "")


async def test_a_mistake_of_ours_does_not_end_the_watch(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    commit, mistakes = rig.rig.store.commit, [KeyError("a mistake")]

    async def mistaken(*writes: Write, flush: bool = True) -> None:
        said = any(isinstance(one, AppendEvent) and isinstance(one.event, ThreadQuiet) for one in writes)
        if said and mistakes:
            raise mistakes.pop()
        await commit(*writes, flush=flush)

    monkeypatch.setattr(rig.rig.store, "commit", mistaken)
    rig.agent("helper", script=[{"text": "A long story."}])
    rig.models.hold()
    with caplog.at_level("CRITICAL"):
        thread = await begun(rig, "helper")
        await until_said(rig, thread, "Nothing has been heard")

    assert mistakes == []


async def test_it_is_taken_back_when_something_comes_and_said_once_until_then(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "A long story."}])
    rig.models.hold()
    thread = await begun(rig, "helper")
    await until_said(rig, thread, "Nothing has been heard")
    looked = len(rig.rig.events)

    rig.models.let_go()
    row = await rig.engine.threads.parked(thread.id)

    assert row.status is ThreadStatus.AWAITING_HUMAN
    await rig.rig.until(lambda: len(rig.rig.events) > looked)
    await until_said(rig, thread, "")
    assert quiet(rig, thread) == ["the model helper_prompt_model"]
    assert (await rig.said(thread))[-1] == "assistant: A long story."


@pytest.mark.parametrize("kind", ["tool", "handler"])
async def test_a_tool_and_a_handler_that_say_nothing_are_named(rig: ThreadRig, kind: str) -> None:
    if kind == "tool":
        rig.host.define("slow", hangs, schema={"type": "object"})
        rig.agent("office", tools=["slow"], script=[{"calls": [{"name": "slow"}]}])
    else:
        rig.host.add(DefinitionKind.HANDLER, "slow", {}, hangs)
        rig.agent("office", sideA={"handler": "slow"})
    thread = await begun(rig, "office")

    await until_said(rig, thread, "the call of slow" if kind == "tool" else "the handler slow")

    await rig.engine.threads.stop(thread.id)
    assert rig.engine.threads.running() == ()


async def quiet_agent(rig: ThreadRig) -> Thread:
    """A thread that says nothing, begun now: once it is told of, all others have been looked at for as long."""
    rig.host.define("slow", hangs, schema={"type": "object"})
    rig.agent("silent", tools=["slow"], script=[{"calls": [{"name": "slow"}]}])
    return await begun(rig, "silent")


async def test_a_parent_is_not_quiet_while_its_child_is_heard_of(rig: ThreadRig) -> None:
    await watched(rig.rig, seconds=1.0)
    enough = asyncio.Event()

    async def talks(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        while not enough.is_set():
            link.emit("still", "null")
            await asyncio.wait([asyncio.ensure_future(enough.wait())], timeout=0.05)
        return "ok"

    rig.host.define("talks", talks, schema={"type": "object"})
    rig.prompt("work", tools=["talks"], script=[{"calls": [{"name": "talks"}]}])
    rig.prompt("nobody", script=[])
    sides: dict[str, Any] = {"sideA": {"prompt": "work", "sessionStop": {"name": "talks"}}}
    rig.agent("worker", sideB={"prompt": "nobody"}, exposeAsTool=True, toolDescription="Works.", **sides)
    call: dict[str, Any] = {"calls": [{"name": "worker", "arguments": {"message": "Work."}}]}
    rig.agent("boss", tools=["worker"], script=[call, {"text": "Good."}])
    boss = await begun(rig, "boss")
    await rig.rig.until_event("emitted")

    silent = await quiet_agent(rig)
    await until_said(rig, silent, "Nothing has been heard")

    assert quiet(rig) == ["the call of slow"]
    enough.set()
    await rig.engine.threads.parked(boss.id)
    assert (await rig.said(boss))[-1] == "assistant: Good."


async def invokes(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    del arguments
    return await link.ask("invokeTool", {"name": "asks", "argumentsJson": "{}"})


@pytest.mark.parametrize("tool", ["asks", "invokes"])
async def test_who_waits_for_a_person_is_not_quiet(rig: ThreadRig, tool: str) -> None:
    await watched(rig.rig, seconds=0.1, person_attached=True)
    rig.tool("asks", lambda given: "ok", needsApproval=True)
    rig.rig.host.define("invokes", invokes)
    rig.agent("careful", tools=[tool], script=[{"calls": [{"name": tool}]}])
    careful = await begun(rig, "careful")
    await rig.rig.until_state(CallState.WAITING_FOR_APPROVAL)

    silent = await quiet_agent(rig)
    await until_said(rig, silent, "Nothing has been heard")

    assert quiet(rig, careful) == []

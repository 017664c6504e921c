"""A mistake of Workbench inside a run: the thread fails in words, nothing of it stays open, and it goes on later."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.calls import CallState
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import HookFailed
from workbench.domain.model_answers import ArgumentsDelta, CallNamed, Delta, TextDelta
from workbench.domain.model_requests import ModelRequest
from workbench.domain.pages import CallFilter
from workbench.domain.requests import RequestState
from workbench.domain.threads import Message, MessageStatus, Thread, ThreadStatus
from workbench.domain.writes import PutMessage, Write
from workbench.engine.ports import CallLink, ModelAccess
from workbench.engine.threads.repair import sendable

pytestmark = pytest.mark.rule("T9", "T10")


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


async def broken(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
    del link, arguments
    raise LookupError("nobody foresaw this")


async def breaks_amid_a_call(request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
    del request, access
    yield TextDelta(text="I look. ")
    yield CallNamed(index=0, id="c", name="look")
    yield ArgumentsDelta(index=0, text='{"where": "he')
    raise LookupError("nobody foresaw this")


async def check_closed(rig: ThreadRig, thread: Thread) -> Message:
    """Failed in words, and nothing is open; gives the last message."""
    thread = (await rig.rig.store.thread(thread.id)) or thread
    assert thread.status is ThreadStatus.FAILED
    assert thread.status_text.startswith("Workbench itself failed")
    assert rig.engine.live_calls() == ()
    rows = (await rig.rig.store.calls(CallFilter())).rows
    assert [row.tool for row in rows if not row.state.is_final] == []
    assert RequestState.RUNNING not in {one.state for one in await rig.rig.store.requests(thread.id)}
    messages = await rig.messages(thread)
    assert MessageStatus.PENDING not in {message.status for message in messages}
    assert {repair.code for repair in sendable(messages)[1]} <= {"unfinished"}
    return messages[-1]


def detail_of(message: Message) -> str:
    failure = message.metadata["failure"]
    assert isinstance(failure, dict)
    return str(failure["detail"])  # pyright: ignore[reportUnknownArgumentType]


async def test_a_call_that_breaks_the_host_fails_the_thread_and_closes_the_calls_behind_it(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.host.define("look", broken, schema={"type": "object"})
    rig.agent(
        "helper", tools=["look"], script=[{"calls": [{"name": "look"}, {"name": "look"}]}, {"text": "Fine."}]
    )

    thread = await rig.talk("helper", "Go.")

    last = await check_closed(rig, thread)
    assert last.status is MessageStatus.FAILED
    assert "LookupError: nobody foresaw this" in detail_of(last)
    rows = (await rig.rig.store.calls(CallFilter())).rows
    assert {row.state for row in rows} == {CallState.FAILED, CallState.STOPPED}
    assert "nobody foresaw this" in caplog.text
    assert (await rig.say(thread, "And now?")).status is ThreadStatus.AWAITING_HUMAN
    assert (await rig.said(thread))[-1] == "assistant: Fine."


async def test_a_model_client_that_breaks_amid_a_call_leaves_neither_call_nor_request_open(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.tool("look", lambda given: "seen")
    rig.agent("helper", tools=["look"], script=[{"text": "Fine."}])
    with monkeypatch.context() as patch:
        patch.setattr(rig.models, "stream", breaks_amid_a_call)
        thread = await rig.talk("helper", "Go.")

    await check_closed(rig, thread)
    assert rig.host.calls == []
    assert "nobody foresaw this" in caplog.text
    await rig.say(thread, "And now?")
    assert (await rig.said(thread))[-1] == "assistant: Fine."


async def test_an_answer_that_cannot_be_kept_runs_none_of_its_calls(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.tool("look", lambda given: "seen")
    rig.agent("helper", tools=["look"], script=[{"calls": [{"name": "look"}]}, {"text": "Fine."}])
    commit = rig.rig.store.commit

    async def refuses_answers(*writes: Write, flush: bool = True) -> None:
        if any(isinstance(one, PutMessage) and one.message.tool_calls for one in writes):
            raise LookupError("nobody foresaw this")
        await commit(*writes, flush=flush)

    with monkeypatch.context() as patch:
        patch.setattr(rig.rig.store, "commit", refuses_answers)
        thread = await rig.talk("helper", "Go.")

    assert rig.host.calls == []
    assert rig.engine.live_calls() == ()
    assert (thread.status, "nobody foresaw this" in caplog.text) == (ThreadStatus.FAILED, True)
    await rig.say(thread, "And now?")
    assert (await rig.said(thread))[-1] == "assistant: Fine."


async def test_a_mistake_below_reaches_the_prompt_and_the_parent_above(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.host.define("look", broken, schema={"type": "object"})
    rig.prompt("judge", tools=["look"], script=[{"calls": [{"name": "look"}]}])
    rig.prompt("work", tools=["judge"], script=[{"calls": [{"name": "judge"}]}])
    rig.prompt("nobody", script=[])
    sides: dict[str, Any] = {"sideA": {"prompt": "work"}, "sideB": {"prompt": "nobody"}}
    rig.agent("worker", exposeAsTool=True, toolDescription="Works.", **sides)
    call = {"calls": [{"name": "worker", "arguments": {"message": "Work."}}]}
    rig.agent("boss", tools=["worker"], script=[call, {"text": "It broke, I hear."}])

    thread = await rig.talk("boss", "Go.")

    (child,) = await rig.rig.store.children(thread.id)
    assert thread.status is ThreadStatus.AWAITING_HUMAN
    said = await rig.said(thread)
    assert "Workbench itself failed" in said[2]
    assert said[-1] == "assistant: It broke, I hear."
    messages = await rig.messages(child)
    assert sendable(messages)[0][-1].tool_status == "error"
    assert "nobody foresaw this" in caplog.text


async def test_a_handler_that_breaks_the_host_fails_the_thread_in_words(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.host.add(DefinitionKind.HANDLER, "desk", {}, broken)
    rig.agent("office", sideA={"handler": "desk"})

    thread = await rig.talk("office", "Go.")

    await check_closed(rig, thread)
    assert "nobody foresaw this" in caplog.text


@pytest.mark.rule("T8")
async def test_a_hook_that_breaks_the_host_is_told_and_the_run_goes_on(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture
) -> None:
    for moment in ("after_system_message", "after_create_message"):
        fields = {"hook": moment, "id": moment}
        rig.host.add(DefinitionKind.HOOK, f"hook_{moment}", fields, broken)
    rig.agent("helper", script=[{"text": "Yes."}], hooks=["after_system_message", "after_create_message"])

    thread = await rig.talk("helper", "Hello.")
    await rig.heard(thread)

    assert await rig.said(thread) == ["user: Hello.", "assistant: Yes."]
    failed = [event for event in rig.rig.events if isinstance(event, HookFailed)]
    assert [event.hook for event in failed] == [
        "after_create_message",
        "after_system_message",
        "after_create_message",
    ]
    assert all("nobody foresaw this" in event.message for event in failed)
    assert "nobody foresaw this" in caplog.text

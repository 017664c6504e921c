"""What models answer wrongly, and how their providers fail: each ends in words, with a history that can be sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from tests.engine.rig import Rig, make_engine
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.calls import CallState, FailureKind
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import AttemptFailed
from workbench.domain.model_answers import FinishReason
from workbench.domain.pages import CallFilter
from workbench.domain.requests import RequestState
from workbench.domain.threads import Message, MessageStatus, Role, Thread, ThreadStatus
from workbench.engine.models.attempts import RetryPolicy
from workbench.engine.ports import CallLink
from workbench.engine.threads.repair import sendable

NUMBERS = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
async def rig(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ThreadRig]:
    """Threads whose models are asked again at once."""
    monkeypatch.setattr(
        "workbench.engine.models.attempts.RetryPolicy", partial(RetryPolicy, first_wait=0.001)
    )
    await rig.engine.close()
    models = rig.engine.services.models
    rig.engine = make_engine(
        rig.store, rig.accounts, rig.folder, host=rig.host, vault=rig.vault, models=models
    )
    rig.engine.services.bus.subscribe(rig.events.append)
    yield ThreadRig(rig)
    await rig.engine.close()


def call(name: str, arguments: object, id: str | None = None) -> dict[str, object]:
    return {"name": name, "arguments": arguments, "id": id}


async def results(rig: ThreadRig, thread: Thread) -> Sequence[Message]:
    """The results in their order, in a history that can be sent as it is."""
    messages = await rig.messages(thread)
    kept = [message for message in messages if message.status is not MessageStatus.FAILED]
    assert sendable(kept)[1] == ()
    return [message for message in messages if message.role is Role.TOOL]


# --- what a model answers


@pytest.mark.rule("C3", "T10")
async def test_arguments_of_another_type_are_told_and_do_not_run(rig: ThreadRig) -> None:
    rig.tool("half", lambda given: given["n"] // 2, schema=NUMBERS)
    script = [
        {"calls": [call("half", {"n": "ten"})]},
        {"calls": [call("half", {"n": 10})]},
        {"text": "Five."},
    ]
    rig.agent("helper", tools=["half"], script=script)

    thread = await rig.talk("helper", "Half of ten?")

    refused, given = await results(rig, thread)
    assert "/n" in (refused.content or "")
    assert "integer" in (refused.content or "")
    assert (given.content, len(rig.host.calls)) == ("5", 1)


@pytest.mark.rule("C1", "T10")
async def test_calls_with_the_same_id_are_two_calls_with_a_result_each(rig: ThreadRig) -> None:
    rig.tool("half", lambda given: given["n"] // 2, schema=NUMBERS)
    twice = [call("half", {"n": 2}, "same"), call("half", {"n": 4}, "same")]
    script = [{"calls": twice}, {"calls": [call("half", {"n": 6}, "same")]}, {"text": "So."}]
    rig.agent("helper", tools=["half"], script=script)

    thread = await rig.talk("helper", "Go.")

    assert [one.content for one in await results(rig, thread)] == ["1", "2", "3"]


@pytest.mark.rule("C6", "C7", "T10")
async def test_two_hundred_calls_at_once_run_in_their_order(rig: ThreadRig) -> None:
    rig.tool("half", lambda given: given["n"] // 2, schema=NUMBERS)
    many = [call("half", {"n": 2 * number}) for number in range(200)]
    rig.agent("helper", tools=["half"], script=[{"calls": many}, {"text": "All."}])

    thread = await rig.talk("helper", "Go.")

    assert [one.content for one in await results(rig, thread)] == [str(number) for number in range(200)]
    assert (await rig.said(thread))[-1] == "assistant: All."


@pytest.mark.rule("C1", "T10")
async def test_an_endless_answer_is_cut_and_a_call_that_it_cuts_does_not_run(rig: ThreadRig) -> None:
    rig.tool("write", lambda given: "written")
    long = "and so on " * 100
    script: list[dict[str, Any]] = [
        {"text": long},
        {"calls": [call("write", {"text": long})]},
        {"text": "Sorry."},
    ]
    rig.model("endless", script, capabilities={"maxOutputTokens": 4})
    rig.prompt("talker", model="endless", tools=["write"], includeChat=True)
    rig.agent("helper", side={"prompt": "talker"})

    thread = await rig.talk("helper", "A story.", "Write it down.")

    first, second, *_ = await rig.rig.store.requests(thread.id)
    assert (first.reason, second.reason) == (FinishReason.LENGTH, FinishReason.LENGTH)
    told = (await rig.messages(thread))[1]
    assert 0 < len(told.content or "") < len(long)
    (row,) = (await rig.rig.store.calls(CallFilter())).rows
    assert (row.state, row.failure) == (CallState.FAILED, FailureKind.INVALID_ARGUMENTS)
    assert rig.host.calls == []
    assert thread.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("C1")
async def test_a_call_that_is_cut_before_its_first_argument_is_not_one_without_arguments(
    rig: ThreadRig,
) -> None:
    rig.tool("clear", lambda given: "cleared")
    cut: dict[str, Any] = {"calls": [call("clear", "")], "finish": "length"}
    rig.agent("helper", tools=["clear"], script=[cut, {"text": "I am out of room."}])

    thread = await rig.talk("helper", "Clear some.")

    assert rig.host.calls == []
    (refused,) = await results(rig, thread)
    assert (refused.content or "").startswith("The answer ended before the arguments of clear were whole")
    assert (await rig.said(thread))[-1] == "assistant: I am out of room."


@pytest.mark.rule("T2", "T10")
@pytest.mark.parametrize("stop_on_response", [True, False])
async def test_an_empty_answer_ends_the_turn_and_is_not_sent_again(
    rig: ThreadRig, stop_on_response: bool
) -> None:
    script = [*[{"text": ""}] * (1 if stop_on_response else 3), {"text": "Here I am."}, *[{"text": ""}] * 3]
    side = {"stopOnResponse": stop_on_response}
    rig.agent("helper", script=script, side=side, prompt={"includeChat": True})

    thread = await rig.talk("helper", "Hello?", "Hello!")

    assert thread.status is ThreadStatus.AWAITING_HUMAN
    requests = await rig.rig.store.requests(thread.id)
    assert {one.state for one in requests} == {RequestState.ANSWERED}
    asked = await rig.rig.store.asked(requests[1 if stop_on_response else 3].id)
    assert asked is not None
    assert [turn.role for turn in asked.turns] == ["user", "user"]
    assert "assistant: Here I am." in await rig.said(thread)


# --- how providers fail


@pytest.mark.rule("T2", "T10")
@pytest.mark.parametrize(
    "kind", ["rate_limited", "server", "timeout", "malformed", "overloaded", "connection"]
)
async def test_trouble_that_passes_costs_an_attempt_and_what_it_had_begun(rig: ThreadRig, kind: str) -> None:
    rig.tool("half", lambda given: given["n"] // 2, schema=NUMBERS)
    fails = {"text": "I will", "fail": {"kind": kind, "message": "Not now.", "retry_after": 0.001}}
    begun = {"calls": [call("half", {"n": 8})], "fail": {"kind": kind, "message": "Not now."}}
    script = [fails, begun, {"calls": [call("half", {"n": 10})]}, {"text": "Five."}]
    rig.agent("helper", tools=["half"], script=script)

    thread = await rig.talk("helper", "Half of ten?")

    assert await rig.said(thread) == [
        "user: Half of ten?",
        'assistant: half {"n":10}',
        "tool: 5",
        "assistant: Five.",
    ]
    failed = [event for event in rig.rig.events if isinstance(event, AttemptFailed)]
    assert [(event.failure.kind.value, event.wait is not None) for event in failed] == [(kind, True)] * 2
    first, _ = await rig.rig.store.requests(thread.id)
    assert [attempt.failure is None for attempt in first.attempts] == [False, False, True]
    assert rig.engine.live_calls() == ()


@pytest.mark.rule("T9", "T10")
@pytest.mark.parametrize("kind", ["auth", "rejected", "context_too_long", "server", "malformed"])
async def test_trouble_that_stays_fails_the_thread_in_words_and_it_goes_on_later(
    rig: ThreadRig, kind: str
) -> None:
    fails = {"fail": {"kind": kind, "message": "Not today."}}
    attempts = 1 if kind in {"auth", "rejected", "context_too_long"} else 3
    rig.agent("helper", script=[*[fails] * attempts, {"text": "Now."}])

    thread = await rig.talk("helper", "Hello.")

    assert (thread.status, thread.status_text) == (ThreadStatus.FAILED, "Not today.")
    last = (await rig.messages(thread))[-1]
    assert (last.status, last.content) == (MessageStatus.FAILED, "Not today.")
    await rig.say(thread, "And now?")
    assert (await rig.said(thread))[-1] == "assistant: Now."


# --- code that asks for what it cannot have


@pytest.mark.rule("C4", "T8")
async def test_code_beside_tools_that_invokes_a_prompt_is_refused_in_words(rig: ThreadRig) -> None:
    answers: list[Any] = []

    async def asks(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        answers.append(await link.ask("invokeTool", {"name": "judge", "argumentsJson": "{}"}))
        return None

    rig.host.add(DefinitionKind.HOOK, "hook_asks", {"hook": "after_system_message", "id": "asks"}, asks)
    rig.prompt("judge", script=[])
    rig.agent("helper", script=[{"text": "Yes."}], hooks=["asks"], tools=["judge"])

    thread = await rig.talk("helper", "Hello.")

    (answer,) = answers
    assert answer["status"] == "error"
    assert "judge is no tool" in answer["error"]
    assert "queue_tool" in answer["error"]
    assert await rig.said(thread) == ["user: Hello.", "assistant: Yes."]

"""Replays: recorded or live answers, tools that run or not, children, and where the recording is left (T22)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.engine.replaying import ADD, counter, ended, replayed
from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue, parse
from workbench.domain.calls import FailureKind, Origin
from workbench.domain.threads import ForkedFrom, ReplayMode, ThreadStatus
from workbench.domain.writes import DeleteThread
from workbench.engine.calls import recorded
from workbench.engine.threads.forking import fork_thread


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T22")
async def test_a_replay_says_the_same_and_runs_its_tools_again(rig: ThreadRig) -> None:
    seen = counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}, ADD, {"text": "Four."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.", "And again.")

    replay = await replayed(rig, thread)

    assert replay.forked_from == ForkedFrom(thread_id=thread.id)
    assert seen == [2, 2, 2, 2]
    assert await rig.said(replay) == [
        "user: Add two.",
        'assistant: add {"by":2}',
        "tool: now 6",
        "assistant: Two.",
        "user: And again.",
        'assistant: add {"by":2}',
        "tool: now 8",
        "assistant: Four.",
    ]
    assert replay.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("T22")
async def test_with_recorded_results_nothing_runs_and_each_call_gets_what_it_got_then(rig: ThreadRig) -> None:
    seen = counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}, ADD, {"text": "Four."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.", "And again.")

    replay = await replayed(rig, thread, tools=True)

    assert seen == [2, 2]
    assert await rig.said(replay) == await rig.said(thread)
    calls = await rig.rig.store.calls_of(replay.id)
    assert [(call.stubbed, call.attempts, call.origin) for call in calls] == [(True, 0, Origin.REPLAY)] * 2


@pytest.mark.rule("T22")
async def test_the_arguments_of_each_call_are_read_once_however_many_calls_there_are(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def reads(text: str) -> JsonValue:
        read.append(text)
        return parse(text)

    counter(rig)
    many = [{"name": "add", "arguments": {"by": number, "once": "read"}} for number in range(12)]
    rig.agent("adder", script=[{"calls": many}, {"text": "All."}], tools=["add"])
    thread = await rig.talk("adder", "Add them.")

    monkeypatch.setattr(recorded, "parse", reads)
    replay = await replayed(rig, thread, tools=True)

    assert await rig.said(replay) == await rig.said(thread)
    assert len(read) == len(many)


@pytest.mark.rule("T22")
async def test_a_call_without_a_recorded_result_is_refused_and_not_run(rig: ThreadRig) -> None:
    seen = counter(rig)
    more = {"calls": [{"name": "add", "arguments": {"by": 5}}]}
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")
    rig.model("adder_prompt_model", [more, {"text": "Oh."}])

    replay = await replayed(rig, thread, tools=True, live=True)

    assert seen == [2]
    (call,) = await rig.rig.store.calls_of(replay.id)
    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.kind is FailureKind.HOST_UNAVAILABLE
    assert "add was not run" in call.result.failure.message


@pytest.mark.rule("T22")
async def test_live_models_are_asked_again_and_may_say_something_else(rig: ThreadRig) -> None:
    counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")
    rig.model("adder_prompt_model", [{"text": "I do not add."}])

    replay = await replayed(rig, thread, live=True)

    assert await rig.said(replay) == ["user: Add two.", "assistant: I do not add."]


@pytest.mark.rule("T22")
async def test_half_of_a_surrogate_pair_in_an_answer_is_said_again(rig: ThreadRig) -> None:
    rig.agent("clerk", script=[{"text": "half \ud83d"}])
    thread = await rig.talk("clerk", "Hello.")

    replay = await replayed(rig, thread)

    assert await rig.said(replay) == await rig.said(thread) == ["user: Hello.", "assistant: half \ud83d"]


@pytest.mark.rule("T22")
async def test_a_result_of_another_text_does_not_leave_the_recording(rig: ThreadRig) -> None:
    rig.tool("add", lambda given: "two")
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")
    rig.tool("add", lambda given: "TWO")

    replay = await replayed(rig, thread)

    assert (await rig.said(replay))[2:] == ["tool: TWO", "assistant: Two."]


@pytest.mark.rule("T22")
async def test_a_replay_that_leaves_the_recording_ends_and_says_at_which_request_and_why(
    rig: ThreadRig,
) -> None:
    rig.tool("add", lambda given: "two")
    rig.agent("adder", script=[ADD, {"text": "Two."}, {"text": "Bye."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.", "Thanks.")

    def broken(given: Any) -> str:
        raise ValueError("It is broken.")

    rig.tool("add", broken)

    replay = await replayed(rig, thread)

    assert replay.status is ThreadStatus.FAILED
    assert replay.status_text == (
        "The replay leaves the recording at request 2 of a/adder_prompt: then it came after the result of add:"
        " 'two', now it comes after an error of add: 'It is broken.'."
    )
    assert len(rig.engine.replays.left(replay.id)) == 1


@pytest.mark.rule("T22")
async def test_a_call_more_leaves_the_recording(rig: ThreadRig) -> None:
    async def add(link: Any, given: Any) -> str:
        del given
        if adds_more:
            await link.ask("queueTool", {"name": "other", "argumentsJson": "{}"})
        return "two"

    adds_more = False
    rig.host.define("add", add, schema={"type": "object"})
    rig.tool("other", lambda given: "more")
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")
    adds_more = True

    replay = await replayed(rig, thread)

    assert "then it came after the result of add: 'two', now it comes after the result of other" in (
        replay.status_text
    )


@pytest.mark.rule("T22")
async def test_a_request_more_than_were_recorded_leaves_the_recording(rig: ThreadRig) -> None:
    counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")
    replay = await replayed(rig, thread)

    replay = await rig.say(replay, "And now?")

    assert replay.status is ThreadStatus.FAILED
    assert "request 3 of a/adder_prompt: then no model was asked here any more" in replay.status_text


@pytest.mark.rule("T22")
async def test_children_are_replayed_as_part_of_it_by_their_own_recording_and_names(rig: ThreadRig) -> None:
    rig.tool("done", lambda given: "ok")
    done = {"calls": [{"name": "done", "arguments": {"report": "Done."}}]}
    rig.prompt("work", script=[done, done], tools=["done"])
    rig.prompt("nobody", script=[])
    rig.agent(
        "worker",
        sideA={"prompt": "work", "sessionStop": {"name": "done", "messageProperty": "report"}},
        sideB={"prompt": "nobody"},
    )
    create = {"relationship": "worker", "name": "Ann", "arguments": {"message": "Work."}}
    say = {"reference": "{{result.0.reference}}", "message": "Again."}
    script: list[dict[str, Any]] = [
        {"calls": [{"name": "subagent_create", "arguments": create}]},
        {"calls": [{"name": "subagents", "arguments": {}}]},
        {"calls": [{"name": "subagent_message", "arguments": say}]},
        {"text": "Good."},
    ]
    rig.agent("boss", script=script, side={"subagents": [{"agent": "worker"}]})
    thread = await rig.talk("boss", "Go.")
    (child,) = await rig.rig.store.children(thread.id)

    replay = await replayed(rig, thread)

    (made,) = await rig.rig.store.children(replay.id)
    assert made.forked_from == ForkedFrom(thread_id=child.id)
    assert await rig.said(made) == await rig.said(child)
    then = [line.replace(child.id, made.id) for line in await rig.said(thread)]
    created = [line for line in then if "createdAt" not in line]
    assert [line for line in await rig.said(replay) if "createdAt" not in line] == created
    assert replay.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("T22")
async def test_a_child_that_the_original_did_not_make_has_no_recording(rig: ThreadRig) -> None:
    rig.tool("done", lambda given: "ok")
    rig.prompt("work", script=[{"calls": [{"name": "done", "arguments": {}}]}], tools=["done"])
    rig.prompt("nobody", script=[])
    side = {"prompt": "work", "sessionStop": {"name": "done"}}
    rig.agent("worker", sideA=side, sideB={"prompt": "nobody"}, exposeAsTool=True, toolDescription="Works.")
    rig.tool("work_it", lambda given: "done by hand")
    rig.agent(
        "boss",
        script=[{"calls": [{"name": "worker", "arguments": {"message": "Go."}}]}, {"text": "Good."}],
        tools=["worker"],
    )
    thread = await rig.talk("boss", "Go.")
    (child,) = await rig.rig.store.children(thread.id)
    await rig.rig.store.commit(DeleteThread(child.id))

    replay = await replayed(rig, thread)

    (made,) = await rig.rig.store.children(replay.id)
    assert made.forked_from is None
    assert made.replay is not None
    assert "there was no such thread in it" in made.status_text or made.status is ThreadStatus.TERMINATED
    assert any("there was no such thread in it" in line for line in await rig.said(made))
    assert replay.status is ThreadStatus.FAILED


@pytest.mark.rule("T22")
async def test_a_handoff_is_replayed_in_the_thread_itself(rig: ThreadRig) -> None:
    rig.agent(
        "second",
        script=[{"text": "I took over."}, {"text": "Bye."}],
        exposeAsTool=True,
        toolDescription="Takes over.",
    )
    rig.agent(
        "first", script=[{"calls": [{"name": "second", "arguments": {"message": "Help."}}]}], tools=["second"]
    )
    thread = await rig.talk("first", "Hi.", "Thanks.")
    assert thread.agent == "second"

    replay = await replayed(rig, thread)

    assert (replay.origin_agent, replay.agent) == ("first", "second")
    assert await rig.said(replay) == await rig.said(thread)


@pytest.mark.rule("T22")
async def test_a_dry_replay_runs_only_what_reads_and_asks_for_no_key(rig: ThreadRig) -> None:
    seen = counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")
    fields = {"provider": "anthropic", "model": "far away", "inputPrice": 3.0}
    rig.model("adder_prompt_model", [], **fields)

    original = await rig.rig.store.thread(thread.id)
    assert original is not None
    made = await rig.engine.replays.start(original, ReplayMode(), dry_run=True, as_of=None)
    await ended(rig)

    assert seen == [2]
    assert (await rig.said(made))[2:] == ["tool: Operation acknowledged.", "assistant: Two."]
    (request, _) = await rig.rig.store.requests(made.id)
    assert request.attempts[0].model == "recording of adder_prompt_model"
    assert request.usage is not None
    assert request.usage.cost is None


@pytest.mark.rule("T22")
async def test_approvals_are_asked_anew_unless_results_are_recorded(rig: ThreadRig) -> None:
    rig.tool("send", lambda given: "sent", needsApproval=True)
    rig.agent("sender", script=[{"calls": [{"name": "send"}]}, {"text": "Sent."}], tools=["send"])
    thread = await rig.start("sender")
    await rig.engine.threads.send(thread.id, "Send it.", approve=True)
    thread = await rig.engine.threads.parked(thread.id)

    asked = await replayed(rig, thread)
    given = await replayed(rig, thread, tools=True)

    (refused,) = await rig.rig.store.calls_of(asked.id)
    assert refused.result is not None
    assert refused.result.failure is not None
    assert refused.result.failure.kind is FailureKind.APPROVAL_REQUIRED
    assert await rig.said(given) == await rig.said(thread)
    (call,) = await rig.rig.store.calls_of(given.id)
    assert call.decision is not None
    assert call.decision.verdict == "approved"


@pytest.mark.rule("T22")
async def test_a_replay_goes_on_by_its_recording_in_another_process(rig: ThreadRig) -> None:
    counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}, {"text": "Bye."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.", "Thanks.")
    original = await rig.rig.store.thread(thread.id)
    assert original is not None
    replay = await rig.engine.replays.start(original, ReplayMode(), dry_run=False, as_of=None)
    await rig.engine.close()
    reopened = ThreadRig(await rig.rig.reopened())
    await reopened.rig.load()

    await reopened.engine.threads.go_on(replay.id)
    await reopened.engine.threads.parked(replay.id)

    assert (await reopened.said(replay))[-1] == "assistant: Two."
    await reopened.engine.close()


@pytest.mark.rule("T22")
async def test_what_a_call_queued_is_queued_by_its_recorded_result(rig: ThreadRig) -> None:
    async def add(link: Any, given: Any) -> str:
        del given
        await link.ask("queueTool", {"name": "tell", "argumentsJson": '{"n": 1}'})
        await link.ask("queueTool", {"name": "tell", "argumentsJson": '{"n": 2}'})
        return "two"

    told: list[int] = []
    rig.host.define("add", add, schema={"type": "object"})
    rig.tool("tell", lambda given: told.append(given["n"]) or f"told {given['n']}")
    rig.agent("adder", script=[ADD, {"text": "Two."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.")

    replay = await replayed(rig, thread, tools=True)

    assert told == [1, 2]
    assert await rig.said(replay) == await rig.said(thread)
    calls = await rig.rig.store.calls_of(replay.id)
    assert [(call.tool, call.stubbed) for call in calls] == [("add", True), ("tell", True), ("tell", True)]


@pytest.mark.rule("T22")
async def test_a_fork_of_a_replay_goes_on_with_its_models(rig: ThreadRig) -> None:
    rig.agent("talker", script=[{"text": "One."}, {"text": "Two."}])
    replay = await replayed(rig, await rig.talk("talker", "First."))
    fork = (await fork_thread(await rig.engine.threads.work_of(replay.id), None)).thread

    fork = await rig.say(fork, "Second.")

    assert fork.replay is None
    assert (await rig.said(fork))[-1] == "assistant: Two."

"""Replays: what came to a thread comes to a new one, with recorded or live answers, and tools that run or not (T22)."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.domain.calls import AttachmentRef, FailureKind, Origin
from workbench.domain.events import Event
from workbench.domain.threads import ForkedFrom, ReplayMode, Role, Thread, ThreadStatus
from workbench.domain.writes import DeleteThread, WriteFile
from workbench.engine.calls.setting import NoHooks
from workbench.engine.ports import Returned, ReturnedAttachment
from workbench.engine.threads.editing import insert_message
from workbench.engine.threads.forking import fork_thread

ADD = {"calls": [{"name": "add", "arguments": {"by": 2}}]}


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


async def replayed(rig: ThreadRig, thread: Thread, *, tools: bool = False, live: bool = False) -> Thread:
    """A replay at its end."""
    mode = ReplayMode(recorded_models=not live, recorded_tools=tools)
    original = await rig.rig.store.thread(thread.id)
    assert original is not None
    made = await rig.engine.replays.start(original, mode, dry_run=False, as_of=None)
    await ended(rig)
    found = await rig.rig.store.thread(made.id)
    assert found is not None
    return found


async def ended(rig: ThreadRig) -> None:
    threads = rig.engine.threads
    while running := threads.running():
        for one in running:
            await threads.parked(one.id)
        await rig.engine.replays.settled()


def counter(rig: ThreadRig) -> list[Any]:
    """A tool that counts, whose result is another one each time."""
    seen: list[Any] = []

    def add(given: Any) -> str:
        seen.append(given["by"])
        return f"now {sum(seen)}"

    rig.tool("add", add)
    return seen


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
async def test_a_message_that_came_while_the_thread_worked_comes_at_the_same_place(rig: ThreadRig) -> None:
    counter(rig)
    rig.agent("adder", script=[ADD, ADD, {"text": "Four."}, {"text": "Bye."}], tools=["add"])
    rig.models.hold()
    thread = await rig.start("adder")
    await rig.engine.threads.send(thread.id, "Add two.")
    await rig.rig.until_event("call_seen")
    await rig.engine.threads.send(thread.id, "And two more.")
    rig.models.let_go()
    await rig.engine.threads.parked(thread.id)
    await rig.say(thread, "Thanks.")
    said = [line for line in await rig.said(thread) if not line.startswith("tool")]
    assert said[:3] == ["user: Add two.", 'assistant: add {"by":2}', "user: And two more."]

    replay = await replayed(rig, thread)

    assert [line for line in await rig.said(replay) if not line.startswith("tool")] == said
    assert replay.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("T22")
async def test_what_failed_then_fails_again_and_the_next_message_comes_all_the_same(rig: ThreadRig) -> None:
    script = [{"fail": {"kind": "auth", "message": "No key."}}, {"text": "Hello."}]
    rig.agent("adder", script=script)
    thread = await rig.talk("adder", "Hi.", "Hi again.")

    replay = await replayed(rig, thread)

    assert await rig.said(replay) == await rig.said(thread)


@pytest.mark.rule("T22")
async def test_a_thread_that_was_let_go_on_is_let_go_on(rig: ThreadRig) -> None:
    script = [{"fail": {"kind": "auth", "message": "No key."}}, {"text": "Hello."}, {"text": "Bye."}]
    rig.agent("adder", script=script)
    thread = await rig.talk("adder", "Hi.")
    await rig.engine.threads.go_on(thread.id)
    await rig.engine.threads.parked(thread.id)
    await rig.say(thread, "Thanks.")

    replay = await replayed(rig, thread)

    assert await rig.said(replay) == await rig.said(thread)


@pytest.mark.rule("T22")
async def test_an_agent_without_a_person_is_let_begin(rig: ThreadRig) -> None:
    rig.prompt("other", script=[{"text": "Pong."}])
    rig.agent("talker", script=[{"text": "Ping."}], sideB={"prompt": "other"}, maxSessionTurns=2)
    thread = await rig.start("talker")
    await rig.engine.threads.go_on(thread.id)
    await rig.engine.threads.parked(thread.id)

    replay = await replayed(rig, thread)

    assert await rig.said(replay) == await rig.said(thread)


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
async def test_files_of_messages_and_of_recorded_results_are_copied(rig: ThreadRig) -> None:
    async def draw(link: Any, given: Any) -> object:
        del link, given
        return Returned(
            "tool_result",
            text=b"Drawn.",
            attachments=(ReturnedAttachment("a.txt", "text/plain", data=b64encode(b"drawn")),),
        )

    rig.host.define("draw", draw, schema={"type": "object"})
    rig.agent("artist", script=[{"calls": [{"name": "draw"}]}, {"text": "Here."}], tools=["draw"])
    thread = await rig.start("artist")
    await rig.rig.store.commit(WriteFile(thread.id, "/attachments/in.txt", b"given", "text/plain"))
    file = AttachmentRef(id="1", path="/attachments/in.txt", name="in.txt", mime_type="text/plain", size=5)
    await rig.engine.threads.send(thread.id, "Draw.", attachments=[file])
    await rig.engine.threads.parked(thread.id)

    replay = await replayed(rig, thread, tools=True)

    asked, _, result, _ = await rig.messages(replay)
    assert await rig.rig.store.read_file(replay.id, asked.attachments[0].path) == b"given"
    assert await rig.rig.store.read_file(replay.id, result.attachments[0].path) == b"drawn"


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
async def test_a_thread_that_nobody_spoke_to_cannot_be_replayed(rig: ThreadRig) -> None:
    rig.agent("adder", script=[])
    thread = await rig.start("adder")

    with pytest.raises(UserError, match="nothing to replay"):
        await replayed(rig, thread)


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
async def test_a_fork_is_replayed_with_what_was_said_before_it(rig: ThreadRig) -> None:
    counter(rig)
    rig.agent("adder", script=[ADD, {"text": "Two."}, {"text": "Bye."}, {"text": "Hello."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.", "Thanks.")
    fork = (await fork_thread(await rig.engine.threads.work_of(thread.id), None)).thread
    fork = await rig.say(fork, "Hi again.")

    replay = await replayed(rig, fork, tools=True)

    assert replay.forked_from == ForkedFrom(thread_id=fork.id)
    assert await rig.said(replay) == await rig.said(fork)


@pytest.mark.rule("T22")
async def test_what_was_put_in_by_hand_or_said_by_code_comes_from_there_again(rig: ThreadRig) -> None:
    async def add(link: Any, given: Any) -> str:
        del given
        await link.ask("queueMessage", {"role": "user", "content": "Said by code."})
        return "two"

    rig.host.define("add", add, schema={"type": "object"})
    rig.agent("adder", script=[ADD, {"text": "Two."}, {"text": "Bye."}], tools=["add"])
    thread = await rig.talk("adder", "Add two.", "Thanks.")
    await insert_message(
        rig.engine.services, thread.id, "By hand.", role=Role.USER, before=None, hooks=NoHooks()
    )

    replay = await replayed(rig, thread)

    said = await rig.said(thread)
    assert said[-1] == "user: By hand."
    assert await rig.said(replay) == said[:-1]


@pytest.mark.rule("T22")
async def test_what_a_person_said_to_a_child_is_said_to_the_child_that_replays_it(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "What exactly?"}, {"calls": [{"name": "done"}]}], tools=["done"])
    rig.tool("done", lambda given: "ok")
    side = {"prompt": "helper_prompt", "sessionStop": {"name": "done"}}
    rig.agent("helper", sideA=side, sideB={"human": True})
    create = {"relationship": "helper", "name": "Ann", "arguments": {"message": "Ask."}}
    script = [{"calls": [{"name": "subagent_create", "arguments": create}]}, {"text": "Good."}]
    rig.agent("boss", script=script, side={"subagents": [{"agent": "helper"}]})
    thread = await rig.start("boss")
    await rig.engine.threads.send(thread.id, "Go.")
    while not (children := await rig.rig.store.children(thread.id)):
        await rig.rig.next_event()
    await rig.until_said(children[0], "What exactly?")
    await rig.say(children[0], "This.")
    await rig.engine.threads.parked(thread.id)

    replay = await replayed(rig, thread)

    (made,) = await rig.rig.store.children(replay.id)
    assert await rig.said(made) == await rig.said(children[0])
    assert (await rig.said(replay))[-1] == "assistant: Good."


@pytest.mark.rule("T22")
async def test_a_stopped_thread_is_replayed_up_to_what_stopped_it_and_on_from_there(rig: ThreadRig) -> None:
    held = asyncio.Event()

    async def wait(link: Any, given: Any) -> str:
        del link, given
        await held.wait()
        return "waited"

    rig.host.define("wait", wait, schema={"type": "object"})
    rig.agent("waiter", script=[{"calls": [{"name": "wait"}]}, {"text": "Stopped."}], tools=["wait"])
    thread = await rig.start("waiter")
    await rig.engine.threads.send(thread.id, "Wait.")
    await rig.rig.until(lambda: bool(rig.host.calls))
    await rig.engine.threads.stop(thread.id)
    thread = await rig.say(thread, "Do not.")

    replay = await replayed(rig, thread, tools=True)

    assert (await rig.said(replay))[0::3] == ["user: Wait.", "user: Do not."]
    assert await rig.said(replay) == await rig.said(thread)


@pytest.mark.rule("T22")
async def test_a_replay_that_is_stopped_is_given_nothing_more(rig: ThreadRig) -> None:
    rig.agent("talker", script=[{"text": "One."}, {"text": "Two."}])
    thread = await rig.talk("talker", "First.", "Second.")
    rig.models.hold()
    original = await rig.rig.store.thread(thread.id)
    assert original is not None
    replay = await rig.engine.replays.start(
        original, ReplayMode(recorded_models=False), dry_run=False, as_of=None
    )

    def is_asked(event: Event) -> bool:
        return event.type == "step_started" and event.thread_id == replay.id

    await rig.rig.until(lambda: any(is_asked(event) for event in rig.rig.events))
    await rig.engine.threads.stop(replay.id)
    await rig.engine.replays.settled()

    (left,) = rig.engine.replays.left(replay.id)
    assert left.message is not None
    assert left.message.content == "Second."


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
@pytest.mark.parametrize("tools", [False, True])
async def test_what_was_scheduled_comes_before_the_message_that_it_came_before(
    rig: ThreadRig, tools: bool
) -> None:
    async def remind(link: Any, given: Any) -> str:
        del given
        await link.ask("setReminder", {"message": "It is time.", "delay": 3600})
        return "ok"

    rig.host.define("remind", remind, schema={"type": "object"})
    script = [{"calls": [{"name": "remind"}]}, {"text": "I will."}, {"text": "Get up."}, {"text": "Bye."}]
    rig.agent("clock", script=script, tools=["remind"])
    thread = await rig.talk("clock", "Wake me.")
    (effect,) = await rig.rig.store.effects(thread.id)
    await rig.engine.threads.effects.run_now(effect.id)
    await rig.engine.threads.effects.ended(effect.id)
    await rig.engine.threads.parked(thread.id)
    await rig.say(thread, "Thanks.")

    replay = await replayed(rig, thread, tools=tools)

    assert (await rig.said(thread))[-4:] == [
        "user: It is time.",
        "assistant: Get up.",
        "user: Thanks.",
        "assistant: Bye.",
    ]
    assert await rig.said(replay) == await rig.said(thread)


@pytest.mark.rule("T22")
async def test_an_answer_that_was_stopped_ends_the_replay_there_until_the_next_message(
    rig: ThreadRig,
) -> None:
    rig.agent("talker", script=[{"text": "A long word, cut in pieces."}, {"text": "Bye."}])
    rig.models.hold()
    thread = await rig.start("talker")
    await rig.engine.threads.send(thread.id, "Talk.")
    await rig.rig.until_event("answer_chunk")
    await rig.engine.threads.stop(thread.id)
    rig.models.let_go()
    rig.model("talker_prompt_model", [{"text": "Bye."}])
    thread = await rig.say(thread, "Enough.")

    replay = await replayed(rig, thread)

    assert await rig.said(replay) == [
        "user: Talk.",
        "assistant: The thread was stopped here then.",
        "user: Enough.",
        "assistant: Bye.",
    ]


@pytest.mark.rule("T22")
async def test_a_fork_of_a_replay_goes_on_with_its_models(rig: ThreadRig) -> None:
    rig.agent("talker", script=[{"text": "One."}, {"text": "Two."}])
    replay = await replayed(rig, await rig.talk("talker", "First."))
    fork = (await fork_thread(await rig.engine.threads.work_of(replay.id), None)).thread

    fork = await rig.say(fork, "Second.")

    assert fork.replay is None
    assert (await rig.said(fork))[-1] == "assistant: Two."

"""What came to a thread from outside comes to its replay, in the same order and at the same places (T22)."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.engine.replaying import ADD, counter, replayed
from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.domain.calls import AttachmentRef
from workbench.domain.events import Event
from workbench.domain.threads import ForkedFrom, ReplayMode, Role, ThreadStatus
from workbench.domain.writes import WriteFile
from workbench.engine.calls.setting import NoHooks
from workbench.engine.ports import Returned, ReturnedAttachment
from workbench.engine.threads.editing import insert_message
from workbench.engine.threads.forking import fork_thread


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


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
async def test_a_thread_that_nobody_spoke_to_cannot_be_replayed(rig: ThreadRig) -> None:
    rig.agent("adder", script=[])
    thread = await rig.start("adder")

    with pytest.raises(UserError, match="nothing to replay"):
        await replayed(rig, thread)


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

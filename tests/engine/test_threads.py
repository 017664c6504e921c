"""Threads: a scripted model and scripted tools, through the engine, over a real store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState
from workbench.domain.events import CallFinished
from workbench.domain.threads import Inbound, MessageStatus, Role, ThreadStatus
from workbench.domain.writes import PutRequest, Write
from workbench.engine.engine import Engine
from workbench.engine.ports import CallLink
from workbench.engine.threads.family import NewThread
from workbench.engine.threads.repair import sendable


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


async def test_a_person_writes_and_the_model_answers(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "Hello to you."}])

    thread = await rig.talk("helper", "Hello.")

    assert thread.status is ThreadStatus.AWAITING_HUMAN
    assert await rig.said(thread) == ["user: Hello.", "assistant: Hello to you."]


async def test_the_model_calls_a_tool_and_sees_its_result(rig: ThreadRig) -> None:
    rig.tool("add", lambda given: given["a"] + given["b"])
    rig.agent(
        "helper",
        tools=["add"],
        script=[
            {"calls": [{"name": "add", "arguments": {"a": 1, "b": 2}}]},
            {"when": {"tool": "add"}, "text": "It is {{result}}."},
        ],
    )

    thread = await rig.talk("helper", "One and two?")

    assert await rig.said(thread) == [
        "user: One and two?",
        'assistant: add {"a":1,"b":2}',
        "tool: 3",
        "assistant: It is 3.",
    ]


@pytest.mark.rule("T2")
async def test_a_call_of_the_stop_tool_ends_the_turn_and_its_argument_is_the_answer(rig: ThreadRig) -> None:
    rig.tool("finish", lambda given: "ok")
    rig.tool("later", lambda given: "ran")
    rig.agent(
        "helper",
        tools=["finish", "later"],
        side={"stopTool": "finish", "stopToolResponseProperty": "answer"},
        script=[
            {
                "calls": [
                    {"name": "finish", "arguments": {"answer": "Done."}},
                    {"name": "later", "arguments": {}},
                ]
            }
        ],
    )

    thread = await rig.talk("helper", "Go.")

    assert await rig.said(thread) == [
        "user: Go.",
        'assistant: finish {"answer":"Done."} | later {}',
        "tool: ok",
        "tool: finish had ended the turn, so this call was not run.",
        "assistant: Done.",
    ]
    assert thread.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("T2")
async def test_a_side_stops_after_its_most_steps(rig: ThreadRig) -> None:
    rig.tool("more", lambda given: "again")
    step: dict[str, object] = {"calls": [{"name": "more"}]}
    rig.agent("helper", tools=["more"], side={"maxSteps": 2}, script=[step, step])

    thread = await rig.talk("helper", "Go.")

    assert len(rig.host.calls) == 2
    assert thread.status is ThreadStatus.AWAITING_HUMAN
    assert (thread.status_text, thread.at_limit) == ("Reached its limit of 2 steps.", True)


@pytest.mark.rule("T2")
async def test_a_turn_at_its_limit_names_a_last_call_that_failed_until_the_next_turn(rig: ThreadRig) -> None:
    rig.agent("helper", side={"maxSteps": 1}, script=[{"calls": [{"name": "more"}]}, {"text": "I see."}])

    stuck = await rig.talk("helper", "Go.")
    then = await rig.say(stuck, "And?")

    assert stuck.status_text == "Reached its limit of 1 step; more failed."
    assert (then.status, then.status_text, then.at_limit) == (ThreadStatus.AWAITING_HUMAN, "", False)


@pytest.mark.rule("C2")
async def test_a_tool_that_the_prompt_does_not_list_is_refused_with_where_to_list_it(rig: ThreadRig) -> None:
    rig.tool("other", lambda given: "other")
    rig.tool("others", lambda given: "others")
    calls = {"calls": [{"name": "other"}, {"name": "helper_prompt"}]}
    rig.agent("helper", tools=["others"], script=[calls, {"text": "I see."}])

    said = await rig.said(await rig.talk("helper", "Go."))

    assert rig.host.calls == []
    assert said[2].startswith(
        "tool: The tool other is there, but the prompt helper_prompt does not offer it."
    )
    assert 'list "other" in the tools of agents/prompts/' in said[2]
    assert "The prompt helper_prompt is there" in said[3]


async def test_a_failed_model_leaves_a_failed_message_and_a_thread_that_goes_on_with_the_next_word(
    rig: ThreadRig,
) -> None:
    rig.agent(
        "helper",
        script=[{"fail": {"kind": "auth", "message": "No key."}}, {"text": "Now it works."}],
    )

    thread = await rig.talk("helper", "Hello.")
    assert thread.status is ThreadStatus.FAILED
    failed = (await rig.messages(thread))[-1]
    assert failed.status is MessageStatus.FAILED
    assert "No key." in (failed.content or "")

    thread = await rig.say(thread, "And now?")
    assert (await rig.said(thread))[-1] == "assistant: Now it works."


@pytest.mark.rule("C1", "C2")
async def test_unknown_tools_and_cut_arguments_never_run(rig: ThreadRig) -> None:
    rig.tool("write", lambda given: "written")
    rig.agent(
        "helper",
        tools=["write"],
        script=[
            {"calls": [{"name": "wrote", "arguments": {}}, {"name": "write", "arguments": '{"path": "/a'}]},
            {"text": "Sorry."},
        ],
    )

    thread = await rig.talk("helper", "Go.")

    assert rig.host.calls == []
    said = await rig.said(thread)
    assert "Did you mean write?" in said[2]
    assert "cannot be read" in said[3]
    assert said[-1] == "assistant: Sorry."


@pytest.mark.rule("C6")
async def test_what_a_tool_queues_runs_before_the_model_is_asked_again(rig: ThreadRig) -> None:
    async def first(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        await link.ask("queueTool", {"name": "second", "argumentsJson": '{"n": 1}'})
        return "first"

    rig.host.define("first", first, schema={"type": "object"})
    rig.tool("second", lambda given: "second")
    rig.agent(
        "helper", tools=["first"], script=[{"calls": [{"name": "first", "arguments": {}}]}, {"text": "Both."}]
    )

    thread = await rig.talk("helper", "Go.")

    assert await rig.said(thread) == [
        "user: Go.",
        "assistant: first {}",
        "tool: first",
        'assistant: second {"n": 1}',
        "tool: second",
        "assistant: Both.",
    ]


@pytest.mark.rule("T9")
async def test_a_stop_while_the_model_writes_keeps_what_had_come_and_the_next_word_goes_on(
    rig: ThreadRig,
) -> None:
    rig.agent("helper", script=[{"text": "A long story that never ends."}, {"text": "Short."}])
    rig.models.hold()
    thread = await rig.start("helper")
    await rig.engine.threads.send(thread.id, "Tell me.")
    await rig.rig.until_event("answer_chunk")

    assert await rig.engine.threads.stop(thread.id)

    thread = await rig.engine.threads.parked(thread.id)
    assert thread.status is ThreadStatus.STOPPED
    partial = (await rig.messages(thread))[-1]
    assert partial.status is MessageStatus.FAILED
    rig.models.let_go()
    thread = await rig.say(thread, "Shorter.")
    assert thread.status is ThreadStatus.AWAITING_HUMAN


@pytest.mark.rule("T9", "C13")
async def test_a_call_that_a_stop_takes_back_while_it_is_written_is_told_to_be_stopped(
    rig: ThreadRig,
) -> None:
    rig.tool("echo", lambda given: given)
    rig.agent(
        "helper", tools=["echo"], script=[{"calls": [{"name": "echo", "arguments": {"text": "a" * 99}}]}]
    )
    rig.models.hold()
    thread = await rig.start("helper")
    await rig.engine.threads.send(thread.id, "Go.")
    await rig.rig.until_event("call_seen")

    await rig.engine.threads.stop(thread.id)

    ends = [event.state for event in rig.rig.events if isinstance(event, CallFinished)]
    assert ends == [CallState.STOPPED]


@pytest.mark.rule("T9", "C13")
async def test_a_stop_while_the_prompt_waits_for_a_variable_asks_no_model(rig: ThreadRig) -> None:
    rig.prompt(
        "desk",
        script=[{"text": "Not asked."}],
        variables=[{"name": "DESK", "type": "text", "required": True}],
    )
    rig.agent("helper", sideA={"prompt": "desk"})
    await rig.rig.load()
    engine = Engine(rig.engine.services, person_attached=True)
    thread = await engine.threads.start(NewThread("helper", {}))
    await engine.threads.send(thread.id, "Go.")
    await rig.rig.until(lambda: [one.status for one in engine.threads.running()] == [ThreadStatus.WAITING])

    async with asyncio.timeout(30):
        await engine.threads.stop(thread.id)

    assert (await engine.threads.parked(thread.id)).status is ThreadStatus.STOPPED
    assert await rig.rig.store.requests(thread.id) == []
    await engine.close()


@pytest.mark.rule("T9")
async def test_a_stop_while_a_tool_runs_leaves_a_history_that_can_be_sent(rig: ThreadRig) -> None:
    started = asyncio.Event()

    async def slow(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        started.set()
        await asyncio.Event().wait()
        return "never"

    rig.host.define("slow", slow, schema={"type": "object"})
    rig.agent(
        "helper",
        tools=["slow"],
        script=[{"calls": [{"name": "slow", "arguments": {}}, {"name": "slow", "arguments": {}}]}],
    )
    thread = await rig.start("helper")
    await rig.engine.threads.send(thread.id, "Go.")
    await asyncio.wait_for(started.wait(), 5)

    await rig.engine.threads.stop(thread.id)

    messages = await rig.messages(thread)
    assert sendable(messages)[1] == ()
    assert [message.tool_status for message in messages if message.role is Role.TOOL] == ["error", "error"]


@pytest.mark.rule("T4")
async def test_a_prompt_is_a_tool_whose_answer_is_the_result(rig: ThreadRig) -> None:
    question = {"type": "object", "properties": {"question": {"type": "string"}}}
    rig.prompt("judge", script=[{"text": "Allowed."}], schema=question)
    rig.agent(
        "helper",
        tools=[{"name": "judge", "initUserMessageProperty": "question"}],
        script=[{"calls": [{"name": "judge", "arguments": {"question": "May I?"}}]}, {"text": "Yes."}],
    )

    thread = await rig.talk("helper", "Go.")

    messages = await rig.messages(thread)
    assert [(message.depth, message.content) for message in messages] == [
        (0, "Go."),
        (0, None),
        (0, "Allowed."),
        (1, "May I?"),
        (1, "Allowed."),
        (0, "Yes."),
    ]


@pytest.mark.rule("T2")
async def test_two_prompts_talk_until_one_ends_the_session(rig: ThreadRig) -> None:
    rig.tool("finish", lambda given: "ok")
    rig.prompt("writer", script=[{"text": "A draft."}, {"text": "A better draft."}], includeChat=True)
    rig.prompt(
        "reviewer",
        tools=["finish"],
        includeChat=True,
        script=[{"text": "Not yet."}, {"calls": [{"name": "finish", "arguments": {"why": "Good."}}]}],
    )
    rig.agent(
        "pair",
        sideA={"prompt": "writer"},
        sideB={"prompt": "reviewer", "sessionStop": {"name": "finish", "messageProperty": "why"}},
    )

    thread = await rig.talk("pair", "Write.")

    assert thread.status is ThreadStatus.IDLE
    ended = [event for event in rig.rig.events if event.type == "session_ended"]
    assert [(event.outcome, event.text) for event in ended] == [("stop", "Good.")]
    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[-1].id)
    assert asked is not None
    assert [turn.role for turn in asked.turns] == ["user", "user", "assistant", "user"]


@pytest.mark.rule("T2")
async def test_a_session_ends_at_its_most_turns(rig: ThreadRig) -> None:
    rig.prompt("one", script=[{"text": "1"}, {"text": "3"}])
    rig.prompt("two", script=[{"text": "2"}])
    rig.agent("pair", sideA={"prompt": "one"}, sideB={"prompt": "two"}, maxSessionTurns=3)

    thread = await rig.talk("pair", "Go.")

    assert (await rig.said(thread))[1:] == ["assistant: 1", "assistant: 2", "assistant: 3"]
    assert thread.session.turns == 0
    assert thread.status_text == "The session reached its 3 turns."


@pytest.mark.rule("T13")
async def test_each_request_is_kept_and_built_again_as_it_was_sent(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}], prompt={"includeChat": True})
    thread = await rig.talk("helper", "First.", "Second.")

    requests = await rig.rig.store.requests(thread.id)
    asked = [await rig.rig.store.asked(request.id) for request in requests]

    assert [len(one.turns) for one in asked if one] == [1, 3]
    assert all(request.usage is not None and request.message_id for request in requests)
    assert [request.step for request in requests] == [1, 2]


@pytest.mark.rule("T13")
async def test_without_include_chat_a_prompt_sees_only_the_turn_under_way(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}])
    thread = await rig.talk("helper", "First.", "Second.")

    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[-1].id)

    assert asked is not None
    assert [turn.role for turn in asked.turns] == ["user"]


@pytest.mark.rule("C8")
async def test_a_call_shows_from_its_first_byte_on_and_starts_with_its_progress(rig: ThreadRig) -> None:
    schema = {"type": "object", "properties": {"what": {"type": "string"}, "text": {"type": "string"}}}
    rig.tool("write", lambda given: "ok", progressArgument="what", schema=schema)
    rig.agent(
        "helper",
        tools=["write"],
        script=[
            {"calls": [{"name": "write", "arguments": {"what": "the letter", "text": "x" * 200}}]},
            {"text": "."},
        ],
    )
    await rig.talk("helper", "Go.")

    types = [event.type for event in rig.rig.events if getattr(event, "call_id", None)]
    assert types.index("call_seen") < types.index("call_arguments") < types.index("tool_call_started")
    assert types.count("tool_call_started") == 1
    started = next(event for event in rig.rig.events if event.type == "tool_call_started")
    assert started.progress == "the letter"
    assert types.index("tool_call_started") < len(types) - 1 - types[::-1].index("call_arguments")


async def test_a_model_that_fails_is_tried_again_and_then_the_next_one_is_asked(rig: ThreadRig) -> None:
    rig.model("second", [{"text": "From the second."}])
    rig.model("first", [{"fail": {"kind": "rejected"}}], fallbacks=["second"])
    rig.prompt("talker", model="first")
    rig.agent("helper", side={"prompt": "talker"})

    thread = await rig.talk("helper", "Hello.")

    assert (await rig.said(thread))[-1] == "assistant: From the second."
    (request,) = await rig.rig.store.requests(thread.id)
    assert [attempt.model for attempt in request.attempts] == ["first", "second"]


@pytest.mark.rule("T14")
async def test_a_thread_that_goes_on_before_anybody_spoke_is_told_to_begin(rig: ThreadRig) -> None:
    rig.agent("helper", script=[{"text": "Well."}])
    thread = await rig.start("helper")

    await rig.engine.threads.go_on(thread.id)

    await rig.engine.threads.parked(thread.id)
    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[0].id)
    assert asked is not None
    assert [turn.to_json()["content"] for turn in asked.turns] == [[{"type": "text", "text": "Begin."}]]


@pytest.mark.rule("T3")
async def test_a_message_that_comes_while_a_thread_parks_is_taken_up(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}])
    thread = await rig.start("helper")
    store, reached, go_on = rig.rig.store, asyncio.Event(), asyncio.Event()
    inbox, looked = store.inbox, 0

    async def held(thread_id: ThreadId) -> Sequence[Inbound]:
        nonlocal looked
        found = await inbox(thread_id)
        looked += 1
        if looked == 3:  # before the step, after it, and now as it parks
            reached.set()
            await go_on.wait()
        return found

    monkeypatch.setattr(store, "inbox", held)
    await rig.engine.threads.send(thread.id, "A")
    await asyncio.wait_for(reached.wait(), 30)
    await rig.engine.threads.send(thread.id, "B")
    go_on.set()

    await rig.until_said(thread, "Two.")

    assert await rig.said(thread) == ["user: A", "assistant: One.", "user: B", "assistant: Two."]


@pytest.mark.rule("T9", "C7")
async def test_a_thread_that_is_stopped_twice_while_an_answer_is_kept_leaves_nothing_open(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.tool("look", lambda _: "seen")
    rig.agent(
        "helper", tools=["look"], script=[{"calls": [{"name": "look", "arguments": {}}]}, {"text": "Two."}]
    )
    thread = await rig.start("helper")
    store, reached, go_on = rig.rig.store, asyncio.Event(), asyncio.Event()
    commit = store.commit

    async def held(*writes: Write, flush: bool = True) -> None:
        keeps_answer = any(isinstance(one, PutRequest) and one.request.message_id for one in writes)
        if keeps_answer and not reached.is_set():
            reached.set()
            await go_on.wait()
        await commit(*writes, flush=flush)

    monkeypatch.setattr(store, "commit", held)
    await rig.engine.threads.send(thread.id, "A")
    await asyncio.wait_for(reached.wait(), 30)
    stops = [asyncio.create_task(rig.engine.threads.stop(thread.id)) for _ in range(2)]
    for _ in range(20):
        await asyncio.sleep(0)
    go_on.set()
    async with asyncio.timeout(30):
        await asyncio.gather(*stops)

    messages = await rig.messages(thread)
    assert sendable(messages)[1] == ()
    assert [one.id for one in messages if one.status is MessageStatus.PENDING] == []
    assert rig.engine.threads.running() == ()

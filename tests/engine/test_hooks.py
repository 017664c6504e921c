"""Hooks: an author's code at the moments of a run, what it may change, and that its failing hurts nobody (T8)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from tests.engine.rig import Rig, make_engine
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import CodeLogged, HookFailed
from workbench.domain.model_requests import (
    AssistantTurn,
    FilePart,
    Replay,
    SystemTurn,
    TextPart,
    ToolCallPart,
    ToolTurn,
    UserTurn,
)
from workbench.domain.models import Provider
from workbench.domain.threads import MessageStatus, ThreadStatus
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import AppendEvent
from workbench.engine.ports import CallLink, Died, Raised, Returned, Unavailable
from workbench.engine.threads import hook_values

pytestmark = pytest.mark.rule("T8")

Given = dict[str, Any]


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def failures(rig: ThreadRig) -> list[tuple[str, str]]:
    """Which hooks failed, and the words for why."""
    return [(event.hook, event.message) for event in rig.rig.events if isinstance(event, HookFailed)]


def call(name: str, **arguments: object) -> dict[str, object]:
    return {"calls": [{"name": name, "arguments": arguments}]}


# --- what a model is sent


async def test_the_system_message_passes_through_the_hooks_in_their_order(rig: ThreadRig) -> None:
    rig.hook("first", "after_system_message", lambda text: f"{text} One.")
    rig.hook("second", "after_system_message", lambda text: f"{text} Two.")
    rig.agent("helper", script=[{"text": "Yes."}], hooks=["first", "second"])

    thread = await rig.talk("helper", "Hello.")

    (request,) = await rig.rig.store.requests(thread.id)
    asked = await rig.rig.store.asked(request.id)
    assert asked is not None
    assert asked.system == "You are helper_prompt. One. Two."


async def test_the_history_is_filtered_for_the_model_and_stays_as_it_is_stored(rig: ThreadRig) -> None:
    rig.hook("newest", "filter_messages", lambda messages: messages[-1:])
    rig.agent(
        "helper",
        script=[{"text": "A."}, {"text": "B."}],
        hooks=["newest"],
        prompt={"includeChat": True},
    )

    thread = await rig.talk("helper", "One.", "Two.")

    requests = await rig.rig.store.requests(thread.id)
    asked = await rig.rig.store.asked(requests[-1].id)
    assert asked is not None
    assert len(asked.turns) == 1
    assert await rig.said(thread) == ["user: One.", "assistant: A.", "user: Two.", "assistant: B."]


async def test_a_hook_may_put_a_message_of_its_own_before_the_model(rig: ThreadRig) -> None:
    rig.hook(
        "remind", "filter_messages", lambda messages: [{"role": "user", "content": "Be brief."}, *messages]
    )
    rig.agent("helper", script=[{"text": "Yes."}], hooks=["remind"], prompt={"includeChat": True})

    thread = await rig.talk("helper", "Hello.")

    (request,) = await rig.rig.store.requests(thread.id)
    asked = await rig.rig.store.asked(request.id)
    assert asked is not None
    assert [turn.to_json()["content"] for turn in asked.turns] == [
        [{"type": "text", "text": "Be brief."}],
        [{"type": "text", "text": "Hello."}],
    ]
    assert len(await rig.messages(thread)) == 2


async def test_the_turns_of_the_request_can_be_changed_last(rig: ThreadRig) -> None:
    def shout(turns: list[Given]) -> list[Given]:
        for turn in turns:
            turn["content"] = turn["content"].upper()
        return turns

    rig.hook("shout", "prefilter_llm_history", shout)
    rig.agent("helper", script=[{"when": {"user": "hello"}, "text": "You said {{user}}"}], hooks=["shout"])

    thread = await rig.talk("helper", "Hello.")

    assert await rig.said(thread) == ["user: Hello.", "assistant: You said HELLO."]


def test_what_is_more_than_words_is_a_list_of_parts_and_comes_back_as_it_was() -> None:
    image = FilePart(mime_type="image/png", data=b"png")
    call = ToolCallPart(id="c", name="look", arguments="{}")
    turns = (
        SystemTurn(text="Mind."),
        UserTurn(content=(TextPart(text="See."), image)),
        AssistantTurn(
            parts=(TextPart(text="Look."), call), replay=Replay(provider=Provider.OPENAI, data="[]")
        ),
        AssistantTurn(parts=()),
        ToolTurn(call_id="c", name="look", content=(TextPart(text="seen"),)),
    )

    rows = hook_values.turn_rows(turns)

    shown = [row["content"] for row in rows]
    assert [one if isinstance(one, str) else len(cast("list[object]", one)) for one in shown] == [
        "Mind.", 2, 2, "", "seen",
    ]  # fmt: skip
    assert hook_values.turns(rows, before=turns) == turns


def test_an_answer_that_a_hook_changed_is_not_sent_in_its_provider_s_own_words() -> None:
    own = Replay(provider=Provider.OPENAI, data="[]")
    before = (AssistantTurn(parts=(TextPart(text="secret"),), replay=own),)
    (row,) = hook_values.turn_rows(before)

    assert hook_values.turns([{**row, "content": "hidden"}], before=before) == (
        AssistantTurn(parts=(TextPart(text="hidden"),)),
    )


# --- messages


async def test_every_message_is_shaped_before_it_is_kept_and_told_after(rig: ThreadRig) -> None:
    """Those of a person, of a model, of a stop tool, of a sub-prompt's opening, and of code."""

    def shape(message: Given) -> Given:
        return {**message, "content": f"<{message['content']}>", "metadata": {"seen": True}, "role": "system"}

    told: list[str] = []
    rig.hook("shape", "before_create_message", shape)
    rig.hook("told", "after_create_message", lambda message: told.append(message["content"]))

    async def note(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        await link.ask("injectMessage", {"role": "user", "content": "noted"})
        return "ok"

    rig.host.define("note", note, schema={"type": "object"})
    rig.tool("finish", lambda given: "ok")
    rig.prompt("sub", script=[{"text": "below"}], schema={"type": "object"})
    rig.agent(
        "helper",
        tools=["note", "finish", {"name": "sub", "initUserMessageProperty": "ask"}],
        side={"stopTool": "finish", "stopToolResponseProperty": "answer"},
        script=[
            {"text": "first", **call("note")},
            call("sub", ask="please"),
            call("finish", answer="last"),
        ],
        hooks=["shape", "told"],
    )

    thread = await rig.talk("helper", "hello")
    await rig.heard(thread)

    spoken = [message for message in await rig.messages(thread) if message.role != "tool"]
    assert {message.content for message in spoken} >= {
        "<hello>",
        "<first>",
        "<noted>",
        "<please>",
        "<below>",
        "<last>",
    }
    assert all(message.metadata == {"seen": True} and message.role != "system" for message in spoken)
    assert sorted(told) == sorted(str(message.content) for message in spoken)


async def test_what_a_failed_model_leaves_is_shaped_too(rig: ThreadRig) -> None:
    rig.hook("shape", "before_create_message", lambda message: {**message, "content": "hidden"})
    rig.agent("helper", script=[{"fail": {"kind": "rejected"}}], hooks=["shape"])

    thread = await rig.talk("helper", "hello")

    assert [(message.content, message.status) for message in await rig.messages(thread)] == [
        ("hidden", MessageStatus.COMPLETED),
        ("hidden", MessageStatus.FAILED),
    ]


async def test_what_code_changes_of_a_message_passes_through_hooks(rig: ThreadRig) -> None:
    told: list[Given] = []

    def masked(message: Given, updates: Given) -> Given:
        return {**updates, "content": f"{message['content']} -> {updates['content']}"}

    async def work(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        message = cast("Given", await link.ask("injectMessage", {"role": "user", "content": "old"}))
        await link.ask("updateMessage", {"id": message["id"], "updates": {"content": "new"}})
        return "ok"

    rig.hook("masked", "before_update_message", masked)
    rig.hook("told", "after_update_message", told.append)
    rig.host.define("work", work, schema={"type": "object"})
    rig.agent("helper", tools=["work"], script=[call("work"), {"text": "ok"}], hooks=["masked", "told"])

    thread = await rig.talk("helper", "hello")
    await rig.heard(thread)

    assert "user: old -> new" in await rig.said(thread)
    assert [message["content"] for message in told] == ["old -> new"]


async def test_what_a_hook_writes_runs_no_hooks_again(rig: ThreadRig) -> None:
    async def echo(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        return await link.ask("injectMessage", {"role": "user", "content": "again", "silent": True})

    rig.host.add(DefinitionKind.HOOK, "hook_echo", {"hook": "after_create_message", "id": "echo"}, echo)
    rig.agent("helper", script=[{"text": "ok"}], hooks=["echo"])

    thread = await rig.talk("helper", "hello")
    await rig.heard(thread)

    contents = [message.content for message in await rig.messages(thread)]
    assert contents.count("again") == 2, "one for the person's message, one for the model's"


# --- calls


async def test_a_result_passes_by_how_it_went_and_then_before_it_is_kept(rig: ThreadRig) -> None:
    rig.hook(
        "after", "after_tool_call_success", lambda call, result: {**result, "result": f"{result['result']}+"}
    )
    rig.hook(
        "store", "before_store_tool_result", lambda call, result: {**result, "result": f"{result['result']}!"}
    )
    rig.hook("never", "after_tool_call_failure", lambda call, result: 1 / 0)
    rig.tool("echo", lambda given: given["text"])
    rig.agent(
        "helper",
        tools=["echo"],
        script=[call("echo", text="a"), {"when": {"result": "a+!"}, "text": "ok"}],
        hooks=["after", "store", "never"],
    )

    thread = await rig.talk("helper", "hello")

    assert "tool: a+!" in await rig.said(thread)
    assert failures(rig) == []


async def test_a_hook_may_recover_a_failed_call(rig: ThreadRig) -> None:
    def broken(given: Mapping[str, Any]) -> object:
        raise ValueError("no luck")

    seen: list[Given] = []

    def recover(call: Given, result: Given) -> Given:
        seen.append({"name": call["name"], "error": result["error"]})
        return {"status": "success", "result": "a default"}

    rig.hook("recover", "after_tool_call_failure", recover)
    rig.tool("broken", broken)
    rig.agent("helper", tools=["broken"], script=[call("broken"), {"text": "ok"}], hooks=["recover"])

    thread = await rig.talk("helper", "hello")

    (result,) = [message for message in await rig.messages(thread) if message.role == "tool"]
    assert (result.content, result.tool_status) == ("a default", "success")
    assert seen == [{"name": "broken", "error": "no luck"}]


@pytest.mark.rule("C8")
async def test_a_started_call_is_told_once_with_its_progress(rig: ThreadRig) -> None:
    told: list[tuple[str, object]] = []
    rig.hook("told", "tool_call_started", lambda call, progress: told.append((call["name"], progress)))
    schema = {"type": "object", "properties": {"why": {"type": "string"}}}
    rig.tool("plain", lambda given: "ok")
    rig.tool("says", lambda given: "ok", schema=schema, progressArgument="why")
    rig.agent(
        "helper",
        tools=["plain", "says"],
        script=[
            {"calls": [{"name": "says", "arguments": {"why": "Looking"}}, {"name": "plain"}]},
            call("says"),
            {"text": "ok"},
        ],
        hooks=["told"],
    )

    thread = await rig.talk("helper", "hello")
    await rig.heard(thread)

    assert told == [("says", "Looking"), ("plain", None), ("says", None)]


# --- which hooks hold, and when


async def test_a_prompts_list_stands_in_for_its_agents_also_an_empty_one(rig: ThreadRig) -> None:
    told: list[str] = []
    for name in ("agents", "prompts"):
        rig.hook(name, "after_create_message", lambda message, name=name: told.append(name))
    rig.agent("own", script=[{"text": "ok"}], hooks=["agents"], prompt={"hooks": ["prompts"]})
    rig.agent("none", script=[{"text": "ok"}], hooks=["agents"], prompt={"hooks": []})

    await rig.heard(await rig.talk("own", "hello"))
    assert told == ["prompts", "prompts"]
    await rig.heard(await rig.talk("none", "hello"))
    assert told == ["prompts", "prompts"]


async def test_an_agent_asks_for_hooks_on_the_side_that_may_start_it(rig: ThreadRig) -> None:
    told: list[str] = []
    rig.hook("watch", "after_system_message", told.append)
    rig.agent("child", script=[], parentHooks=["watch"], exposeAsTool=True, toolDescription="Helps.")
    rig.agent("boss", script=[{"text": "ok"}], side={"subagents": [{"agent": "child"}]}, prompt={"hooks": []})
    rig.agent("other", script=[{"text": "ok"}])

    await rig.talk("boss", "hello")
    await rig.talk("other", "hello")

    assert told == ["You are boss_prompt."]


async def test_a_new_threads_hook_runs_before_anything_else_of_it(rig: ThreadRig) -> None:
    identity: list[Mapping[str, object]] = []

    async def greet(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        identity.append(rig.host.calls[-1].identity)
        return await link.ask("injectMessage", {"role": "assistant", "content": "Welcome."})

    rig.host.add(DefinitionKind.HOOK, "hook_greet", {"hook": "after_thread_created", "id": "greet"}, greet)
    rig.agent("helper", script=[{"text": "ok"}], hooks=["greet"])

    thread = await rig.start("helper")

    assert await rig.said(thread) == ["assistant: Welcome."]
    assert identity[0]["execution"] is None


# --- hooks that fail


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Raised("tool_error", "ValueError", "no luck", stack="  line 3"), "ValueError: no luck"),
        (5, "It returned what cannot be used: a mapping was expected"),
        ({"content": 5}, "It returned what cannot be used: content: Input should be a valid string"),
        (Returned("json", json=b"{"), "It returned what cannot be used"),
        (Died("exited with code 3"), "Its process exited with code 3."),
        (Unavailable("There is no Python."), "There is no Python."),
    ],
)
async def test_a_hook_that_fails_is_told_and_the_run_goes_on_with_what_there_was(
    rig: ThreadRig, answer: object, words: str
) -> None:
    for name in ("good", "better"):
        rig.hook(name, "before_create_message", lambda one: {**one, "content": f"{one['content']}!"})
    rig.hook("bad", "before_create_message", lambda _: answer)
    rig.agent("helper", script=[{"text": "Yes"}], hooks=["good", "bad", "better"])

    thread = await rig.talk("helper", "Hello")

    assert await rig.said(thread) == ["user: Hello!!", "assistant: Yes!!"]
    assert [hook for hook, _ in failures(rig)] == ["bad", "bad"]
    assert all(message.startswith(words) for _, message in failures(rig))
    kept = [event for event in await rig.rig.store.events(thread.id) if '"hook_failed"' in event]
    assert len(kept) == 2


@pytest.mark.parametrize("moment", ["filter_messages", "prefilter_llm_history", "after_system_message"])
@pytest.mark.parametrize("nonsense", [7, {"a": 1}, [{"role": "nobody"}], [1]])
async def test_nonsense_for_the_model_is_left_out(rig: ThreadRig, moment: str, nonsense: object) -> None:
    rig.hook("bad", moment, lambda given: nonsense)
    rig.agent("helper", script=[{"when": {"user": "Hello"}, "text": "Yes"}], hooks=["bad"])

    thread = await rig.talk("helper", "Hello")

    assert await rig.said(thread) == ["user: Hello", "assistant: Yes"]
    assert [hook for hook, _ in failures(rig)] == ["bad"]


async def test_a_hook_that_hangs_is_ended_and_the_run_goes_on(rig: ThreadRig, tmp_path: Path) -> None:
    ended: list[str] = []

    async def hang(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    engine = make_engine(
        rig.rig.store,
        rig.rig.accounts,
        tmp_path,
        host=rig.host,
        vault=rig.rig.vault,
        models=rig.models,
        hook_seconds=0.05,
    )
    engine.services.bus.subscribe(rig.rig.events.append)
    rig.rig.engine = engine
    rig.host.add(DefinitionKind.HOOK, "hook_slow", {"hook": "after_system_message", "id": "slow"}, hang)
    rig.agent("helper", script=[{"text": "Yes"}], hooks=["slow"])

    thread = await rig.talk("helper", "Hello")

    assert thread.status is ThreadStatus.AWAITING_HUMAN
    assert await rig.said(thread) == ["user: Hello", "assistant: Yes"]
    assert failures(rig) == [("slow", "It took longer than 0.05 s and was stopped.")]
    assert ended == ["ended"]


async def test_a_secret_that_a_hook_lets_slip_is_hidden(rig: ThreadRig) -> None:
    await rig.rig.variables.set("KEY", "hunter2-hunter2", Scope.INSTANCE, type=VariableType.SECRET)

    async def leak(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        return f"The key is {await link.ask('env', {'name': 'KEY'})}."

    rig.host.add(DefinitionKind.HOOK, "hook_leak", {"hook": "after_system_message", "id": "leak"}, leak)
    rig.agent("helper", script=[{"text": "Yes"}], hooks=["leak"])

    thread = await rig.talk("helper", "Hello")

    (request,) = await rig.rig.store.requests(thread.id)
    asked = await rig.rig.store.asked(request.id)
    assert asked is not None
    assert asked.system.startswith("The key is ")
    assert "hunter2" not in asked.system


@pytest.mark.rule("V1")
async def test_a_prompts_hook_sees_the_values_of_its_prompt_and_where_it_stands(rig: ThreadRig) -> None:
    found: list[object] = []

    async def look(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        execution = cast("Given", rig.host.calls[-1].identity["execution"])
        found.append([await link.ask("env", {"name": "CITY"}), execution["promptPath"]])
        return None

    rig.host.add(DefinitionKind.HOOK, "hook_look", {"hook": "after_system_message", "id": "look"}, look)
    variables = [{"name": "CITY", "type": "text"}]
    rig.agent(
        "helper",
        script=[{"text": "ok"}],
        prompt={"hooks": ["look"], "env": {"CITY": "Oslo"}, "variables": variables},
    )

    await rig.talk("helper", "Hello")

    assert found == [["Oslo", ["helper_prompt"]]]


@pytest.mark.rule("V6")
async def test_a_secret_that_a_hook_prints_in_two_pieces_is_hidden(rig: ThreadRig) -> None:
    await rig.rig.variables.set("KEY", "hunter2-hunter2", Scope.INSTANCE, type=VariableType.SECRET)

    async def leak(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        link.log("stdout", "The key is hunter2-")
        link.log("stdout", "hunter2")
        return None

    rig.host.add(DefinitionKind.HOOK, "hook_leak", {"hook": "after_system_message", "id": "leak"}, leak)
    rig.agent("helper", script=[{"text": "Yes"}], hooks=["leak"])

    await rig.talk("helper", "Hello")

    logged = "".join(event.text for event in rig.rig.events if isinstance(event, CodeLogged))
    assert logged.startswith("The key is ")
    assert "hunter2" not in logged


async def test_what_code_emits_is_kept_before_anything_that_is_kept_after_it(rig: ThreadRig) -> None:
    thread_ids: list[ThreadId] = []

    async def tell(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        link.emit("told", "1")
        said = CodeLogged(thread_id=thread_ids[0], at=0, source="test", stream="stdout", text="after")
        await rig.rig.store.commit(AppendEvent(said))
        return None

    rig.host.add(DefinitionKind.HOOK, "hook_tell", {"hook": "after_system_message", "id": "tell"}, tell)
    rig.agent("helper", script=[{"text": "Yes"}], hooks=["tell"])
    thread = await rig.start("helper")
    thread_ids.append(thread.id)

    await rig.say(thread, "Hello")

    kept = [one for one in await rig.rig.store.events(thread.id) if '"told"' in one or '"after"' in one]
    assert ['"told"' in one for one in kept] == [True, False]


async def test_two_hundred_calls_start_one_observing_hook_at_a_time(rig: ThreadRig) -> None:
    at_once = 0
    most = 0

    async def watch(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        return None

    rig.host.add(DefinitionKind.HOOK, "hook_watch", {"hook": "tool_call_started", "id": "watch"}, watch)
    rig.tool("noop", lambda given: "ok")
    many = [{"name": "noop"} for _ in range(200)]
    rig.agent("helper", tools=["noop"], script=[{"calls": many}, {"text": "ok"}], hooks=["watch"])

    await rig.heard(await rig.talk("helper", "Hello"))

    assert most == 1

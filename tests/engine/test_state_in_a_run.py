"""What an author's `state` does while its thread runs, and what of it is there at rest (T3, T7, T9, T11)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import Thread, ThreadStatus
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import WriteFile
from workbench.engine.ports import CallLink, StateError
from workbench.engine.threads.family import NewThread

Arguments = Mapping[str, JsonValue]


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def call(name: str, **arguments: object) -> dict[str, object]:
    return {"calls": [{"name": name, "arguments": arguments}]}


def asks(rig: ThreadRig, name: str, *questions: tuple[str, Mapping[str, object]]) -> list[Any]:
    """A tool that asks its state these things; the answers land in the list, a refusal as its words."""
    answers: list[Any] = []

    async def body(link: CallLink, arguments: Arguments) -> object:
        for method, params in questions:
            try:
                answers.append(await link.ask(method, params))
            except StateError as error:
                answers.append(f"{error.type}: {error.message}")
        return "asked"

    rig.host.define(name, body, schema={"type": "object"})
    return answers


def identity(rig: ThreadRig, name: str, call: int = -1) -> Mapping[str, Any]:
    """What the host was told with a call of this definition."""
    return [one for one in rig.host.calls if one.file.name == name][call].identity


# --- messages


@pytest.mark.rule("T3")
async def test_a_queued_message_comes_before_the_next_step_and_wakes_a_thread_at_rest(rig: ThreadRig) -> None:
    asks(rig, "queue", ("queueMessage", {"content": "Between.", "silent": True, "metadata": {"a": 1}}))
    rig.agent(
        "helper",
        tools=["queue"],
        script=[call("queue"), {"when": {"user": "Between."}, "text": "Heard."}],
    )

    thread = await rig.talk("helper", "Hello.")

    assert (await rig.said(thread))[2:] == ["tool: asked", "user: Between.", "assistant: Heard."]
    queued = (await rig.messages(thread))[3]
    assert (queued.silent, queued.metadata) == (True, {"a": 1})


@pytest.mark.rule("T3")
async def test_a_message_that_a_hook_queues_at_rest_starts_the_thread(rig: ThreadRig) -> None:
    async def begin(link: CallLink, arguments: Arguments) -> object:
        return await link.ask("queueMessage", {"content": "Begin."})

    rig.host.add(DefinitionKind.HOOK, "hook_begin", {"hook": "after_thread_created", "id": "begin"}, begin)
    rig.agent("helper", script=[{"when": {"user": "Begin."}, "text": "Begun."}], hooks=["begin"])

    thread = await rig.start("helper")
    await rig.engine.threads.parked(thread.id)

    assert await rig.said(thread) == ["user: Begin.", "assistant: Begun."]


@pytest.mark.rule("T3")
async def test_an_injected_message_starts_nothing_and_enters_the_following_request(rig: ThreadRig) -> None:
    asks(rig, "inject", ("injectMessage", {"role": "user", "content": "By the way.", "silent": True}))
    rig.agent(
        "helper",
        tools=["inject"],
        script=[call("inject"), {"when": {"user": "By the way."}, "text": "I see."}, {"text": "Again."}],
        prompt={"includeChat": True},
    )

    thread = await rig.talk("helper", "Hello.", "And now?")

    requests = await rig.rig.store.requests(thread.id)
    shown = [await rig.rig.store.asked(request.id) for request in requests]
    assert ["By the way." in str(asked) for asked in shown] == [False, True, True], (
        "silent ones stay in context"
    )
    page = await rig.rig.store.messages(thread.id)
    assert "By the way." not in [message.content for message in page.messages]


@pytest.mark.rule("T3")
async def test_files_go_along_with_a_queued_message(rig: ThreadRig) -> None:
    asks(rig, "queue", ("queueMessage", {"content": "See.", "attachments": ["/a.txt", "/not-there"]}))
    rig.agent("helper", tools=["queue"], script=[call("queue"), {"text": "Seen."}])
    thread = await rig.start("helper")
    await rig.rig.store.commit(WriteFile(thread.id, "/a.txt", b"a", "text/plain"))

    await rig.say(thread, "Hello.")

    (queued,) = [message for message in await rig.messages(thread) if message.content == "See."]
    assert [ref.path for ref in queued.attachments] == ["/a.txt"]


async def test_a_call_by_hand_has_no_thread_to_wake_and_no_run(rig: ThreadRig) -> None:
    answers = asks(
        rig, "asks", ("queueMessage", {"content": "x"}), ("stop", {}), ("setStatus", {"status": "x"})
    )

    await rig.rig.call("asks")

    assert len(answers) == 3
    for name, answer in zip(("queue_message", "stop", "set_status"), answers, strict=True):
        assert f"no method {name} outside a running thread: let an agent call the tool" in answer
    assert "execution" not in identity(rig, "asks")


@pytest.mark.rule("T3", "T11")
async def test_an_effect_of_a_thread_at_rest_has_no_run_and_can_start_one(rig: ThreadRig) -> None:
    refused: list[str] = []

    async def remind(link: CallLink, arguments: Arguments) -> object:
        await link.ask("setStatus", {"status": "Reminded."})
        try:
            await link.ask("stop", {})
        except StateError as error:
            refused.append(error.message)
        return await link.ask("queueMessage", {"content": "Remember."})

    rig.host.add(DefinitionKind.EFFECT, "remind", {"description": "Reminds."}, remind)
    rig.agent("helper", script=[{"when": {"user": "Remember."}, "text": "I do."}])
    thread = await rig.start("helper")
    work = await rig.engine.threads.work_of(thread.id)

    await rig.engine.threads.effects.schedule(work, "remind", {}, 0)
    await rig.until_said(thread, "I do.")

    assert identity(rig, "remind")["execution"] is None
    assert refused == ["The thread is at rest: stop needs one that runs."]


# --- the run


@pytest.mark.rule("T11")
async def test_a_tool_knows_its_run_down_to_the_sub_prompt(rig: ThreadRig) -> None:
    asks(rig, "look")
    rig.prompt("sub", script=[call("look")], tools=["look"], schema={"type": "object"})
    rig.agent(
        "helper",
        tools=[{"name": "look", "options": {"depth": 3}}, "sub"],
        script=[call("look"), call("sub"), {"text": "ok"}],
    )

    thread = await rig.talk("helper", "Hello.")

    assert identity(rig, "look", 0)["execution"] == {
        "flowId": thread.id,
        "currentSide": "a",
        "stepCount": 1,
        "sideAStepCount": 1,
        "sideBStepCount": 0,
        "promptPath": ["helper_prompt"],
    }
    assert identity(rig, "look", 0)["options"] == {"depth": 3}
    assert identity(rig, "look", 1)["execution"]["promptPath"] == ["helper_prompt", "sub"]
    assert identity(rig, "look", 1)["execution"]["stepCount"] == 3
    assert "options" not in identity(rig, "look", 1)


@pytest.mark.rule("T9")
async def test_code_that_stops_its_run_ends_it_after_the_call_under_way(rig: ThreadRig) -> None:
    answers = asks(rig, "halt", ("stopped", {}), ("stop", {}), ("stopped", {}))
    rig.tool("later", lambda given: "ran")
    rig.agent(
        "helper",
        tools=["halt", "later"],
        script=[{"calls": [{"name": "halt"}, {"name": "later"}]}, {"text": "Going on."}],
    )

    thread = await rig.talk("helper", "Hello.")

    assert thread.status is ThreadStatus.STOPPED
    assert answers == [
        {"stopped": False, "stoppedBy": None},
        None,
        {"stopped": True, "stoppedBy": "a"},
    ]
    assert (await rig.said(thread))[2:] == [
        "tool: asked",
        "tool: halt had ended the turn, so this call was not run.",
    ]
    assert (await rig.say(thread, "Go on.")).status is ThreadStatus.AWAITING_HUMAN


async def test_a_forced_turn_comes_when_the_turn_under_way_has_ended(rig: ThreadRig) -> None:
    answers = asks(rig, "force", ("forceTurn", {"side": "c"}), ("forceTurn", {"side": "a"}))
    rig.agent("helper", tools=["force"], script=[call("force"), {"text": "One."}, {"text": "Two."}])

    thread = await rig.talk("helper", "Hello.")

    assert answers == ["ValueError: A side is a or b, not 'c'.", None]
    assert (await rig.said(thread))[3:] == ["assistant: One.", "assistant: Two."]


async def test_the_history_is_read_as_it_stands_now(rig: ThreadRig) -> None:
    answers = asks(rig, "read", ("injectMessage", {"role": "user", "content": "x"}), ("messageHistory", {}))
    rig.agent("helper", tools=["read"], script=[call("read"), {"text": "ok"}])

    await rig.talk("helper", "Hello.")

    assert [message["content"] for message in answers[1]] == ["Hello.", None, None, "x"]


async def test_a_status_is_told_and_a_thread_that_ends_itself_takes_no_more(rig: ThreadRig) -> None:
    asks(rig, "end", ("setStatus", {"status": "Packing up."}), ("terminate", {}))
    rig.agent("helper", tools=["end"], script=[call("end")])

    thread = await rig.talk("helper", "Hello.")

    assert (thread.status, thread.status_text) == (ThreadStatus.TERMINATED, "Packing up.")
    assert thread.terminated_at is not None
    assert (await rig.said(thread))[-1] == "tool: asked"


async def test_a_handler_ends_the_session_with_its_answer(rig: ThreadRig) -> None:
    async def answer(link: CallLink, arguments: Arguments) -> object:
        await link.ask("stopSession", {"message": "Enough.", "failed": False, "attachments": []})
        return "Good bye."

    rig.host.add(DefinitionKind.HANDLER, "clerk", {"description": "Answers."}, answer)
    rig.agent("desk", sideA={"handler": "clerk"})

    thread = await rig.talk("desk", "Hello.")

    ended = [event for event in rig.rig.events if event.type == "session_ended"]
    assert [(event.outcome, event.text) for event in ended] == [("handler", "Enough.")]
    assert await rig.said(thread) == ["user: Hello.", "assistant: Good bye."]


async def test_a_handlers_messages_and_calls_are_watched_by_hooks(rig: ThreadRig) -> None:
    seen: list[str] = []

    async def answer(link: CallLink, arguments: Arguments) -> object:
        await link.ask("injectMessage", {"role": "user", "content": "noted"})
        result = cast("dict[str, Any]", await link.ask("invokeTool", {"name": "echo", "argumentsJson": "{}"}))
        return result["result"]

    def mark(call: Any, result: Any) -> object:
        return {**result, "result": f"{result['result']}!"}

    rig.hook("mark", "before_store_tool_result", mark)
    rig.hook("see", "after_create_message", lambda message: seen.append(message["content"]))
    rig.tool("echo", lambda given: "echo")
    rig.host.add(DefinitionKind.HANDLER, "clerk", {"description": "Answers."}, answer)
    rig.agent("desk", sideA={"handler": "clerk"}, hooks=["mark", "see"])

    thread = await rig.talk("desk", "Hello.")
    await rig.heard(thread)

    assert (await rig.said(thread))[-1] == "assistant: echo!"
    assert seen == ["Hello.", "noted", "echo!"]
    assert identity(rig, "echo")["execution"]["currentSide"] == "a"


# --- definitions


async def test_definitions_are_looked_up_by_name(rig: ThreadRig) -> None:
    answers = asks(
        rig,
        "look",
        ("loadPrompt", {"name": "helper_prompt"}),
        ("loadModel", {"name": "helper_prompt_model"}),
        ("loadAgent", {"name": "helpr"}),
        ("getAgentNames", {}),
        ("getPromptNames", {}),
        ("getModelNames", {}),
    )
    rig.agent("helper", script=[{"text": "ok"}])

    await rig.rig.call("look")

    prompt, model, refused, *names = answers
    assert (prompt["name"], prompt["toolDescription"]) == ("helper_prompt", "The prompt helper_prompt.")
    assert prompt["prompt"] == [{"type": "text", "content": "You are helper_prompt."}]
    assert model["provider"] == "scripted"
    assert "file" not in prompt
    assert refused == "LookupError: There is no agent named helpr. Did you mean helper?"
    assert names == [["helper"], ["helper_prompt"], ["helper_prompt_model"]]


# --- context


def keeps(rig: ThreadRig, name: str, *, removed: tuple[str, ...] = (), **values: str) -> None:
    """A tool that leaves these JSON texts in the context."""
    asks(rig, name, ("updateContext", {"set": values, "removed": list(removed)}))


@pytest.mark.rule("T7")
async def test_what_a_call_leaves_in_the_context_is_there_for_all_code_of_the_run_and_gone_with_it(
    rig: ThreadRig,
) -> None:
    keeps(rig, "keep", a="1", b='"x"')
    keeps(rig, "change", removed=("a",), b='"y"')
    asks(rig, "look")
    rig.hook("watch", "before_store_tool_result", lambda call, result: None)
    rig.prompt("sub", script=[call("look")], tools=["look"], schema={"type": "object"})
    rig.agent(
        "helper",
        tools=["keep", "change", "look", "sub"],
        script=[
            call("keep"),
            call("sub"),
            call("change"),
            call("look"),
            {"text": "ok"},
            call("look"),
            {"text": "ok"},
        ],
        hooks=["watch"],
    )

    await rig.talk("helper", "Hello.", "Again.")

    assert identity(rig, "look", 0)["context"] == {"a": "1", "b": '"x"'}, "in the sub-prompt"
    assert identity(rig, "look", 1)["context"] == {"b": '"y"'}
    assert "context" not in identity(rig, "look", 2), "another run"
    assert [one["context"] for one in (identity(rig, "hook_watch", 0), identity(rig, "hook_watch", -1))] == [
        {"a": "1", "b": '"x"'},
        {},
    ]


@pytest.mark.rule("T7")
async def test_what_is_invoked_and_queued_shares_the_context_also_in_a_call_by_hand(rig: ThreadRig) -> None:
    answers = asks(
        rig,
        "outer",
        ("updateContext", {"set": {"a": "1"}, "removed": []}),
        ("queueTool", {"name": "look", "argumentsJson": "{}"}),
        ("invokeTool", {"name": "inner", "argumentsJson": "{}"}),
    )
    keeps(rig, "inner", b="2")
    asks(rig, "look")

    await rig.rig.call("outer")
    await rig.engine.idle()

    assert identity(rig, "inner")["context"] == {"a": "1"}
    assert answers[2]["context"] == {"a": "1", "b": "2"}
    assert identity(rig, "look")["context"] == {"a": "1", "b": "2"}
    await rig.rig.call("look")
    assert "context" not in identity(rig, "look"), "another call by hand"


# --- arguments, values, variables


@pytest.mark.rule("T7")
async def test_arguments_and_values_last_as_long_as_the_thread(rig: ThreadRig) -> None:
    answers = asks(rig, "keep", ("getValue", {"key": "k"}), ("setValue", {"key": "k", "json": "1.50"}))
    rig.agent("helper", tools=["keep"], script=[call("keep"), {"text": "ok"}, call("keep"), {"text": "ok"}])

    thread = await rig.start("helper", customer="Ann")
    for words in ("Hello.", "Again."):
        await rig.say(thread, words)

    assert [identity(rig, "keep", one)["arguments"] for one in (0, 1)] == [{"customer": "Ann"}] * 2
    assert answers == [None, None, "1.50", None]


async def child_of(rig: ThreadRig, agent: str, parent: Thread) -> Thread:
    return await rig.engine.threads.start(NewThread(agent, {}, parent_id=parent.id))


@pytest.mark.rule("V2", "V3")
async def test_a_value_that_a_parent_sets_reaches_its_live_descendants_without_their_own(
    rig: ThreadRig,
) -> None:
    asks(rig, "tell", ("setEnv", {"name": "CITY", "value": "Oslo", "type": "text"}))
    rig.agent("boss", tools=["tell"], script=[call("tell"), {"text": "ok"}])
    scoped = [{"name": "CITY", "type": "text", "required": False, "scoped": True}]
    found: dict[str, list[Any]] = {}
    for name, declared in (("child", []), ("grandchild", []), ("own", []), ("apart", scoped)):
        found[name] = asks(rig, f"look_{name}", ("env", {"name": "CITY"}))
        rig.agent(
            name,
            tools=[f"look_{name}"],
            script=[call(f"look_{name}"), {"text": "ok"}],
            prompt={"variables": declared},
        )
    boss = await rig.start("boss")
    threads = {name: await child_of(rig, name, boss) for name in ("child", "own", "apart")}
    threads["grandchild"] = await child_of(rig, "grandchild", threads["child"])
    own = threads["own"].id
    await rig.rig.variables.set("CITY", "Rome", Scope.THREAD, type=VariableType.TEXT, thread_id=own)

    await rig.say(boss, "Tell them.")
    for thread in threads.values():
        await rig.say(thread, "Where?")

    assert found["child"] == found["grandchild"] == ["Oslo"]
    assert found["own"] == ["Rome"]
    (refusal,) = found["apart"]
    assert refusal.startswith("MissingVariable: The variable CITY has no value, and nothing declares it, ")
    assert refusal.endswith(" workbench var set CITY")

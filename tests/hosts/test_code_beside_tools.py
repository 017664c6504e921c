"""Hooks, handlers and effects in the project's interpreter: what each is called with, and what comes back."""

from __future__ import annotations

import json

import pytest

from tests.hosts.conftest import Bench, RecordingLink
from workbench.domain.hooks import HOOKS, HookName
from workbench.engine.ports import Returned

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROW = {"role": "user", "content": "Hello", "toolCallId": None, "metadata": {"wasSeen": True}}


@pytest.mark.rule("T8")
async def test_a_hook_gets_the_state_and_a_value_for_each_parameter_as_records(shared: Bench) -> None:
    hook = shared.tool(
        "shorten",
        """
        @define_hook(hook="filter_messages", id="shorten")
        async def shorten(state, messages):
            await state.set_value("seen", len(messages))
            return [dict(one, content=one.content.upper()) for one in messages if one.metadata.was_seen]
        """,
        folder="agents/hooks",
    )
    link = RecordingLink()

    given = await shared.value(hook, json.dumps([[ROW, {**ROW, "metadata": {}}]]).encode(), link)

    assert given == [{**ROW, "content": "HELLO"}]
    assert [method for method, _ in link.asked] == ["setValue"]


@pytest.mark.rule("T8")
async def test_a_hook_of_two_values_gets_both_and_may_leave_the_last_out(shared: Bench) -> None:
    both = shared.tool(
        "both",
        """
        @define_hook(hook="tool_call_started", id="both")
        def both(state, call, progress):
            return [call.name, progress, state.thread_id]
        """,
        folder="agents/hooks",
    )
    first = shared.tool(
        "first",
        "it = define_hook(hook='tool_call_started', id='first', execute=lambda state, call: call.name)",
        folder="agents/hooks",
    )
    given = json.dumps([{"name": "echo"}, "writing"]).encode()

    assert await shared.value(both, given) == ["echo", "writing", "thread-1"]
    assert await shared.value(first, given) == "echo"


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("body", "is_error", "text"),
    [
        ("dict(result, result='hidden')", False, "hidden"),
        ("ToolResult.error('no')", True, "no"),
        ("{'status': 'success', 'result': call.name}", False, "echo"),
    ],
)
async def test_a_hook_may_give_another_result(shared: Bench, body: str, is_error: bool, text: str) -> None:
    hook = shared.tool(
        "settle",
        f"it = define_hook(hook='before_store_tool_result', id='x', execute=lambda state, call, result: {body})",
        folder="agents/hooks",
    )

    answer = await shared.returned(
        hook, json.dumps([{"name": "echo"}, {"status": "success", "result": "x"}]).encode()
    )

    assert (answer.shape, answer.is_error, answer.text.decode()) == ("tool_result", is_error, text)


async def test_a_hook_that_returns_nothing_gives_nothing(shared: Bench) -> None:
    hook = shared.tool(
        "quiet",
        "it = define_hook(hook='after_thread_created', id='quiet', execute=lambda state: None)",
        folder="agents/hooks",
    )

    assert await shared.returned(hook, b"[]") == Returned("none")


@pytest.mark.rule("T1")
async def test_a_handler_gets_the_message_and_answers_in_text(shared: Bench) -> None:
    handler = shared.tool(
        "counter",
        """
        @define_handler(description="Counts.")
        async def count(state, message):
            return f"{message.role}: {len(message.content)}"
        """,
        folder="agents/handlers",
    )

    assert await shared.value(handler, json.dumps([ROW]).encode()) == "user: 5"


async def test_an_effect_gets_its_arguments_by_its_model(shared: Bench) -> None:
    effect = shared.tool(
        "digest",
        """
        from pydantic import BaseModel

        class Args(BaseModel):
            to: str
            times: int = 2

        async def send(state, args):
            state.log(f"{args.to} {args.times}")

        effect = define_effect("Send a digest.", Args, send)
        """,
        folder="agents/effects",
    )
    link = RecordingLink()

    assert await shared.returned(effect, {"to": "desk"}, link) == Returned("none")
    assert link.printed("log").strip() == "desk 2"
    refused = await shared.raised(effect, {"to": 3})
    assert refused.kind == "invalid_arguments"


GIVEN: dict[HookName, tuple[object, ...]] = {
    HookName.AFTER_THREAD_CREATED: (),
    HookName.AFTER_SUBAGENT_CREATED: ({"reference": "t2"},),
    HookName.AFTER_SYSTEM_MESSAGE: ("You are.",),
    HookName.FILTER_MESSAGES: ([ROW],),
    HookName.PREFILTER_LLM_HISTORY: ([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],),
    HookName.BEFORE_CREATE_MESSAGE: (ROW,),
    HookName.AFTER_CREATE_MESSAGE: (ROW,),
    HookName.BEFORE_UPDATE_MESSAGE: (ROW, {"content": "new"}),
    HookName.AFTER_UPDATE_MESSAGE: (ROW,),
    HookName.BEFORE_STORE_TOOL_RESULT: ({"name": "echo"}, {"result": "x"}),
    HookName.AFTER_TOOL_CALL_SUCCESS: ({"name": "echo"}, {"result": "x"}),
    HookName.AFTER_TOOL_CALL_FAILURE: ({"name": "echo"}, {"error": "x"}),
    HookName.TOOL_CALL_STARTED: ({"name": "echo"}, "Looking"),
}


@pytest.mark.rule("T8")
@pytest.mark.parametrize("name", HookName)
@pytest.mark.parametrize("prefix", ["", "async "])
async def test_each_hook_is_called_with_what_the_catalogue_names_and_gives_it_back(
    shared: Bench, name: HookName, prefix: str
) -> None:
    given = GIVEN[name]
    parameters = ", ".join(("state", *HOOKS[name].parameters))
    hook = shared.tool(
        f"{name.value}_{'async' if prefix else 'plain'}",
        f"""
        @define_hook(hook="{name.value}", id="it")
        {prefix}def it({parameters}):
            return [{", ".join(HOOKS[name].parameters)}]
        """,
        folder="agents/hooks",
    )

    assert len(given) == len(HOOKS[name].parameters)
    assert await shared.value(hook, json.dumps(given).encode()) == list(given)


@pytest.mark.rule("T8")
async def test_a_hook_that_changes_what_it_got_and_returns_nothing_has_changed_its_own_copy(
    shared: Bench,
) -> None:
    hook = shared.tool(
        "spoils",
        """
        @define_hook(hook="filter_messages", id="spoils")
        def spoils(state, messages):
            messages.clear()
        """,
        folder="agents/hooks",
    )

    assert await shared.returned(hook, json.dumps([[ROW]]).encode()) == Returned("none")

"""What a handler's code may do in its turn that no other code beside tools may: invoke prompts and agents (T4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, cast

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue, dump
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import ThreadStatus
from workbench.engine.ports import CallLink

pytestmark = pytest.mark.rule("C4", "T4")

ABOUT = {"type": "object", "properties": {"about": {"type": "string"}}, "required": ["about"]}


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def handled(rig: ThreadRig, name: str, say: Callable[[dict[str, Any]], str], **arguments: object) -> None:
    """An agent `desk` with a person, whose handler invokes this and says what comes of the answer."""

    async def handle(link: CallLink, given: Mapping[str, JsonValue]) -> object:
        del given
        answer = await link.ask("invokeTool", {"name": name, "argumentsJson": dump(arguments)})
        return say(cast("dict[str, Any]", answer))

    rig.host.add(DefinitionKind.HANDLER, "clerk", {"description": "Handles."}, handle)
    rig.agent("desk", sideA={"handler": "clerk"}, sideB={"human": True})


async def test_a_handler_invokes_a_prompt_which_answers_one_level_deeper(rig: ThreadRig) -> None:
    rig.prompt("judge", script=[{"text": "Fair."}], schema=ABOUT, prompt="Judge {{about}}.")
    handled(rig, "judge", lambda answer: f"The judge: {answer['result']}", about="the price")

    thread = await rig.talk("desk", "Well?")

    assert (await rig.said(thread))[-1] == "assistant: The judge: Fair."
    (request,) = await rig.rig.store.requests(thread.id)
    asked = await rig.rig.store.asked(request.id)
    assert asked is not None
    assert (asked.system, request.conversation) == ("Judge the price.", "a/judge")
    depths = {message.content: message.depth for message in await rig.messages(thread)}
    assert depths["The judge: Fair."] == 0
    assert depths["Fair."] > 0


async def test_a_handler_invokes_an_agent_which_works_in_a_thread_below(rig: ThreadRig) -> None:
    rig.tool("done", lambda given: "ok")
    closing = {"calls": [{"name": "done", "arguments": {"report": "Swept."}}]}
    rig.prompt("sweep", script=[closing], tools=["done"])
    side = {"prompt": "sweep", "sessionStop": {"name": "done", "messageProperty": "report"}}
    rig.agent("sweeper", sideA=side, sideB={"prompt": "sweep"}, exposeAsTool=True, toolDescription="Sweeps.")
    handled(rig, "sweeper", lambda answer: str(answer["result"]), message="Sweep.")

    thread = await rig.talk("desk", "Well?")

    assert (await rig.said(thread))[-1] == "assistant: Swept."
    (child,) = await rig.rig.store.children(thread.id)
    assert child.status is ThreadStatus.TERMINATED


async def test_a_handler_hands_the_thread_to_an_agent_with_a_person(rig: ThreadRig) -> None:
    rig.agent(
        "claims", script=[{"text": "Claims, hello."}], exposeAsTool=True, toolDescription="Takes claims."
    )
    handled(rig, "claims", lambda answer: "Over to claims.", message="A box is wet.")

    thread = await rig.talk("desk", "Well?")

    assert (thread.agent, thread.status) == ("claims", ThreadStatus.AWAITING_HUMAN)
    assert (await rig.said(thread))[-2:] == ["assistant: Over to claims.", "assistant: Claims, hello."]


async def test_a_stop_ends_what_a_handler_asks_and_the_handler(rig: ThreadRig) -> None:
    rig.prompt("judge", script=[{"text": "Fair."}])
    handled(rig, "judge", lambda answer: "never")
    rig.models.hold()
    thread = await rig.start("desk")
    await rig.engine.threads.send(thread.id, "Well?")
    await rig.rig.until_event("step_started")

    async with asyncio.timeout(30):
        assert await rig.engine.threads.stop(thread.id)

    stopped = await rig.engine.threads.parked(thread.id)
    assert stopped.status is ThreadStatus.STOPPED
    assert "assistant: never" not in await rig.said(thread)
    assert rig.engine.live_calls() == ()


async def test_a_prompt_that_is_not_there_is_unknown(rig: ThreadRig) -> None:
    handled(rig, "judge", lambda answer: str(answer["error"]))

    thread = await rig.talk("desk", "Well?")

    assert "There is no tool named judge" in (await rig.said(thread))[-1]

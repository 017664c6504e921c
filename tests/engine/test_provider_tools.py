"""Tools that a model's provider runs: declared to it, never run here, and its results kept with the answer (C15)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.model_requests import ProviderResultPart
from workbench.domain.pages import CallFilter
from workbench.engine.ports import CallLink

pytestmark = pytest.mark.rule("C15")

FOUND = '[{"url": "http://harbour.example"}]'


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def deltas(*told: Mapping[str, object]) -> dict[str, Any]:
    finished = {"type": "finished", "reason": "stop"}
    return {"deltas": [{"delta": one} for one in (*told, finished)]}


def searching(rig: ThreadRig, *steps: Mapping[str, Any], tools: tuple[str, ...] = ()) -> list[object]:
    """An agent whose provider has `search`; what was run of it here."""
    ran: list[object] = []
    rig.tool("search", ran.append, executionMode="provider", executionProvider="anthropic")
    rig.tool("add", lambda given: "3")
    rig.agent("helper", tools=["add", "search", *tools], script=list(steps))
    return ran


async def test_it_is_declared_to_the_model_and_what_it_gave_is_kept_with_the_answer(rig: ThreadRig) -> None:
    asked = {"type": "provider_call", "id": "p1", "name": "search", "arguments": '{"query": "harbour"}'}
    given = {"type": "provider_result", "id": "p1", "name": "search", "content": FOUND}
    said = {"type": "text", "text": "Found."}
    ran = searching(rig, deltas(asked, given, said), {"text": "Still there."})

    thread = await rig.talk("helper", "Where?", "And now?")

    sent = [await rig.rig.store.asked(one.id) for one in await rig.rig.store.requests(thread.id)]
    for request in sent:
        assert request is not None
        assert [tool.name for tool in request.tools] == ["add"]
        assert [tool.name for tool in request.provider_tools] == ["search"]
    assert (await rig.said(thread))[1] == "assistant: Found."
    answers = [message.answered for message in await rig.messages(thread) if message.answered]
    kept = [part for answer in answers for part in answer.parts if isinstance(part, ProviderResultPart)]
    assert [part.content for part in kept] == [FOUND]
    assert (ran, (await rig.rig.store.calls(CallFilter())).rows) == ([], ())


async def test_a_model_that_calls_it_like_any_other_is_told_where_it_runs(rig: ThreadRig) -> None:
    ran = searching(rig, {"calls": [{"name": "search", "arguments": {"query": "x"}}]}, {"text": "I see."})

    thread = await rig.talk("helper", "Where?")

    refused = (await rig.said(thread))[2]
    assert "search runs inside the model's provider" in refused
    assert ran == []


async def test_code_that_queues_or_invokes_it_is_told_where_it_runs(rig: ThreadRig) -> None:
    answers: list[Any] = []

    async def ask(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        answers.append(await link.ask("invokeTool", {"name": "search", "argumentsJson": "{}"}))
        await link.ask("queueTool", {"name": "search", "argumentsJson": "{}"})
        return "asked"

    rig.host.define("ask", ask, schema={"type": "object"})
    ran = searching(rig, {"calls": [{"name": "ask", "arguments": {}}]}, {"text": "I see."}, tools=("ask",))

    thread = await rig.talk("helper", "Go.")

    assert "runs inside the model's provider" in answers[0]["error"]
    refused = [line for line in await rig.said(thread) if "runs inside the model's provider" in line]
    assert (len(refused), ran) == (2, [])

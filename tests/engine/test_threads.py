"""Threads: a scripted model and scripted tools, through the engine, over a real store."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import ThreadStatus


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

"""What a model writes is shown while it comes, and a secret in it is hidden though it comes in pieces."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.domain.events import AnswerChunk, CallArguments
from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    Finished,
    FinishReason,
    ReasoningDelta,
    TextDelta,
)
from workbench.domain.variables import Scope

SECRET = "sk-live-Zq8xPp42LmNv"
MARK = "[[secret:TOKEN]]"


def pieces(text: str) -> list[str]:
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def recorded(*deltas: object) -> dict[str, Any]:
    return {"deltas": [{"delta": delta} for delta in deltas]}


@pytest.mark.rule("V6")
async def test_a_secret_in_pieces_is_hidden_in_words_thoughts_and_arguments(rig: Rig) -> None:
    threads = ThreadRig(rig)
    threads.tool("note", lambda arguments: "noted")
    arguments = f'{{"text": "a {SECRET} b"}}'
    answer = recorded(
        *(ReasoningDelta(text=piece) for piece in pieces(f"Think of {SECRET}, and s")),
        *(TextDelta(text=piece) for piece in pieces(f"It is {SECRET}. That is")),
        CallNamed(index=0, id="c1", name="note"),
        *(ArgumentsDelta(index=0, text=piece) for piece in pieces(arguments)),
        Finished(reason=FinishReason.TOOL_CALLS),
    )
    threads.agent("desk", script=[answer, {"text": "Done"}], tools=["note"])
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    await threads.talk("desk", "Hello")

    chunks = [event for event in rig.events if isinstance(event, AnswerChunk)]
    shown = [event.text for event in rig.events if isinstance(event, CallArguments)]
    thoughts = [chunk.text for chunk in chunks if chunk.is_reasoning]
    words = [chunk.text for chunk in chunks if not chunk.is_reasoning]
    assert "".join(thoughts) == f"Think of {MARK}, and s"
    assert "".join(words) == f"It is {MARK}. That isDone"
    assert "".join(shown) == f'{{"text": "a {MARK} b"}}'
    assert len(words) > 3, "it is shown as it comes"
    kinds = [chunk.is_reasoning for chunk in chunks]
    assert kinds == sorted(kinds, reverse=True), "nothing of a thought comes behind the words"


@pytest.mark.rule("V6")
async def test_what_waited_is_forgotten_with_an_attempt_that_failed(rig: Rig) -> None:
    threads = ThreadRig(rig)
    failing = {"text": f"It is {SECRET[:9]}", "fail": {"kind": "auth"}}
    threads.model("spare", [{"text": "Fine"}])
    threads.model("desk_prompt_model", [failing], fallbacks=["spare"])
    threads.prompt("desk_prompt")
    threads.agent("desk")
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    await threads.talk("desk", "Hello")

    words = "".join(event.text for event in rig.events if isinstance(event, AnswerChunk))
    assert words == "It is Fine"

"""Files that a model makes: attachments of its answer, kept once, sent again and told to whoever reads on (D8)."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.domain.model_requests import AssistantTurn, TextPart
from workbench.domain.threads import Role

DOT = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def draws(*more: dict[str, Any]) -> dict[str, Any]:
    """An answer with a picture of one dot, then these deltas."""
    picture = {"type": "file", "mimeType": "image/png", "data": base64.b64encode(DOT).decode()}
    usage = {"type": "usage", "usage": {"inputTokens": 1, "outputTokens": 1}}
    finished = {"type": "finished", "reason": "stop"}
    return {"deltas": [{"delta": one} for one in (*more, picture, picture, usage, finished)]}


@pytest.mark.rule("D8")
async def test_files_of_an_answer_are_kept_as_its_attachments(rig: ThreadRig) -> None:
    rig.agent("painter", script=[draws({"type": "text", "text": "Here."})])

    thread = await rig.talk("painter", "Draw me a dot.")

    answer = (await rig.messages(thread))[-1]
    assert [(ref.path, ref.mime_type, ref.size, ref.width) for ref in answer.attachments] == [
        ("/attachments/image.png", "image/png", len(DOT), 1),
        ("/attachments/image-2.png", "image/png", len(DOT), 1),
    ]
    assert await rig.rig.store.read_file(thread.id, "/attachments/image-2.png") == DOT
    assert base64.b64encode(DOT).decode() not in answer.model_dump_json()


@pytest.mark.rule("D8")
async def test_an_answer_that_is_only_a_picture_ends_the_turn_and_is_told_to_the_model_afterwards(
    rig: ThreadRig,
) -> None:
    rig.agent("painter", script=[draws(), {"text": "A dot."}], prompt={"includeChat": True})

    thread = await rig.talk("painter", "Draw me a dot.", "What is it?")

    assert [one.role for one in await rig.messages(thread)] == [
        Role.USER,
        Role.ASSISTANT,
        Role.USER,
        Role.ASSISTANT,
    ]
    last = (await rig.rig.store.requests(thread.id))[-1]
    asked = await rig.rig.store.asked(last.id)
    assert asked is not None
    (turn,) = [one for one in asked.turns if isinstance(one, AssistantTurn)]
    words = [part.text for part in turn.parts if isinstance(part, TextPart)]
    assert words[0] == f"[image.png: image/png, {len(DOT)} bytes, at /attachments/image.png]"

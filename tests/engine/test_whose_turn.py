"""A person says whose turn it is: at rest, or while a turn is under way, which ends first (T9)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.engine.held_commits import HeldCommit
from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import LOOK, Gate
from tests.engine.thread_rig import ThreadRig
from workbench.domain.agents import SideName
from workbench.domain.threads import ThreadStatus
from workbench.domain.writes import PutThread

pytestmark = pytest.mark.rule("T9")


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


def pair(rig: ThreadRig) -> None:
    """A writer and a reviewer who take three turns in all."""
    rig.prompt("writer", tools=["look"], script=[LOOK, {"text": "A draft."}, {"text": "A better draft."}])
    rig.prompt("reviewer", script=[{"text": "Not yet."}] * 3)
    rig.agent("pair", sideA={"prompt": "writer"}, sideB={"prompt": "reviewer"}, maxSessionTurns=3)


async def test_a_side_that_is_to_go_on_while_it_works_has_the_next_turn_again(rig: ThreadRig) -> None:
    gate = Gate(rig)
    pair(rig)
    thread = await rig.start("pair")
    await rig.engine.threads.send(thread.id, "Write.")
    await rig.rig.until(lambda: gate.entered == 1)

    await rig.engine.threads.go_on(thread.id, "a")
    gate.let_go()
    await rig.engine.threads.parked(thread.id)

    said = [line for line in await rig.said(thread) if not line.startswith(("tool", "user"))]
    assert said[1:] == ["assistant: A draft.", "assistant: A better draft.", "assistant: Not yet."]


async def test_a_side_that_is_to_go_on_at_rest_has_the_first_turn(rig: ThreadRig) -> None:
    Gate(rig).let_go()
    pair(rig)
    thread = await rig.start("pair")

    await rig.engine.threads.go_on(thread.id, "b")
    await rig.engine.threads.parked(thread.id)

    assert (await rig.said(thread))[0] == "assistant: Not yet."


@pytest.mark.parametrize("side", ["a", "b"])
async def test_a_side_that_is_to_go_on_while_the_thread_parks_is_next_and_what_comes_then_is_answered(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, side: SideName
) -> None:
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}, {"text": "Three."}])
    thread = await rig.start("helper")
    parking = HeldCommit(
        rig,
        monkeypatch,
        lambda write: isinstance(write, PutThread) and write.thread.status is ThreadStatus.AWAITING_HUMAN,
    )
    await rig.engine.threads.send(thread.id, "Hello.")
    await parking.reached.wait()

    await rig.engine.threads.go_on(thread.id, side)
    parking.let_go()
    await rig.engine.threads.parked(thread.id)
    await rig.say(thread, "And?")

    answers = ["assistant: Two."] if side == "a" else []
    last = "assistant: Three." if side == "a" else "assistant: Two."
    assert await rig.said(thread) == ["user: Hello.", "assistant: One.", *answers, "user: And?", last]

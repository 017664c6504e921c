"""Whose turn comes in a fork, wherever its history was cut (T2, T21)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.engine.agent_values import an_agent
from tests.engine.rig import Rig
from tests.engine.test_editing_history import message
from tests.engine.test_handler_sides import Clerk
from tests.engine.test_taking import CALL, asks, result
from tests.engine.thread_rig import ThreadRig
from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide
from workbench.domain.threads import Message, MessageStatus, Role, ThreadStatus
from workbench.engine.threads.forking import fork_thread, next_turn

ONE = an_agent("one")
TWO = an_agent("two", side_a=PromptSide(prompt="one"), side_b=PromptSide(prompt="two"))
PERSON_FIRST = an_agent("first", side_a=HumanSide(), side_b=PromptSide(prompt="one"))
TALKATIVE = an_agent("talkative", side_a=PromptSide(prompt="one", stop_on_response=False))
HANDLED = an_agent("handled", side_a=HandlerSide(handler="h"))


def words(number: int, **more: object) -> Message:
    return message(number, Role.USER, side="b", **more)


def answers(number: int, side: str = "a", **more: object) -> Message:
    return message(number, Role.ASSISTANT, **{"side": side, "request_id": f"r{number}", **more})


ASKED = [words(0), asks(1, CALL, side="a"), result(2, side="a")]
CASES: dict[str, tuple[AgentDefinition, list[Message], tuple[str, str | None]]] = {
    "nothing was said": (ONE, [], ("a", None)),
    "a person's word is answered": (ONE, [words(0)], ("a", "m0")),
    "what a person said twice is one turn": (ONE, [answers(0), words(1), words(2)], ("a", "m1")),
    "a turn that was not over goes on": (ONE, ASKED, ("a", "m0")),
    "an answer is for the person": (ONE, [*ASKED, answers(3)], ("b", "m3")),
    "an answer is for the other model": (TWO, [words(0), answers(1)], ("b", "m1")),
    "its own calls are of its turn": (
        TWO,
        [answers(0), asks(1, CALL, side="b"), result(2, side="b")],
        ("b", "m0"),
    ),
    "a person may be first": (PERSON_FIRST, [message(0, Role.USER, side="a")], ("b", "m0")),
    "a silent word is for the model": (ONE, [answers(0), message(1, Role.USER, silent=True)], ("a", "m1")),
    "a failed answer is asked for again": (
        ONE,
        [words(0), answers(1, status=MessageStatus.FAILED)],
        ("a", "m0"),
    ),
    "a side that goes on goes on": (TALKATIVE, [words(0), answers(1)], ("a", "m0")),
    "what the stop tool was given ends the turn": (
        TALKATIVE,
        [words(0), answers(1, request_id=None)],
        ("b", "m1"),
    ),
    "a handler has said all": (HANDLED, [words(0), answers(1, request_id=None)], ("b", "m1")),
    "instructions are nobody's turn": (ONE, [words(0), message(1, Role.SYSTEM)], ("a", "m0")),
}


@pytest.mark.rule("T2", "T21")
@pytest.mark.parametrize("case", CASES)
def test_the_turn_behind_a_history_is_that_of_whoever_comes_next(case: str) -> None:
    agent, history, expected = CASES[case]

    session = next_turn(history, agent)

    assert (session.side, session.turn_began) == expected
    assert (session.turns, session.steps) == (0, 0)


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T2", "T21")
async def test_two_models_go_on_from_where_they_were_forked(rig: ThreadRig) -> None:
    rig.prompt("left", script=[{"text": "One."}, {"text": "Three."}], toolDescription="")
    rig.prompt("right", script=[{"text": "Two."}, {"text": "Four."}], toolDescription="")
    rig.agent("pair", sideA={"prompt": "left"}, sideB={"prompt": "right"}, maxSessionTurns=2)
    thread = await rig.talk("pair", "Count.")
    assert await rig.said(thread) == ["user: Count.", "assistant: One.", "assistant: Two."]
    history = await rig.messages(thread)

    work = await rig.engine.threads.work_of(thread.id)
    fork = (await fork_thread(work, history[1].id)).thread
    assert fork.status is ThreadStatus.IDLE
    await rig.engine.threads.go_on(fork.id)
    await rig.engine.threads.parked(fork.id)

    assert (await rig.said(fork))[2:] == ["assistant: Two.", "assistant: Three."]


@pytest.mark.rule("T2", "T21")
async def test_a_handler_handles_again_what_it_is_asked_for_again(rig: ThreadRig) -> None:
    clerk = Clerk(rig)
    thread = await rig.talk("desk", "One.", "Three.")
    history = await rig.messages(thread)

    work = await rig.engine.threads.work_of(thread.id)
    fork = (await fork_thread(work, history[-1].id, again=True)).thread
    await rig.engine.threads.go_on(fork.id)
    await rig.engine.threads.parked(fork.id)

    assert clerk.ended == ["One.", "Three.", "Three."]
    assert await rig.said(fork) == await rig.said(thread)

"""What of a history a fork begins with: any history, cut anywhere, has no call without its result (T10, T21)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.test_editing_history import histories, message
from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import Call, CallState, Origin
from workbench.domain.threads import Message, MessageStatus, Role, SentCall
from workbench.engine.threads.repair import sendable
from workbench.engine.threads.taking import HANDOVER, taken

CALL = SentCall(id=CallId("c"), name="t", arguments="{}")


@st.composite
def under_way(draw: st.DrawFn) -> Sequence[Message]:
    """Histories of which some results are not there yet, or never came."""
    history = list(draw(histories()))
    results = [at for at, one in enumerate(history) if one.role is Role.TOOL]
    for at in draw(st.sets(st.sampled_from(results)) if results else st.just(set[int]())):
        history[at] = history[at].model_copy(update={"status": MessageStatus.PENDING, "content": None})
    for at in sorted(draw(st.sets(st.sampled_from(results), max_size=1) if results else st.just(set[int]())))[
        ::-1
    ]:
        del history[at]
    return history


@pytest.mark.rule("T10", "T21")
@given(under_way(), st.data())
def test_no_cut_of_any_history_leaves_a_call_without_its_result(
    history: Sequence[Message], data: st.DataObject
) -> None:
    at = data.draw(st.sampled_from([one.id for one in history]))
    again = data.draw(st.booleans())
    before = [one.model_copy() for one in history]

    kept = taken(history, {}, at, again=again).messages

    results = {one.tool_call_id for one in kept if one.role is Role.TOOL}
    assert {call.id for one in kept for call in one.tool_calls} <= results
    assert "missing-result" not in {repair.code for repair in sendable(kept)[1]}
    places = [[one.id for one in history].index(one.id) for one in kept]
    assert places == sorted(places)
    assert history == before


@pytest.mark.rule("T21")
@given(histories(), st.data())
def test_a_sound_history_is_taken_as_it_is_up_to_the_message_and_the_results_of_its_calls(
    history: Sequence[Message], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(history) - 1))

    kept = taken(history, {}, history[place].id)

    assert kept.messages == tuple(history[: len(kept.messages)])
    assert place < len(kept.messages)
    assert kept.left_out == 0
    behind = history[len(kept.messages) :]
    assert not behind or (behind[0].role is not Role.TOOL and behind[0].depth == 0)
    assert taken(history, {}, None).messages == tuple(history)


def result(number: int, call: SentCall = CALL, **more: object) -> Message:
    return message(number, Role.TOOL, tool_call_id=call.id, tool_status="success", name=call.name, **more)


def asks(number: int, *calls: SentCall, **more: object) -> Message:
    return message(number, Role.ASSISTANT, tool_calls=calls, request_id=f"r{number}", **more)


@pytest.mark.rule("T21")
def test_a_result_takes_the_other_results_of_its_message_along() -> None:
    other = SentCall(id=CallId("d"), name="t", arguments="{}")
    history = [
        message(0, Role.USER),
        asks(1, CALL, other),
        result(2),
        result(3, other),
        message(4, Role.USER),
    ]

    for at in (1, 2, 3):
        assert [one.id for one in taken(history, {}, history[at].id).messages] == ["m0", "m1", "m2", "m3"]


@pytest.mark.rule("T21")
def test_a_call_that_runs_is_left_out_with_what_was_said_and_called_within_it() -> None:
    inner = SentCall(id=CallId("inner"), name="t", arguments="{}")
    history = [
        message(0, Role.USER),
        asks(1, CALL, content="I look."),
        result(2, status=MessageStatus.PENDING),
        message(3, Role.ASSISTANT, depth=1, parent_id="m2"),
        message(4, Role.ASSISTANT, depth=1, content=None, tool_calls=(inner,)),
        result(5, inner, depth=1),
    ]
    row = {"thread_id": ThreadId("thread"), "tool": "t", "origin": Origin.INVOKE, "created_at": 0}
    calls = {
        inner.id: Call.model_validate(
            {
                "id": inner.id,
                "parent_call_id": CALL.id,
                "state": CallState.SUCCEEDED,
                "arguments": "{}",
                **row,
            }
        )
    }

    kept = taken(history, calls, None)

    assert [(one.id, one.tool_calls) for one in kept.messages] == [("m0", ()), ("m1", ())]
    assert kept.left_out == 2


@pytest.mark.rule("T21")
def test_an_answer_that_is_asked_for_again_goes_with_the_calls_that_led_to_it() -> None:
    stop = SentCall(id=CallId("stop"), name="finish", arguments="{}")
    history = [
        message(0, Role.USER),
        asks(1, CALL, side="a"),
        result(2, side="a"),
        asks(3, stop, side="a"),
        result(4, stop, side="a"),
        message(5, Role.ASSISTANT, side="a"),
        message(6, Role.USER),
        message(7, Role.ASSISTANT, side="a", request_id="r7"),
    ]

    def left(at: int) -> int:
        return len(taken(history, {}, history[at].id, again=True).messages)

    assert left(7) == 7  # said of a request: just that
    assert left(5) == 3  # what the stop tool was given: with the request that called it
    assert left(6) == 7  # a person's word stays
    assert left(2) == 3  # a result stays, with its call


@pytest.mark.rule("T21")
def test_a_call_by_hand_is_no_answer_to_ask_for_again() -> None:
    by_hand = message(1, Role.ASSISTANT, content=None, tool_calls=(CALL,))
    history = [message(0, Role.USER), by_hand, result(2)]

    assert len(taken(history, {}, by_hand.id, again=True).messages) == 3


@pytest.mark.rule("T4", "T21")
def test_a_handoff_is_taken_with_what_opened_the_turn_of_the_other_agent() -> None:
    opening = message(3, Role.USER, silent=True, metadata={HANDOVER: {"agent": "expert", "given": {}}})
    history = [message(0, Role.USER), asks(1, CALL), result(2), opening, message(4, Role.ASSISTANT)]

    assert len(taken(history, {}, MessageId("m1")).messages) == 4


def test_a_message_of_another_thread_is_none_to_fork_at() -> None:
    with pytest.raises(UserError, match="has no message elsewhere"):
        taken([message(0, Role.USER)], {}, MessageId("elsewhere"))

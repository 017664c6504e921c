"""A damaged or older history is sent to a model in a repaired copy, and every change is told (T10)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.exact_json import parse_object
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.threads import Message, MessageStatus, Role, SentCall
from workbench.engine.threads.repair import sendable

pytestmark = pytest.mark.rule("T10")


def said(role: Role, content: str | None, **fields: object) -> Message:
    given = {
        "id": MessageId("m"),
        "thread_id": ThreadId("t"),
        "role": role,
        "created_at": 0,
        "content": content,
    }
    return Message.model_validate(given | fields)


def user(text: str = "hello") -> Message:
    return said(Role.USER, text)


def calls(*ids: str, arguments: str = "{}") -> Message:
    sent = tuple(SentCall(id=CallId(one), name="look", arguments=arguments) for one in ids)
    return said(Role.ASSISTANT, None, tool_calls=sent)


def result(call_id: str, content: str = "done", status: MessageStatus = MessageStatus.COMPLETED) -> Message:
    return said(Role.TOOL, content, tool_call_id=call_id, status=status, tool_status="success")


def shape(history: Sequence[Message]) -> list[str]:
    """Each message in a word: u, a, the ids of calls, or r and the id of the result's call."""
    words: list[str] = []
    for message in history:
        if message.role is Role.TOOL:
            words.append(f"r:{message.tool_call_id}")
        elif message.tool_calls:
            words.append("+".join(call.id for call in message.tool_calls))
        else:
            words.append(message.role.value[0])
    return words


def repaired(*history: Message) -> tuple[list[str], list[str]]:
    """The shape of the copy, and the codes of what was changed."""
    copy, repairs = sendable(history)
    return shape(copy), [repair.code for repair in repairs]


def test_a_history_without_damage_is_sent_as_it_is() -> None:
    history = (user(), calls("c1", "c2"), result("c1"), result("c2"), said(Role.ASSISTANT, "done"))
    assert sendable(history) == (history, ())


def test_a_call_at_the_end_of_the_file_gets_a_result_that_says_it_has_none() -> None:
    copy, repairs = sendable((user(), calls("c1")))
    assert shape(copy) == ["u", "c1", "r:c1"]
    assert copy[-1].tool_status == "error"
    assert "interrupted" in (copy[-1].content or "")
    assert [repair.code for repair in repairs] == ["missing-result"]


def test_a_new_message_after_an_orphaned_call_stays_behind_the_missing_result() -> None:
    assert repaired(user(), calls("c1"), user()) == (["u", "c1", "r:c1", "u"], ["missing-result"])


def test_a_result_whose_call_is_nowhere_before_it_is_left_out() -> None:
    assert repaired(user(), result("c9"), calls("c9")) == (
        ["u", "c9", "r:c9"],
        ["stray-result", "missing-result"],
    )


def test_of_three_calls_only_the_one_without_a_result_gets_one() -> None:
    assert repaired(calls("a", "b", "c"), result("a"), result("c")) == (
        ["a+b+c", "r:a", "r:b", "r:c"],
        ["missing-result"],
    )


def test_late_results_in_any_order_stand_behind_their_calls() -> None:
    shown, codes = repaired(calls("a", "b"), user(), result("b"), result("a"))
    assert shown == ["a+b", "r:a", "r:b", "u"]
    assert set(codes) == {"moved-result"}


def test_cut_arguments_are_not_sent_and_the_model_is_told_that_nothing_ran() -> None:
    copy, repairs = sendable((calls("a", arguments='{"path": "/tmp/x'),))
    assert copy[0].tool_calls[0].arguments == "{}"
    assert "not run" in (copy[1].content or "")
    assert "cut-arguments" in [repair.code for repair in repairs]


def test_empty_arguments_are_those_of_a_tool_that_takes_none() -> None:
    assert repaired(calls("a", arguments=""), result("a")) == (["a", "r:a"], [])


def test_an_id_that_comes_twice_is_told_apart_and_each_call_keeps_its_result() -> None:
    copy, repairs = sendable((calls("a"), result("a", "one"), calls("a"), result("a", "two")))
    assert shape(copy) == ["a", "r:a", "a_2", "r:a_2"]
    assert [message.content for message in copy if message.role is Role.TOOL] == ["one", "two"]
    assert [repair.code for repair in repairs] == ["repeated-call"]


def test_what_was_never_finished_is_left_out() -> None:
    pending = said(Role.ASSISTANT, "half", status=MessageStatus.PENDING)
    assert repaired(user(), pending, said(Role.ASSISTANT, "")) == (["u"], ["unfinished", "unfinished"])
    assert repaired(calls("a"), result("a", "", MessageStatus.PENDING)) == (["a", "r:a"], ["missing-result"])


IDS = st.sampled_from(["", "a", "b", "c"])
ARGUMENTS = st.sampled_from(["{}", "", '{"a": 1}', '{"a": ', "[]"])


@st.composite
def messages(draw: st.DrawFn) -> Message:
    status = draw(st.sampled_from(MessageStatus))
    match draw(st.sampled_from(["user", "calls", "result", "text"])):
        case "user":
            return user()
        case "calls":
            return calls(*draw(st.lists(IDS, min_size=1, max_size=3)), arguments=draw(ARGUMENTS))
        case "result":
            return result(draw(IDS), "x", status)
        case _:
            return said(Role.ASSISTANT, "x", status=status)


@given(st.lists(messages(), max_size=12))
def test_any_history_becomes_one_in_which_each_call_has_its_one_result(history: list[Message]) -> None:
    copy, _ = sendable(history)
    waiting: list[str] = []
    seen: set[str] = set()
    for message in copy:
        if message.role is Role.TOOL:
            assert message.tool_call_id == waiting.pop(0)
            continue
        assert not waiting
        assert message.status is MessageStatus.COMPLETED
        for call in message.tool_calls:
            assert call.id
            assert call.id not in seen
            seen.add(call.id)
            assert call.arguments == "" or parse_object(call.arguments) is not None
        waiting = [call.id for call in message.tool_calls]
    assert not waiting
    assert sendable(copy) == (copy, ())

"""What a conversation makes of messages, pages and events: turns, calls in their messages, what is being written."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.conversation.conversation import Conversation
from workbench.app.conversation.laying_out import RowsOfTurn
from workbench.app.conversation.rows import Call, Fact, File, Fold, Head, Note, Picture, Row, Text, Tone
from workbench.app.conversation.speakers import Speakers
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.agents import HumanSide, PromptSide
from workbench.domain.calls import AttachmentRef, CallState, Origin, ToolResult
from workbench.domain.events import (
    AnswerChunk,
    AttemptFailed,
    CallArguments,
    CallFinished,
    CallSeen,
    CallStateChanged,
    StepEnded,
    StepStarted,
)
from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.domain.pages import CallSummary, ConversationPage
from workbench.domain.threads import Message, MessageStatus, Role, SentCall

THREAD = ThreadId("t")
SPEAKERS = Speakers({"a": PromptSide(prompt="desk"), "b": HumanSide(label="support")}, {"desk": "sonnet"})
PICTURE = AttachmentRef(id="1", path="/attachments/a.png", name="a.png", mime_type="image/png", size=9)


def said(id: str, role: Role, content: str | None = None, **more: Any) -> Message:
    fields = {"id": id, "thread_id": THREAD, "role": role, "created_at": 1, "content": content, **more}
    return Message.model_validate(fields)


def user(id: str, content: str, **more: Any) -> Message:
    return said(id, Role.USER, content, **{"side": "b", **more})


def answer(id: str, content: str = "", *calls: str, **more: Any) -> Message:
    sent = tuple(SentCall(id=CallId(call), name=call, arguments="{}") for call in calls)
    fields = {"side": "a", "prompt": "desk", "request_id": f"r-{id}", "tool_calls": sent, **more}
    return said(id, Role.ASSISTANT, content or None, **fields)


def result(call: str, content: str | None = "ok", **more: Any) -> Message:
    fields = {"tool_call_id": call, "name": call, "tool_status": "success", "side": "a", "prompt": "desk"}
    return said(f"result-{call}", Role.TOOL, content, **{**fields, **more})


def line(call: str, state: CallState = CallState.SUCCEEDED, **more: Any) -> CallSummary:
    fields = {"id": call, "thread_id": THREAD, "tool": call, "origin": Origin.MODEL, "created_at": 1}
    return CallSummary.model_validate({**fields, "state": state, **more})


def page(*messages: Message, lines: tuple[CallSummary, ...] = (), has_more: bool = False) -> ConversationPage:
    return ConversationPage(messages=messages, calls=lines, has_more=has_more)


def rows(conversation: Conversation) -> list[Row]:
    made = [RowsOfTurn(SPEAKERS).take(turn, opening=at == 0) for at, turn in enumerate(conversation.turns)]
    return [row for turn in made for row in turn]


def told(conversation: Conversation) -> list[str]:
    """Each row in a few words, nested ones further in."""
    return ["  " * row.depth + _told(row) for row in rows(conversation)]


def _told(row: Row) -> str:
    match row:
        case Head():
            return f"{row.side}/{row.name}/{row.note}"
        case Text():
            return row.text + ("▌" if row.writing else "")
        case Call(called=called):
            return f"({called.tool} {called.arguments} {called.state.value} {called.outcome})".replace(
                " )", ")"
            )
        case Fact():
            return f"{row.label}: {row.text}"
        case Fold() | Note():
            return f"[{row.words}]"
        case File() | Picture():
            return f"<{row.ref.name}>"


STAMP: dict[str, Any] = {"thread_id": THREAD, "at": 5}


def test_messages_of_one_speaker_stand_under_one_head_with_their_calls_folded_into_them() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(
        page(
            user("1", "Hello"),
            answer("2", "I look.", "look"),
            result("look", "14"),
            answer("3", "There are 14."),
            user("4", "Thanks"),
            lines=(line("look", result_preview="14", duration_ms=84),),
        )
    )
    assert told(conversation) == [
        "B/support/person, opening message",
        "Hello",
        "A/desk/model sonnet, 2 requests",
        "I look.",
        "(look {} succeeded 14)",
        "There are 14.",
        "B/support/person",
        "Thanks",
    ]


def test_a_side_is_called_by_its_label_and_who_is_no_side_by_where_it_speaks_from() -> None:
    sides = {"a": PromptSide(prompt="desk", label="Desk"), "b": HumanSide(label="support")}
    speakers = Speakers(sides, {"desk": "sonnet"}, {"desk": "Desk"})

    def head(message: Message) -> tuple[str, str]:
        return speakers.name(message), speakers.note(message)

    assert head(answer("1", "Yes.")) == ("Desk", "desk, model sonnet")
    assert head(answer("2", "Inside of a call.", depth=1)) == ("desk", "model sonnet")
    assert head(said("3", Role.USER, "Done.", metadata={"from": "t2"})) == ("another thread", "")
    assert head(said("4", Role.USER, "Begin.")) == ("from outside", "")
    assert head(said("5", Role.USER, "Psst.", silent=True)) == ("code", "")


def test_only_a_call_that_a_model_answers_is_one_of_a_prompt() -> None:
    conversation = Conversation(THREAD)
    lines = (line("look"), line("print", parent_call_id="look", origin=Origin.QUEUE))
    queued = answer("2", "", "print", depth=1, parent_id="result-look", request_id=None)
    conversation.start_again(
        page(answer("1", "", "look"), result("look"), queued, result("print"), lines=lines)
    )
    assert not conversation.calls[CallId("look")].is_prompt

    conversation.put(answer("3", "Within.", depth=1, parent_id="result-look"))
    assert any(call.is_prompt for call in conversation.calls.values())


def test_what_is_silent_is_one_line_until_it_is_opened() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(
        page(
            answer("1", "Before."),
            said("2", Role.USER, "secret one", silent=True),
            said("3", Role.USER, "secret two", silent=True),
            answer("4", "After."),
        )
    )
    assert told(conversation)[1:] == ["Before.", "[2 silent messages]", "After."]
    fold = next(row for row in rows(conversation) if isinstance(row, Fold))
    fold.said.opened.add("silent")
    assert "secret two" in told(conversation)


def test_what_the_system_says_stands_back() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(said("1", Role.SYSTEM, "Be short."), user("2", "Hello")))
    tones = [(row.text, row.tone) for row in rows(conversation) if isinstance(row, Text)]
    assert tones == [("Be short.", Tone.QUIET), ("Hello", Tone.PLAIN)]


@pytest.mark.rule("T4")
def test_what_a_sub_prompt_said_is_nested_under_the_call_that_it_answers() -> None:
    conversation = Conversation(THREAD)
    inner = answer("2", "I checked.", "rules", depth=1, parent_id="result-check", prompt="checker")
    conversation.start_again(
        page(
            answer("1", "", "check"),
            result("check", status=MessageStatus.PENDING, content=None),
            inner,
            result("rules", depth=1, parent_id="result-check"),
            lines=(line("check"), line("rules", parent_call_id="check")),
        )
    )
    assert told(conversation)[1:] == ["(check {} succeeded)"]
    conversation.calls[CallId("check")].expanded = True
    assert told(conversation)[1:] == [
        "(check {} succeeded)",
        "  Arguments: {}",
        "  Result: nothing",
        "  A/checker/1 request",
        "  I checked.",
        "  (rules {} succeeded ok)",
    ]


def test_older_pages_come_in_front_and_bring_the_call_that_something_was_said_in() -> None:
    conversation = Conversation(THREAD)
    inner = answer("3", "Inside.", depth=1, parent_id="result-check")
    conversation.start_again(page(inner, answer("4", "Done."), has_more=True))
    assert "Inside." not in told(conversation)
    conversation.put_before(page(user("1", "Go"), answer("2", "", "check"), result("check")))
    conversation.put_before(page(user("0", "Before all")))
    conversation.calls[CallId("check")].expanded = True
    assert [text.strip() for text in told(conversation) if "/" not in text][:2] == ["Before all", "Go"]
    assert "  Inside." in told(conversation)


def test_an_answer_grows_as_it_is_written_and_keeps_its_rows_when_it_is_there() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(user("1", "Hello")))
    request = RequestId("r-2")
    step = StepStarted(**STAMP, request_id=request, step=1, side="a", prompt="desk")
    conversation.tell(step)
    assert told(conversation)[2:] == ["A/desk/model sonnet, 1 request", "[The model is asked]"]
    for text in ("I lo", "ok."):
        chunk = AnswerChunk(**STAMP, request_id=request, message_id=MessageId("2"), text=text)
        conversation.tell(chunk)
    assert told(conversation)[3:] == ["I look.▌"]
    text_row = rows(conversation)[3]
    seen = CallSeen(**STAMP, call_id=CallId("look"), tool="look", origin=Origin.MODEL)
    conversation.tell(seen)
    conversation.tell(CallArguments(**STAMP, call_id=CallId("look"), text='{"sku": "C'))
    assert told(conversation)[3:] == ["I look.", '(look {"sku": "C queued)']
    conversation.put(answer("2", "I look.", "look"))
    assert told(conversation)[3:] == ["I look.", "(look {} queued)"]
    assert rows(conversation)[3] is text_row


def test_a_call_moves_from_running_to_its_result() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(answer("1", "", "look"), lines=(line("look", CallState.QUEUED),)))
    call: dict[str, Any] = {**STAMP, "call_id": CallId("look")}
    conversation.tell(CallStateChanged(**call, state=CallState.RUNNING))
    assert told(conversation)[1:] == ["(look {} running)"]
    got = ToolResult(text="14", attachments=(PICTURE,))
    conversation.tell(CallFinished(**call, state=CallState.SUCCEEDED, result=got, duration_ms=3))
    assert told(conversation)[1:] == ["(look {} succeeded 14)", "  <a.png>", "  <a.png>"]
    conversation.put_tail(page(answer("1", "", "look"), lines=(line("look", CallState.RUNNING),)))
    assert conversation.calls[CallId("look")].state is CallState.SUCCEEDED


def test_a_call_that_ended_without_having_run_took_no_time() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(user("1", "Go"), answer("2", "", "look", "dig")))
    failed = ToolResult(text="The call was rejected.", is_error=True)
    conversation.tell(CallStateChanged(**STAMP, call_id=CallId("dig"), state=CallState.RUNNING))
    for call in ("look", "dig"):
        ended = CallFinished(
            **STAMP, call_id=CallId(call), state=CallState.FAILED, result=failed, duration_ms=0
        )
        conversation.tell(ended)
    took = {call.id: call.elapsed_ms(9) for call in conversation.calls.values()}
    assert took == {CallId("look"): None, CallId("dig"): 0}


def test_pieces_of_arguments_that_are_told_once_the_whole_is_read_add_nothing() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(user("1", "Go"), answer("2", "", "look")))
    conversation.tell(CallArguments(**STAMP, call_id=CallId("look"), text='"a": 1}'))
    assert conversation.calls[CallId("look")].arguments == "{}"


def test_an_attempt_that_failed_takes_back_what_it_wrote_and_says_what_comes_next() -> None:
    conversation = Conversation(THREAD)
    request = RequestId("r-1")
    conversation.tell(StepStarted(**STAMP, request_id=request, step=1, side="a", prompt="desk"))
    conversation.tell(AnswerChunk(**STAMP, request_id=request, message_id=MessageId("1"), text="Half an"))
    failure = ModelFailure(kind=ModelFailureKind.RATE_LIMITED, message="Too many requests.")
    failed = AttemptFailed(**STAMP, request_id=request, model="sonnet", attempt=1, failure=failure, wait=2.0)
    conversation.tell(failed)
    assert "Half an" not in "".join(told(conversation))
    assert "[sonnet, attempt 1: Too many requests. (asked again in 2 s)]" in told(conversation)
    conversation.tell(StepEnded(**STAMP, request_id=request))
    assert told(conversation) == []


@pytest.mark.rule("T9")
def test_failed_and_stopped_messages_say_why() -> None:
    conversation = Conversation(THREAD)
    failed = answer("1", "No key.\nSet KEY.", status=MessageStatus.FAILED, metadata={"failure": {}})
    stopped = answer("2", "Half", status=MessageStatus.FAILED, metadata={"stopped": True})
    conversation.start_again(page(failed, stopped))
    assert told(conversation)[1:] == [
        "[No key.]",
        "Set KEY.",
        "Half",
        "[Stopped while this was written; no model sees it]",
    ]


def test_a_message_that_was_sent_waits_at_the_end_until_it_is_taken_up() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(answer("1", "Working.")))
    conversation.send(user("2", "One more"))
    conversation.put(answer("3", "Still working."))
    assert told(conversation)[-2:] == ["One more", "[Waits until the thread takes it up]"]
    conversation.put(user("2", "One more"))
    conversation.put(answer("4", "Done."))
    assert [text for text in told(conversation) if "/" not in text] == [
        "Working.",
        "Still working.",
        "One more",
        "Done.",
    ]


@given(st.lists(st.sampled_from(("told", "sent", "read")), min_size=9, max_size=9))
def test_however_messages_come_they_stand_as_the_history_has_them(ways: list[str]) -> None:
    messages = [
        message
        for turn in range(3)
        for message in (
            user(f"u{turn}", "Look"),
            answer(f"a{turn}", "So.", f"look{turn}"),
            result(f"look{turn}"),
        )
    ]
    conversation = Conversation(THREAD)
    conversation.start_again(page())
    for at, (message, way) in enumerate(zip(messages, ways, strict=True)):
        if way == "told" and message.request_id is not None:
            stamp: dict[str, Any] = {"thread_id": THREAD, "at": at}
            conversation.tell(
                StepStarted(**stamp, request_id=message.request_id, step=1, side="a", prompt="desk")
            )
        if way == "sent" and message.role is Role.USER:
            conversation.send(message)
    for message in messages:
        conversation.put(message)
    read = Conversation(THREAD)
    read.start_again(page(*messages))
    assert told(conversation) == told(read)


_KINDS = ("user", "answer", "silent", "call", "prompt")


def _group(kind: str, number: int) -> list[Message]:
    """Messages that come and go together."""
    name = f"{kind}{number}"
    match kind:
        case "user":
            return [user(name, "Look")]
        case "answer":
            return [answer(name, "So.")]
        case "silent":
            return [user(name, "Told", silent=True)]
        case "call":
            return [answer(name, "", name), result(name)]
        case _:
            inside = {"depth": 1, "parent_id": f"result-{name}"}
            return [answer(name, "", name), answer(f"{name}-inside", "Inside.", **inside), result(name)]


def _unfolded(conversation: Conversation) -> list[str]:
    for called in conversation.calls.values():
        called.expanded = True
    return told(conversation)


@given(
    st.lists(st.sampled_from(_KINDS), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(("gone", *_KINDS))), max_size=6),
    st.booleans(),
)
def test_whatever_is_put_in_and_taken_out_they_stand_as_the_history_has_them(
    begun: list[str], steps: list[tuple[int, str]], sends: bool
) -> None:
    history = [_group(kind, number) for number, kind in enumerate(begun)]
    conversation = Conversation(THREAD)
    conversation.start_again(page(*chain(*history)))
    waiting = user("sent", "Next") if sends else None
    if waiting is not None:
        conversation.send(waiting)
    for number, (chosen, kind) in enumerate(steps, start=100):
        at = chosen % (len(history) + 1)
        before = list(chain(*history[:at]))
        if kind == "gone":
            for message in chain(*history[at : at + 1]):
                conversation.remove(message.id)
            del history[at : at + 1]
        else:
            history.insert(at, _group(kind, number))
            previous = before[-1].id if before else None
            for message in history[at]:
                assert conversation.put_behind(message, previous)
                previous = message.id
        read = Conversation(THREAD)
        read.start_again(page(*chain(*history)))
        if waiting is not None:
            read.send(waiting)
        assert _unfolded(conversation) == _unfolded(read)


def test_only_the_turns_around_a_change_are_made_anew() -> None:
    conversation = Conversation(THREAD)
    messages = [
        one for number in range(9) for one in (user(f"u{number}", "Look"), answer(f"a{number}", "So."))
    ]
    conversation.start_again(page(*messages))
    before = list(conversation.turns)
    for turn in before:
        turn.stale = False
    conversation.remove(MessageId("u4"))
    assert conversation.put_behind(user("new", "Put in"), MessageId("u6"))
    same = [turn for turn in conversation.turns if turn in before and not turn.stale]
    assert len(conversation.turns) == 16
    assert len(same) == 14
    assert not conversation.put_behind(user("lost", "Where?"), MessageId("unknown"))


def test_the_last_messages_read_again_take_along_what_was_put_in_and_what_went() -> None:
    conversation = Conversation(THREAD)
    first, second, third = user("1", "one"), answer("2", "two"), user("3", "three")
    conversation.start_again(page(first, second, third))
    assert conversation.put_tail(page(first, user("9", "between"), third))
    assert [text for text in told(conversation) if "/" not in text] == ["one", "between", "three"]
    assert not conversation.put_tail(page(user("7", "unknown"), has_more=True))


def test_a_result_whose_call_is_on_an_older_page_goes_to_it_when_that_is_there() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(result("look"), answer("2", "It was 14."), has_more=True))
    conversation.put_before(page(user("0", "Look"), answer("1", "", "look")))
    assert told(conversation)[2:] == [
        "A/desk/model sonnet, 2 requests",
        "(look {} succeeded ok)",
        "It was 14.",
    ]


def test_a_page_that_holds_an_answer_before_its_beginning_is_told_leaves_nothing_that_is_being_written() -> (
    None
):
    conversation = Conversation(THREAD)
    begins = StepStarted(**STAMP, request_id=RequestId("r-2"), step=1, side="a", prompt="desk")
    conversation.start_again(page(user("1", "Hello")))
    assert conversation.put_tail(page(user("1", "Hello"), answer("2", "Here.")))
    conversation.tell(begins)
    assert [text for text in told(conversation) if "/" not in text] == ["Hello", "Here."]


def test_all_read_anew_takes_the_place_of_what_was_being_written() -> None:
    conversation = Conversation(THREAD)
    begins = StepStarted(**STAMP, request_id=RequestId("r-2"), step=1, side="a", prompt="desk")
    conversation.tell(begins)
    conversation.start_again(page(user("1", "Hello"), answer("2", "Here.")))
    assert [text for text in told(conversation) if "/" not in text] == ["Hello", "Here."]


def test_what_was_being_written_when_events_were_lost_is_read_instead_of_waited_for() -> None:
    conversation = Conversation(THREAD)
    conversation.start_again(page(user("1", "Hello")))
    conversation.tell(StepStarted(**STAMP, request_id=RequestId("r-2"), step=1, side="a", prompt="desk"))
    conversation.forget_coming()
    assert conversation.put_tail(page(user("1", "Hello"), answer("2", "Here.")))
    assert [text for text in told(conversation) if "/" not in text] == ["Hello", "Here."]

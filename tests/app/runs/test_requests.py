"""A request in readable parts, and what it sent that the one before it did not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results.differences import Change
from workbench.app.runs.request_changes import changes_between, numbers_of, one_before
from workbench.app.runs.request_parts import CAME_BACK, SENT, exact_json, parts_of
from workbench.base.exact_json import parse
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.model_answers import FinishReason, ModelFailure, ModelFailureKind, Usage
from workbench.domain.model_requests import (
    AssistantTurn,
    FilePart,
    ModelRequest,
    OfferedTool,
    ReasoningPart,
    SystemTurn,
    TextPart,
    ToolCallPart,
    ToolTurn,
    Turn,
    UserTurn,
)
from workbench.domain.models import Provider
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Answered, Message, Role, SentCall

HELLO = UserTurn(
    content=(TextPart(text="Hello."), FilePart(mime_type="image/png", data=b"png", name="dot.png"))
)
ANSWER = AssistantTurn(
    parts=(
        ReasoningPart(text="Hm.", signature="seal"),
        TextPart(text="I look."),
        ToolCallPart(id="c1", name="look", arguments='{"a": 1}'),
    )
)
RESULT = ToolTurn(call_id="c1", name="look", content=(TextPart(text="nothing"),), is_error=True)
LOOK = OfferedTool(name="look", description="Look.", input_schema={"type": "object"})
ASKED = ModelRequest(
    provider=Provider.SCRIPTED, model="m", system="Help.", turns=(HELLO, ANSWER, RESULT), tools=(LOOK,)
)


def request(id: str = "r", conversation: str = "a/desk", **fields: object) -> Request:
    known = {"id": RequestId(id), "thread_id": ThreadId("t"), "side": "a", "step": 1, "prompt": "desk"}
    more = {"conversation": conversation, "state": RequestState.ANSWERED, "created_at": 0}
    return Request.model_validate({**known, **more, **fields})


def said(**fields: object) -> Message:
    known = {"id": MessageId("m"), "thread_id": ThreadId("t"), "role": Role.ASSISTANT, "created_at": 0}
    return Message.model_validate({**known, **fields})


def test_requests_are_numbered_through_sessions_and_handoffs() -> None:
    asked = [request("r1"), request("r2", step=2), request("r3", "a/claims")]
    assert numbers_of(asked) == {"r1": 1, "r2": 2, "r3": 3}


def test_a_request_reads_from_its_settings_to_what_came_back() -> None:
    answer = said(content="Done.", tool_calls=(SentCall(id=CallId("c2"), name="look", arguments="{}"),))
    ended = request(reason=FinishReason.TOOL_CALLS, usage=Usage(input_tokens=3, output_tokens=2))
    parts = parts_of(ASKED, ended, answer)
    assert [
        (part.heading, part.title, part.about, part.first_words) for part in parts if not part.is_json
    ] == [
        (SENT, "System", "", "Help."),
        (SENT, "User", "", "Hello."),
        (SENT, "Image", "dot.png", ""),
        (SENT, "Reasoning", "sealed", "Hm."),
        (SENT, "Assistant", "", "I look."),
        (SENT, "Call", "look", '{"a": 1}'),
        (SENT, "Result", "look", "nothing"),
        (CAME_BACK, "Assistant", "", "Done."),
        (CAME_BACK, "Call", "look", "{}"),
    ]
    assert [part.title for part in parts if part.is_json] == ["Settings", "Tool", "End"]
    assert next(part for part in parts if part.title == "Result").is_wrong
    assert next(part for part in parts if part.title == "Image").data == b"png"


def test_reasoning_and_what_the_provider_ran_come_back_in_their_order() -> None:
    answer = said(
        content="Done.", answered=Answered(parts=(ReasoningPart(text="Hm."), TextPart(text="Done.")))
    )
    back = [part.title for part in parts_of(ASKED, request(), answer) if part.heading == CAME_BACK]
    assert back == ["Reasoning", "Assistant"]


def test_a_failure_comes_back_with_what_to_do_and_what_the_provider_said() -> None:
    failure = ModelFailure(kind=ModelFailureKind.AUTH, message="No.", hint="Check the key.", detail="401")
    (part,) = [
        part
        for part in parts_of(ASKED, request(failure=failure), said(content="No."))
        if part.heading == CAME_BACK
    ]
    assert (part.is_wrong, part.text) == (True, "No.\nCheck the key.\n401")


def test_what_changed_is_told_by_kind_and_an_insertion_shifts_nothing() -> None:
    first = UserTurn(content=(TextPart(text="Before all."),))
    other = LOOK.model_copy(update={"description": "Look closer."})
    new = ASKED.model_copy(
        update={
            "turns": (first, HELLO, ANSWER),
            "tools": (other, OfferedTool(name="write", description="", input_schema={})),
            "system": "Help well.",
            "max_output_tokens": 10,
            "tool_choice": "none",
        }
    )
    told = [(change.change, change.what) for change in changes_between(ASKED, new)]
    assert told == [
        (Change.ADDED, "Turn 1, user"),
        (Change.REMOVED, "Turn 3, result"),
        (Change.CHANGED, "System text"),
        (Change.ADDED, "Tool write"),
        (Change.CHANGED, "Tool look"),
        (Change.CHANGED, "toolChoice"),
        (Change.ADDED, "maxOutputTokens"),
    ]


def test_a_request_is_compared_with_the_one_before_it_in_its_own_conversation() -> None:
    requests = [request("1"), request("2", "a/desk/judge"), request("3"), request("4", "a/desk/judge")]
    assert one_before(requests, requests[0]) is None
    assert one_before(requests, requests[1]) is None
    assert one_before(requests, requests[2]) is requests[0]
    assert one_before(requests, requests[3]) is requests[1]


TURNS = st.sampled_from([HELLO, ANSWER, RESULT, SystemTurn(text="Now."), UserTurn(content=())])


@given(st.lists(TURNS, max_size=8), st.lists(TURNS, max_size=8))
def test_added_and_removed_turns_lead_from_one_request_to_the_next(old: list[Turn], new: list[Turn]) -> None:
    before, after = (ASKED.model_copy(update={"turns": tuple(turns)}) for turns in (old, new))
    changes = [change.change for change in changes_between(before, after)]
    assert len(old) - changes.count(Change.REMOVED) + changes.count(Change.ADDED) == len(new)
    assert bool(changes) is (old != new)


def test_the_exact_json_is_that_of_the_request() -> None:
    assert ModelRequest.model_validate(parse(exact_json(ASKED))) == ASKED

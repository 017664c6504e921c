"""Turns that are kept from request to request: they are what they would be if each were made anew (T2, T10)."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.domain.model_requests import Replay
from workbench.domain.models import Provider
from workbench.domain.threads import Answered, Message, Role, SentCall
from workbench.engine.threads.context import KeptTurns, Viewpoint, Wire, turns

VIEW = Viewpoint(side="a", include_chat=True, include_past_tools=True, recent_images=2)
PICTURE = AttachmentRef(id="f", path="/attachments/a.png", name="a.png", mime_type="image/png", size=3)
FILES: Mapping[str, bytes] = {PICTURE.path: b"png"}


def message(number: int, role: Role, **fields: object) -> Message:
    row = {"id": MessageId(f"m{number}"), "thread_id": ThreadId("t"), "role": role, "created_at": number}
    return Message.model_validate({**row, **fields})


@st.composite
def messages(draw: st.DrawFn, number: int) -> Message:
    """One of a few messages that stand at this place, edits of each other."""
    words = draw(st.sampled_from(["one", "two"]))
    match draw(st.sampled_from(["user", "picture", "other", "call", "replayed", "result"])):
        case "user":
            return message(number, Role.USER, content=words)
        case "picture":
            return message(number, Role.USER, content=words, attachments=(PICTURE,))
        case "other":
            return message(number, Role.ASSISTANT, content=words, side="b")
        case "result":
            return message(number, Role.TOOL, content=words, name="look", tool_call_id=CallId("c"))
        case kind:
            call = SentCall(id=CallId("c"), name="look", arguments="{}", provider_id="theirs")
            replay = Replay(provider=Provider.OPENAI, data="{}") if kind == "replayed" else None
            more = {"answered": Answered(replay=replay), "tool_calls": (call,)}
            return message(number, Role.ASSISTANT, content=words, side="a", **more)


HISTORIES = st.integers(0, 5).flatmap(lambda size: st.tuples(*(messages(number) for number in range(size))))
WIRES = st.builds(Wire, st.sampled_from(["openai", "anthropic"]), images=st.booleans())


@given(st.lists(st.tuples(HISTORIES, WIRES), min_size=2, max_size=6), st.booleans())
def test_kept_turns_are_what_they_would_be_if_each_were_made_anew(
    asked: list[tuple[tuple[Message, ...], Wire]], again: bool
) -> None:
    kept: KeptTurns = {}
    for history, wire in [*asked, *asked] if again else asked:
        assert turns(history, VIEW, wire, FILES, kept) == turns(history, VIEW, wire, FILES)


def test_what_a_message_alone_decides_is_made_once() -> None:
    history = [message(1, Role.USER, content="one"), message(2, Role.ASSISTANT, content="two", side="a")]
    kept: KeptTurns = {}
    first = turns(history, VIEW, Wire("openai"), {}, kept)
    edited = [history[0], history[1].model_copy(update={"content": "Two"})]
    second = turns(edited, VIEW, Wire("openai"), {}, kept)

    assert second[0] is first[0]
    assert second[1] != first[1]

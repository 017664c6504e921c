"""Deleting messages from any history: what is left can be sent when the whole could (T10)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.threads import Message, Role, SentCall
from workbench.engine.threads.editing import without
from workbench.engine.threads.repair import sendable

THREAD = ThreadId("thread")


def message(number: int, role: Role, **more: object) -> Message:
    row = {
        "id": f"m{number}",
        "thread_id": THREAD,
        "role": role,
        "created_at": number,
        "content": f"{number}",
    }
    return Message.model_validate({**row, **more})


@st.composite
def histories(draw: st.DrawFn) -> Sequence[Message]:
    """Words of people and models; answers with calls, each with its result, some with a sub-prompt's words inside."""
    made: list[Message] = []
    for _ in range(draw(st.integers(1, 6))):
        calls = draw(st.integers(0, 3))
        if not calls:
            made.append(message(len(made), draw(st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM]))))
            continue
        at = len(made)
        sent = tuple(SentCall(id=CallId(f"c{at}-{one}"), name="t", arguments="{}") for one in range(calls))
        text = draw(st.sampled_from(["", "words"]))
        made.append(message(at, Role.ASSISTANT, content=text or None, tool_calls=sent))
        for call in sent:
            result = message(len(made), Role.TOOL, tool_call_id=call.id, tool_status="success", name="t")
            made.append(result)
            if draw(st.booleans()):
                made.append(message(len(made), Role.ASSISTANT, depth=1, parent_id=result.id))
    return made


@pytest.mark.rule("T10")
@given(histories(), st.data())
def test_what_is_left_of_a_history_can_be_sent_as_it_is(
    history: Sequence[Message], data: st.DataObject
) -> None:
    chosen = data.draw(st.sets(st.sampled_from([one.id for one in history])))

    left = without(history, chosen)
    changed = {one.id: one for one in left.changed}
    rest = [changed.get(one.id, one) for one in history if one.id not in left.gone]

    assert chosen <= set(left.gone)
    assert sendable([one for one in rest if not one.depth])[1] == ()
    assert {one.parent_id for one in rest if one.parent_id} <= {one.id for one in rest}


def test_nothing_goes_where_nothing_is_chosen() -> None:
    history = [message(0, Role.USER), message(1, Role.ASSISTANT)]

    assert without(history, ()) == without(history, [MessageId("unknown")])
    assert without(history, ()).gone == ()

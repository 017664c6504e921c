"""What of a history another thread can begin with: up to a message, with no call that has no result (T10, T21)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId
from workbench.domain.calls import Call
from workbench.domain.threads import Message, MessageStatus, Role
from workbench.engine.threads.editing import without

HANDOVER = "handover"
"""What the metadata of a message that opens another agent's turn tells under: that agent, and what it was given."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The messages, in their order, and how many calls are not in them since they had no result."""

    messages: tuple[Message, ...]
    left_out: int = 0


def taken(
    history: Sequence[Message], calls: Mapping[CallId, Call], at: MessageId | None, *, again: bool = False
) -> Taken:
    """The history up to a message; with None all of it.

    A call comes with its result and with all that was said within it, however much of that lies behind the message.
    `again`: where the message is an answer, the history ends before that and what led to it, so that it can be asked
    for again. Raises UserError when there is no such message.
    """
    until = history[: _end(history, at, again=again)]
    without_result = _without_result(until, calls)
    unfinished = [
        one.id for one in until if one.status is MessageStatus.PENDING and one.role is not Role.TOOL
    ]
    left = without(until, unfinished, calls=without_result)
    changed = {one.id: one for one in left.changed}
    gone = frozenset(left.gone)
    kept = tuple(changed.get(one.id, one) for one in until if one.id not in gone)
    return Taken(kept, len(without_result))


def handover(message: Message) -> tuple[str, Mapping[str, object]] | None:
    """The agent that took over with a message, and what it was given (T4); None for any other."""
    told = message.metadata.get(HANDOVER)
    if not isinstance(told, Mapping):
        return None
    agent, given = (cast("Mapping[str, object]", told).get(name) for name in ("agent", "given"))
    is_whole = isinstance(agent, str) and isinstance(given, Mapping)
    return (cast("str", agent), cast("Mapping[str, object]", given)) if is_whole else None


def _end(history: Sequence[Message], at: MessageId | None, *, again: bool) -> int:
    if at is None:
        return len(history)
    place = next((place for place, message in enumerate(history) if message.id == at), None)
    if place is None:
        raise UserError(
            f"The thread has no message {at}.", hint="`workbench thread show ID --ids` tells those it has."
        )
    return _led_to(history, place) if again and _is_answer(history[place]) else _behind(history, place)


def _is_answer(message: Message) -> bool:
    """Whether a side said this by itself, so that it can be asked for again: no call by hand, no part of a call."""
    is_by_hand = message.request_id is None and bool(message.tool_calls)
    return message.role is Role.ASSISTANT and message.depth == 0 and not is_by_hand


def _led_to(history: Sequence[Message], place: int) -> int:
    """Where the answer at a place begins: one that was made of calls has these before it."""
    side = history[place].side
    while place and (history[place].request_id is None or history[place].depth):
        earlier = history[place - 1]
        if not (_is_within_calls(earlier) or (earlier.tool_calls and earlier.side == side)):
            break
        place -= 1
    return place


def _behind(history: Sequence[Message], place: int) -> int:
    """The end of the calls that the message at a place carries or belongs to."""
    end = place + 1
    if history[place].tool_calls or _is_within_calls(history[place]):
        while end < len(history) and _is_within_calls(history[end]):
            end += 1
    return end


def _is_within_calls(message: Message) -> bool:
    return message.role is Role.TOOL or message.depth > 0 or handover(message) is not None


def _without_result(history: Sequence[Message], calls: Mapping[CallId, Call]) -> Collection[CallId]:
    """The calls that have no result behind them, with those that were made within one of these."""
    waiting: dict[CallId, None] = {}
    made: dict[CallId, None] = {}
    for message in history:
        for sent in message.tool_calls:
            waiting[sent.id] = made[sent.id] = None
        if message.role is Role.TOOL and message.status is MessageStatus.COMPLETED and message.tool_call_id:
            waiting.pop(message.tool_call_id, None)
    for call_id in made:  # whoever made a call stands before it
        call = calls.get(call_id)
        if call is not None and call.parent_call_id in waiting:
            waiting[call_id] = None
    return waiting.keys()

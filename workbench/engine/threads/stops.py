"""When a side's turn ends, and when the session does (T2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.base.exact_json import JsonError, JsonValue, parse_object
from workbench.domain.agents import PromptSide, SessionBinding
from workbench.domain.calls import AttachmentRef, Call
from workbench.domain.threads import Message
from workbench.engine.calls.carrying import paths_in

MOST_EMPTY_ANSWERS = 3
"""So many answers in a row without text or call end a turn that would go on: the model has nothing more to say."""

TurnReason = Literal[
    "response", "stop_tool", "max_steps", "stopped", "hook", "empty", "session", "failed", "handoff"
]


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """Why a turn ended. `text` is what the stop tool was given as the answer, where it names a property for it; or why
    the turn failed. `why` is what a person is told of a turn that ended at a bound, which is no end of the work."""

    reason: TurnReason
    text: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """How the session ended: `stop` is a success, `fail` a failure, `max_turns` the agent's own bound (T2).

    `attachments` are the paths that the call named; whoever the session worked for gets copies (T6).
    """

    outcome: Literal["stop", "fail", "max_turns", "handler"]
    text: str = ""
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What one step gave: the model's message and its calls as they ended, in their order."""

    message: Message
    calls: Sequence[Call] = ()


def ends_turn(side: PromptSide, call: Call) -> bool:
    """Whether nothing that the model asked for behind this call is run any more."""
    names = {side.stop_tool, *(one.name for one in (side.session_stop, side.session_fail) if one)}
    return call.tool in names and not call.is_error


def turn_end(side: PromptSide, said: Said, steps: int, empty: int) -> TurnEnd | None:
    """Why the turn ends after this step; None when it goes on. `empty` answers came in a row, this one included."""
    for call in said.calls:
        if call.tool == side.stop_tool and not call.is_error:
            return TurnEnd("stop_tool", text_of(call, side.stop_tool_response_property))
    if session_end(side, said.calls) is not None:
        return TurnEnd("session")
    if not said.calls and not side.manual_stop_condition:
        if side.stop_on_response:
            return TurnEnd("response")
        if empty >= MOST_EMPTY_ANSWERS:
            return TurnEnd("empty", why=f"The model said nothing {MOST_EMPTY_ANSWERS} times in a row.")
    if side.max_steps is not None and steps >= side.max_steps:
        return TurnEnd("max_steps", why=_at_its_limit(side.max_steps, said.calls))
    return None


def _at_its_limit(steps: int, calls: Sequence[Call]) -> str:
    failed = calls[-1].tool if calls and calls[-1].is_error else ""
    return f"Reached its limit of {steps} step{'s' if steps != 1 else ''}{f'; {failed} failed' if failed else ''}."


def session_end(side: PromptSide, calls: Sequence[Call]) -> SessionEnd | None:
    """How a call of this step ended the session; None when none did."""
    for call in calls:
        if call.is_error:
            continue
        if side.session_stop and call.tool == side.session_stop.name:
            return SessionEnd("stop", *_bound(call, side.session_stop))
        if side.session_fail and call.tool == side.session_fail.name:
            return SessionEnd("fail", *_bound(call, side.session_fail))
    return None


def session_status(side: PromptSide, calls: Sequence[Call]) -> tuple[str, tuple[str, ...]] | None:
    """What the newest call of the status tool said, and the files that it named."""
    found = None
    for call in calls:
        if side.session_status and call.tool == side.session_status.name and not call.is_error:
            found = _bound(call, side.session_status)
    return found


def _bound(call: Call, binding: SessionBinding) -> tuple[str, tuple[str, ...]]:
    """The message and the files that a call of a session's tool carries; without a property its own result."""
    result = call.result
    named = binding.message_property
    text = text_of(call, named) if named else (result.text if result else "")
    attached: Sequence[AttachmentRef] = result.attachments if result else ()
    arguments = arguments_of(call)
    paths = [path for name in binding.attachments_property for path in paths_in(arguments.get(name))]
    return text or "", tuple(paths) or tuple(ref.path for ref in attached)


def arguments_of(call: Call) -> dict[str, JsonValue]:
    """The arguments that a call ran with; none where they could not be read."""
    try:
        return parse_object(call.arguments_run or call.arguments or "{}")
    except JsonError:
        return {}


def text_of(call: Call, name: str | None) -> str | None:
    """One of its arguments, when that is a text."""
    value = arguments_of(call).get(name) if name else None
    return value if isinstance(value, str) else None

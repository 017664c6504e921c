"""Everything that can happen to a call, as one closed union: the live panel is drawn from it, a replay reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import CallState, Decision, Origin, Progress, ToolResult
from workbench.domain.value import Value


class _Event(Value):
    thread_id: ThreadId
    at: int
    """Microseconds since the epoch."""


class _CallEvent(_Event):
    call_id: CallId


class CallSeen(_CallEvent):
    """First sight of a call; the row appears."""

    type: Literal["call_seen"] = "call_seen"
    tool: str
    origin: Origin
    parent_call_id: CallId | None = None
    arguments_preview: str = ""
    """The beginning of the arguments, secrets masked (V6)."""


class ToolCallStarted(_CallEvent):
    """The published `tool_call_started`: fires once per call, with progress when the tool names it (C8)."""

    type: Literal["tool_call_started"] = "tool_call_started"
    tool: str
    progress: str | None = None


class CallStateChanged(_CallEvent):
    """The call moved on. `waiting_for` names the variables when it waits for some."""

    type: Literal["call_state"] = "call_state"
    state: CallState
    waiting_for: tuple[str, ...] = ()


class CallDecided(_CallEvent):
    type: Literal["call_decided"] = "call_decided"
    decision: Decision


class CallProgressed(_CallEvent):
    """The bar or its text moved (C17)."""

    type: Literal["progress"] = "progress"
    progress: Progress


class CallEmitted(_CallEvent):
    """The tool emitted an event; `data` is JSON text."""

    type: Literal["emitted"] = "emitted"
    event: str
    data: str


class CallLogged(_CallEvent):
    """Lines that the tool printed or logged. `stream` is `stdout`, `stderr` or `log`."""

    type: Literal["log"] = "log"
    stream: str
    text: str


class CallFinished(_CallEvent):
    """The last event of a call. Text of a result is cut to a preview; the whole is in the store."""

    type: Literal["call_finished"] = "call_finished"
    state: CallState
    result: ToolResult
    duration_ms: int


class MessageAdded(_Event):
    type: Literal["message_added"] = "message_added"
    message_id: MessageId


Event = Annotated[
    CallSeen
    | ToolCallStarted
    | CallStateChanged
    | CallDecided
    | CallProgressed
    | CallEmitted
    | CallLogged
    | CallFinished
    | MessageAdded,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)

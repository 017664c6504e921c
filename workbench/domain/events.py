"""Everything that can happen to a call or a thread, as one closed union: live views and replays read it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from workbench.base.ids import CallId, EffectId, MessageId, RequestId, ThreadId
from workbench.domain.agents import SideName
from workbench.domain.calls import CallState, Decision, Origin, Progress, ToolResult
from workbench.domain.effects import EffectState
from workbench.domain.model_answers import ModelFailure
from workbench.domain.threads import ThreadStatus
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


class CallArguments(_CallEvent):
    """More of the arguments that a model is writing. Live only; the store never sees it."""

    type: Literal["call_arguments"] = "call_arguments"
    text: str


class CallStateChanged(_CallEvent):
    """The call moved on. `waiting_for` names the variables when it waits for some, `why` says what asks for a yes."""

    type: Literal["call_state"] = "call_state"
    state: CallState
    waiting_for: tuple[str, ...] = ()
    why: str = ""


class CallDecided(_CallEvent):
    type: Literal["call_decided"] = "call_decided"
    decision: Decision


class CallAttemptFailed(_CallEvent):
    """One try failed, and another one follows (C9). `attempt` counts from 1, `wait` are seconds until the next."""

    type: Literal["call_attempt_failed"] = "call_attempt_failed"
    attempt: int
    message: str
    wait: float


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
    stubbed: bool = False
    """The result is that of a dry run (C10)."""


class MessageAdded(_Event):
    type: Literal["message_added"] = "message_added"
    message_id: MessageId


class MessageChanged(_Event):
    """A message has other contents, or another status."""

    type: Literal["message_changed"] = "message_changed"
    message_id: MessageId


class MessageRemoved(_Event):
    type: Literal["message_removed"] = "message_removed"
    message_id: MessageId


class AnswerChunk(_Event):
    """More of the text, or the reasoning, of an answer that is coming. Live only; the store never sees it."""

    type: Literal["answer_chunk"] = "answer_chunk"
    request_id: RequestId
    message_id: MessageId
    """The message that it will be."""
    text: str
    is_reasoning: bool = False


class ThreadMoved(_Event):
    """The thread does something else now, or says something else of itself."""

    type: Literal["thread_moved"] = "thread_moved"
    status: ThreadStatus
    status_text: str = ""
    at_limit: bool = False
    side: SideName = "a"
    agent: str = ""


class ThreadQuiet(_Event):
    """Nothing was heard of a thread at work for so many seconds; `waits_for` in words. Nothing was ended (T19)."""

    type: Literal["thread_quiet"] = "thread_quiet"
    seconds: float
    waits_for: str


class StepStarted(_Event):
    """A model request begins."""

    type: Literal["step_started"] = "step_started"
    request_id: RequestId
    step: int
    side: SideName
    prompt: str
    depth: int = 0


class AttemptFailed(_Event):
    """One try at a model failed. `wait` are seconds until the next; None: the next model is asked, if there is one."""

    type: Literal["attempt_failed"] = "attempt_failed"
    request_id: RequestId
    model: str
    attempt: int
    failure: ModelFailure
    wait: float | None = None
    falls_back: bool = False


class StepEnded(_Event):
    """The request has its answer, or will get none."""

    type: Literal["step_ended"] = "step_ended"
    request_id: RequestId
    message_id: MessageId | None = None


class TurnEnded(_Event):
    """A side is done. `reason` says by what: `response`, `stop_tool`, `max_steps`, `stopped`, `hook`, `handler`."""

    type: Literal["turn_ended"] = "turn_ended"
    side: SideName
    reason: str


class SessionEnded(_Event):
    """The session is over (T2). `outcome` is `stop`, `fail`, `max_turns`, or `handler`; `text` its message."""

    type: Literal["session_ended"] = "session_ended"
    outcome: str
    text: str = ""


class HookFailed(_Event):
    """A hook raised, hung or returned what cannot be used; the run went on without it (T8)."""

    type: Literal["hook_failed"] = "hook_failed"
    hook: str
    message: str
    stack: str = ""


class CodeEmitted(_Event):
    """A hook, a handler or an effect emitted an event; `data` is JSON text."""

    type: Literal["code_emitted"] = "code_emitted"
    source: str
    event: str
    data: str


class CodeLogged(_Event):
    """Lines that a hook, a handler or an effect printed or logged."""

    type: Literal["code_log"] = "code_log"
    source: str
    stream: str
    text: str


class EffectMoved(_Event):
    """A scheduled effect is in another state."""

    type: Literal["effect_moved"] = "effect_moved"
    effect_id: EffectId
    name: str
    state: EffectState


CallEvent = (
    CallSeen
    | CallArguments
    | ToolCallStarted
    | CallStateChanged
    | CallDecided
    | CallAttemptFailed
    | CallProgressed
    | CallEmitted
    | CallLogged
    | CallFinished
)
ThreadEvent = (
    MessageAdded
    | MessageChanged
    | MessageRemoved
    | AnswerChunk
    | ThreadMoved
    | ThreadQuiet
    | StepStarted
    | AttemptFailed
    | StepEnded
    | TurnEnded
    | SessionEnded
    | HookFailed
    | CodeEmitted
    | CodeLogged
    | EffectMoved
)
Event = Annotated[CallEvent | ThreadEvent, Field(discriminator="type")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def read_event(text: str) -> Event | None:
    """An event that was kept as JSON text; None for one that only a newer Workbench knows."""
    try:
        return EVENT.validate_json(text)
    except ValidationError:
        pass
    try:  # without the fields that only a newer one knows
        return EVENT.validate_json(text, extra="ignore")
    except ValidationError:
        return None

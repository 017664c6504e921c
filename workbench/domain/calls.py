"""A tool call from first sight to result: its request, its states, how it can end, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.auth import Auth
from workbench.domain.value import Value


class Origin(StrEnum):
    """Who asked for the call."""

    MODEL = "model"
    FORM = "form"
    QUEUE = "queue"
    INVOKE = "invoke"
    HTTP = "http"
    MCP = "mcp"
    CLI = "cli"
    PYTHON = "python"
    REPLAY = "replay"
    CODE = "code"
    """Code of a code pad."""


class CallState(StrEnum):
    """Where a call stands. The last three are final."""

    QUEUED = "queued"
    WAITING_FOR_VARIABLE = "waiting_for_variable"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_final(self) -> bool:
        return self in (CallState.SUCCEEDED, CallState.FAILED, CallState.STOPPED)

    @property
    def awaits_person(self) -> bool:
        return self in (CallState.WAITING_FOR_APPROVAL, CallState.WAITING_FOR_VARIABLE)


class FailureKind(StrEnum):
    """How a call can fail; the set is closed (C16)."""

    INVALID_ARGUMENTS = "invalid_arguments"
    UNKNOWN_TOOL = "unknown_tool"
    UNDECLARED_TARGET = "undeclared_target"
    MISSING_VARIABLE = "missing_variable"
    TIME_BOUND = "time_bound"
    APPROVAL_REQUIRED = "approval_required"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    INTERRUPTED = "interrupted"
    CRASHED = "crashed"
    TOOL_ERROR = "tool_error"
    HOST_UNAVAILABLE = "host_unavailable"


class ArgumentError(Value):
    """One problem of the arguments (C3). `path` is a JSON Pointer; `seen` is the value, masked and shortened."""

    path: str
    rule: str
    message: str
    seen: str | None = None


class ToolFailure(Value):
    """How a call failed, as recorded and as told to the model."""

    kind: FailureKind
    message: str
    hint: str = ""
    stack: str = ""
    errors: tuple[ArgumentError, ...] = ()
    ended: tuple[str, ...] = ()
    """The processes that were ended, one line each (C13)."""


class AttachmentRef(Value):
    """A file in the thread's file system that a message carries (D8). `size` in bytes, width and height in pixels."""

    id: str
    type: str = "file"
    path: str
    name: str
    mime_type: str
    size: int
    width: int | None = None
    height: int | None = None
    description: str | None = None


class ToolResult(Value):
    """What a call gave, normalised (D7).

    `text` is what a model reads. `json_text` is the JSON value that the tool returned, as exact JSON text, or
    None when it returned text (then `text` is the value). `content` are the blocks of an envelope.
    """

    is_error: bool = False
    text: str = ""
    json_text: str | None = None
    structured_content: Mapping[str, object] | None = None
    content: tuple[Mapping[str, object], ...] = ()
    attachments: tuple[AttachmentRef, ...] = ()
    failure: ToolFailure | None = None


class FailedAttempt(Value):
    """A try that failed in a way that another one may not (C9). Times are microseconds since the epoch."""

    message: str
    started_at: int
    ended_at: int
    wait: float
    """Seconds until the next one."""


class Decision(Value):
    """What was decided about an approval, by whom (a principal, or the name of a rule), and why (C12)."""

    verdict: str
    """`approved`, `edited` or `rejected`."""
    by: str
    reason: str = ""
    attributes: Mapping[str, object] = Field(default_factory=dict[str, object])
    """What is known of the one who decided."""


class CallRequest(Value):
    """A wish to call a tool, before anything was looked at.

    `arguments` is JSON text as it came (C1 parses it). `timeout` in seconds; None means no limit (C13).
    `person_attached` says whether somebody can answer questions (C5, C12). `debug` runs it under a debugger,
    without a limit. `auth` is who asks. `dry_run` stubs it unless it reads, as a thread's own flag does (C10).
    `as_of` bounds its arguments in time where the thread has no instant of its own (C11). `workspace` is the folder
    that it runs with; the thread's own when there is none. `channel` and `channel_key` are who it is outside of
    sessions.
    """

    tool: str
    arguments: bytes
    origin: Origin
    thread_id: ThreadId
    call_id: CallId
    parent_call_id: CallId | None = None
    turn_id: str | None = None
    timeout: float | None = None
    approve: bool = False
    auth: Auth = Auth()
    person_attached: bool = False
    debug: bool = False
    dry_run: bool = False
    as_of: str | None = None
    workspace: str | None = None
    channel: str = ""
    channel_key: str = ""


class Progress(Value):
    """Where a call's bar stands (C17)."""

    message: str | None = None
    current: float | None = None
    total: float | None = None

    @property
    def fraction(self) -> float | None:
        """Between 0 and 1, or None when the tool named no total."""
        if self.current is None or not self.total:
            return None
        return min(1.0, max(0.0, self.current / self.total))


class Call(Value):
    """One tool call as the store keeps it. Times are microseconds since the epoch.

    `arguments` is the JSON text as received, `arguments_run` as it ran (defaults not filled in, edits
    included), both masked. `definition` is the version the call ran with.
    """

    id: CallId
    thread_id: ThreadId
    tool: str
    origin: Origin
    state: CallState
    arguments: str
    created_at: int
    message_id: MessageId | None = None
    result_message_id: MessageId | None = None
    parent_call_id: CallId | None = None
    turn_id: str | None = None
    copy_of: CallId | None = None
    """The call that ran, of one that came into its thread with the history of another (T21)."""
    arguments_run: str | None = None
    definition: str | None = None
    started_at: int | None = None
    finished_at: int | None = None
    progress: Progress | None = None
    attempts: int = 0
    failed_attempts: tuple[FailedAttempt, ...] = ()
    """Those before the last one; how that went is the result."""
    stubbed: bool = False
    """It was not run: its result is that of a dry run (C10)."""
    decision: Decision | None = None
    result: ToolResult | None = None
    log: str = ""
    """Everything the tool printed, newest last, cut to a bound that its last line names."""
    metadata: Mapping[str, object] = Field(default_factory=dict[str, object])

    @property
    def duration_ms(self) -> int | None:
        """From start to end, in milliseconds; none where the clock was set back between."""
        if self.started_at is None or self.finished_at is None:
            return None
        return max(0, self.finished_at - self.started_at) // 1000

    @property
    def is_error(self) -> bool:
        return self.result is not None and self.result.is_error

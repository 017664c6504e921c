"""A call as a conversation shows it: what is known of it from the history, and what events tell since."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.base.ids import CallId
from workbench.domain.calls import AttachmentRef, Call, CallState, Progress, ToolFailure, ToolResult
from workbench.domain.events import (
    CallArguments,
    CallFinished,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.domain.pages import CallSummary
from workbench.domain.threads import Message, MessageStatus, SentCall

if TYPE_CHECKING:
    from workbench.app.conversation.said import Said

PREVIEW = 2_000
"""Characters of arguments and results that are kept for a row."""


@dataclass(slots=True, eq=False)
class Called:
    """Times in microseconds since the epoch; `below` are the messages that were said inside of the call (T4)."""

    id: CallId
    tool: str
    arguments: str = ""
    state: CallState = CallState.QUEUED
    is_written: bool = False
    """Its arguments are whole; before that a model is still writing them."""
    parent_id: CallId | None = None
    started_at: int | None = None
    duration_ms: float | None = None
    stubbed: bool = False
    """Its result is that of a dry run (C10)."""
    doing: str = ""
    progress: Progress | None = None
    waiting_for: tuple[str, ...] = ()
    outcome: str = ""
    owner: Said | None = None
    attachments: tuple[AttachmentRef, ...] = ()
    below: list[Said] = field(default_factory=list["Said"])
    expanded: bool = False
    whole: Call | None = None
    """All of it, read when it is expanded."""
    kept: dict[object, object] = field(default_factory=dict[object, object])
    """The rows that show it, by what they are."""

    @property
    def is_failed(self) -> bool:
        return self.state is CallState.FAILED

    @property
    def is_prompt(self) -> bool:
        """Whether a model answers it (T4); what a tool queued stands inside of its call, too."""
        return any(said.coming or said.message.request_id is not None for said in self.below)

    @property
    def waits(self) -> bool:
        """For the person."""
        return self.state.awaits_person

    def elapsed_ms(self, now: int) -> float | None:
        """How long it took or has run so far; None when it has not begun, or ended without having run."""
        if self.state.is_final:
            return self.duration_ms
        return None if self.started_at is None else max(0.0, (now - self.started_at) / 1000)

    def take_sent(self, sent: SentCall) -> None:
        """The message that carries the call is there."""
        self.tool, self.arguments, self.is_written = sent.name, sent.arguments[:PREVIEW], True

    def take_line(self, line: CallSummary) -> None:
        """How it stands by the history."""
        self.parent_id = line.parent_call_id or self.parent_id
        if self.state.is_final and not line.state.is_final:
            return  # an event told of its end since the line was read
        self.state, self.started_at, self.duration_ms = line.state, line.started_at, line.duration_ms
        self.stubbed = line.stubbed
        if line.state.is_final:
            self.outcome = line.result_preview or (line.failure.value if line.failure else "")

    def take_call(self, call: Call) -> None:
        """The whole call."""
        self.whole = call
        self.tool, self.arguments, self.is_written = call.tool, call.arguments[:PREVIEW], True
        self.state, self.started_at, self.duration_ms = call.state, call.started_at, call.duration_ms
        self.stubbed = call.stubbed
        self.parent_id = call.parent_call_id
        self.progress = call.progress or self.progress
        if call.result is not None and call.state.is_final:
            self.outcome = _outcome(call.result)

    def take_result(self, message: Message) -> None:
        """The message that holds its result, which may not be there yet."""
        if message.status is MessageStatus.PENDING:
            return
        self.attachments = message.attachments
        if not self.state.is_final:
            self.state = CallState.FAILED if message.tool_status == "error" else CallState.SUCCEEDED
        self.outcome = self.outcome or (message.content or "")[:PREVIEW]

    def tell(self, event: Event) -> None:
        """Something happened to it."""
        match event:
            case CallSeen():
                self.parent_id = event.parent_call_id
                self.arguments = self.arguments or event.arguments_preview
            case CallArguments() if (
                not self.is_written
            ):  # else they are read whole, and the event tells what was before
                self.arguments = (self.arguments + event.text)[-PREVIEW:]
            case ToolCallStarted():
                self.doing = event.progress or self.doing
            case CallStateChanged():
                self.state, self.waiting_for, self.is_written = event.state, event.waiting_for, True
                if event.state is CallState.RUNNING and self.started_at is None:
                    self.started_at = event.at
            case CallProgressed():
                self.progress = event.progress
                self.doing = event.progress.message or self.doing
            case CallFinished():
                self.state, self.waiting_for = event.state, ()
                self.duration_ms = event.duration_ms if self.started_at is not None else None
                self.outcome, self.whole, self.is_written = _outcome(event.result), None, True
                self.attachments, self.stubbed = event.result.attachments, event.stubbed
            case _:
                pass


def _outcome(result: ToolResult) -> str:
    failure: ToolFailure | None = result.failure
    return failure.message if failure is not None else result.text[:PREVIEW]

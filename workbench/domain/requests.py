"""One model request as the store keeps it: what was asked by reference, what came back, each attempt, the cost."""

from __future__ import annotations

from enum import StrEnum

from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.agents import SideName
from workbench.domain.model_answers import FinishReason, ModelFailure, Usage
from workbench.domain.value import Value


class RequestState(StrEnum):
    """Where a request stands. All but the first are final."""

    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"


class Attempt(Value):
    """One try at one model. Times are microseconds since the epoch; `failure` None means that it answered."""

    model: str
    """The name of its definition."""
    provider: str
    model_id: str
    started_at: int
    first_delta_at: int | None = None
    ended_at: int | None = None
    failure: ModelFailure | None = None


class Request(Value):
    """A request for one step (T2). What was sent is kept beside it and can be built again, byte for byte."""

    id: RequestId
    thread_id: ThreadId
    side: SideName
    step: int
    prompt: str
    conversation: str
    """The side, and the prompts from its own down to this one."""
    state: RequestState
    created_at: int
    depth: int = 0
    parent_call_id: CallId | None = None
    """The call that a sub-prompt answers."""
    message_id: MessageId | None = None
    """The assistant message that came of it."""
    attempts: tuple[Attempt, ...] = ()
    usage: Usage | None = None
    reason: FinishReason | None = None
    failure: ModelFailure | None = None
    repairs: tuple[str, ...] = ()
    """What was changed in a copy of the history, so that it could be sent (T10)."""
    pieces: str = ""
    """In what pieces the answer came, as the engine's `Pieces` writes them; empty when that is not known."""

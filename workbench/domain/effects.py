"""An effect that was scheduled: when it is due, with what, and how it went."""

from __future__ import annotations

from enum import StrEnum

from workbench.base.ids import EffectId, ThreadId
from workbench.domain.value import Value


class EffectState(StrEnum):
    """Where a scheduled effect stands. The last four are final."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    AGENT_CANCELED = "agent_canceled"
    """By a tool of its thread."""
    USER_CANCELED = "user_canceled"
    """By a person."""


class EffectRun(Value):
    """Times are microseconds since the epoch. `arguments` is JSON text."""

    id: EffectId
    thread_id: ThreadId
    name: str
    arguments: str
    created_at: int
    due_at: int
    state: EffectState = EffectState.PENDING
    attempts: int = 0
    error: str = ""
    log: str = ""
    completed_at: int | None = None
    by_hand_at: int | None = None
    """When a person ran it before it was due."""
    replay_of: EffectId | None = None

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


MOST_ATTEMPTS = 3
"""How often an effect is begun: one that was under way when the program ended is run again (T16)."""

FINAL = frozenset(
    {EffectState.COMPLETED, EffectState.FAILED, EffectState.AGENT_CANCELED, EffectState.USER_CANCELED}
)


class EffectRun(Value):
    """Times are microseconds since the epoch. `arguments` is JSON text, `log` what the last attempt printed."""

    id: EffectId
    thread_id: ThreadId
    name: str
    arguments: str
    created_at: int
    due_at: int
    state: EffectState = EffectState.PENDING
    attempts: int = 0
    error: str = ""
    """Why it failed, or why its last attempt did not end."""
    log: str = ""
    started_at: int | None = None
    """When it was begun last."""
    completed_at: int | None = None
    by_hand_at: int | None = None
    """When a person ran it before it was due."""
    replay_of: EffectId | None = None

    def cut_off(self, now_us: int) -> EffectRun:
        """As it is when the program ended while it ran: to be run again, or given up after MOST_ATTEMPTS (T16)."""
        if self.attempts < MOST_ATTEMPTS:
            error = "Workbench ended while it ran; it is run again."
            return self.model_copy(update={"state": EffectState.PENDING, "error": error})
        error = f"Workbench ended while it ran, {self.attempts} times."
        return self.model_copy(update={"state": EffectState.FAILED, "error": error, "completed_at": now_us})

"""What all running threads share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from workbench.base.ids import CallId, ThreadId
from workbench.domain.threads import Thread
from workbench.engine.calls.running import RunningCall
from workbench.engine.models.attempts import ModelAttempts
from workbench.engine.services import Services

HOOK_SECONDS = 10.0
"""How long a hook may take; the run goes on without one that takes longer (T8)."""

QUIET_SECONDS = 60.0
"""How long nothing may be heard of a thread at work before it is said (T19)."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """`live` are the calls under way, of threads and bench. `person_attached`: somebody can answer questions;
    `approve`: what asks for an approval in this run has it beforehand, from whoever started it (C12)."""

    services: Services
    attempts: ModelAttempts
    recorded: ModelAttempts
    """What answers in a replay of recorded answers (T22)."""
    live: dict[CallId, RunningCall]
    person_attached: bool = False
    hook_seconds: float = HOOK_SECONDS
    quiet_seconds: float = QUIET_SECONDS
    approve: bool = False
    before_answers: dict[ThreadId, Callable[[ThreadId], Awaitable[None]]] = field(
        default_factory=dict[ThreadId, Callable[[ThreadId], Awaitable[None]]]
    )
    """By the root of a tree: what is awaited before an answer is kept in one of its threads."""

    def attempts_of(self, thread: Thread) -> ModelAttempts:
        """What asks for a thread."""
        is_recorded = thread.replay is not None and thread.replay.recorded_models
        return self.recorded if is_recorded else self.attempts

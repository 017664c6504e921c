"""The run that a call is part of, as its code sees it: whose turn it is, how far it came, and how to end it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Literal, Protocol

from workbench.authoring.record import Record


class AbortSignal(Protocol):
    """The wish that a run ends, in the words of the other language."""

    @property
    def aborted(self) -> bool: ...


class Execution(Protocol):
    """The run that a call is part of (T11). Counters are as they were when the call began; nothing here is awaited."""

    flow_id: str
    current_side: Literal["a", "b"]
    step_count: int
    """Model requests of the session, of both sides; of each side in its turn: the next two."""
    side_a_step_count: int
    side_b_step_count: int
    prompt_path: list[str]
    """The prompt at work: that of the side, then each sub-prompt down to this call."""
    abort_signal: AbortSignal

    @property
    def stopped(self) -> bool:
        """Whether the run is to end, as it stands now."""
        ...

    @property
    def stopped_by(self) -> Literal["a", "b"] | None:
        """The side whose code stopped it."""
        ...

    @property
    def message_history(self) -> list[Record]:
        """Every message of the thread as it is stored now, silent ones and those of sub-prompts too."""
        ...

    def force_turn(self, side: Literal["a", "b"]) -> Awaitable[None]:
        """Give the next turn to this side, when the turn under way has ended."""
        ...

    def stop(self) -> Awaitable[None]:
        """End the run after the call under way (T9)."""
        ...

"""What `state.run_code` gives: a handle to await, and how the run ended (X1, X2)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True)
class CodeResult:
    """How code ended. `error` holds name, message and stack, `logs` records of level and text."""

    status: Literal["success", "error", "memory_limit", "stack_overflow", "terminated", "never_settled"]
    result: Any = None
    error: Mapping[str, str] | None = None
    logs: Sequence[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    reports: Sequence[Any] = field(default_factory=list[Any])
    duration_ms: float = 0


class CodeExecution(Protocol):
    """A run that has begun: awaited in an `async` function, `result()` in a plain one."""

    def __await__(self) -> Generator[Any, Any, CodeResult]: ...

    def result(self) -> CodeResult:
        """Wait for the end in a plain function; what was handed over is called from here meanwhile."""
        ...

    @property
    def reports(self) -> AsyncIterator[Any]:
        """What the code reports, as it comes, until it ends."""
        ...

    def terminate(self, reason: str | None = None) -> None:
        """End the run, whatever it is doing."""
        ...

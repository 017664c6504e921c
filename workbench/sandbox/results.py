"""What a run of code ended with, and its form on the wire (X2)."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from workbench.sandbox.values import UNDEFINED, BigInt, Undefined

Status = Literal["success", "error", "memory_limit", "stack_overflow", "terminated", "never_settled"]


@dataclass(frozen=True, slots=True)
class CodeError:
    """Why code failed; `stack` holds the author's own frames, the rest the place, as far as it is known."""

    name: str
    message: str
    stack: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    cause: CodeError | None = None
    errors: tuple[CodeError, ...] = ()
    """What an AggregateError holds."""

    @property
    def causes(self) -> Iterator[CodeError]:
        """All that it came of, each before what that came of."""
        for one in (*self.errors, *([self.cause] if self.cause else ())):
            yield one
            yield from one.causes

    def to_json(self) -> dict[str, object]:
        """The wire's form: name, message, stack; cause and errors where there are such."""
        told: dict[str, object] = {"name": self.name, "message": self.message, "stack": self.stack}
        if self.errors:
            told["errors"] = [one.to_json() for one in self.errors]
        if self.cause:
            told["cause"] = self.cause.to_json()
        return told

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.message else self.name


@dataclass(frozen=True, slots=True)
class LogLine:
    """What one call of console wrote; `level` is log, info, warn, error or debug."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class CodeResult:
    """How a run ended (X2). `value` is UNDEFINED unless it succeeded with one.

    `reports` and `logs` hold the first of them, bounded in number and size; `reports_dropped` counts the rest.
    """

    status: Status
    value: object = UNDEFINED
    error: CodeError | None = None
    logs: tuple[LogLine, ...] = ()
    reports: tuple[object, ...] = ()
    duration_ms: float = 0
    reports_dropped: int = 0
    memory_bytes: int = 0

    def to_json(self, form: Callable[[object], object] | None = None) -> dict[str, object]:
        """The wire's form: status, result if there is one, error, logs, reports, durationMs.

        `form` makes JSON of a value of the code, `as_json` without one.
        """
        form = form or as_json
        told: dict[str, object] = {"status": self.status}
        if self.value is not UNDEFINED:
            told["result"] = form(self.value)
        if self.error is not None:
            told["error"] = self.error.to_json()
        told["logs"] = [{"level": line.level, "text": line.text} for line in self.logs]
        told["reports"] = [form(report) for report in self.reports]
        told["durationMs"] = round(self.duration_ms, 3)
        return told


def as_json(value: object) -> object:
    """A value of the sandbox as JSON.stringify would make it, but bytes as base64 and every integer exact."""
    if isinstance(value, Undefined):
        return None
    if isinstance(value, BigInt):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {key: as_json(item) for key, item in members.items() if item is not UNDEFINED}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_json(item) for item in cast("Sequence[object]", value)]
    return value

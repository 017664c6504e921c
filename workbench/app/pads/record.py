"""How a run of a code pad ended, as it is shown and kept (X2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from workbench.base.exact_json import JsonValue, dump
from workbench.base.masker import Masker
from workbench.domain.value import Value
from workbench.sandbox.results import CodeError, CodeResult, Status, as_json
from workbench.sandbox.values import UNDEFINED

_WORDS: Mapping[Status, str] = {
    "success": "Succeeded",
    "error": "Failed",
    "memory_limit": "Out of memory",
    "stack_overflow": "Nested too deeply",
    "terminated": "Stopped",
    "never_settled": "Waits for ever",
}
_HINTS: Mapping[Status, str] = {
    "memory_limit": "Hold less at a time; the ceiling is the same for every run.",
    "stack_overflow": "A function calls itself without an end, or data nests too deeply.",
    "never_settled": "Somewhere a promise is awaited that nothing resolves: a missing call of resolve, or of a tool.",
}


class PadError(Value):
    """Why code failed. `stack` holds the author's frames; `file`, `line` and `column` the place, 0 when unknown."""

    name: str
    message: str
    stack: str = ""
    file: str = ""
    line: int = 0
    column: int = 0


class PadOutput(Value):
    """Something that the code wrote: `level` is a level of console, or `report` and `text` is JSON."""

    level: str
    text: str


class PadRecord(Value):
    """`result_json` is None when the code gave no value, and when it did not succeed. Times are in microseconds since
    the epoch (`started_at`) and in milliseconds."""

    status: Status
    started_at: int
    duration_ms: float
    result_json: str | None = None
    errors: tuple[PadError, ...] = ()
    """The error, and then what caused it."""
    output: tuple[PadOutput, ...] = ()
    """What was written and reported, in its order, the first of it where it was too much."""
    reports_json: str = "[]"
    dropped: int = 0
    """Reports that were too many to be kept."""
    memory_bytes: int = 0

    @property
    def is_ok(self) -> bool:
        return self.status == "success"

    @property
    def words(self) -> str:
        """The status in words."""
        return _WORDS[self.status]

    @property
    def hint(self) -> str:
        """What to do about it, "" when its error says enough."""
        return _HINTS.get(self.status, "")


def record_of(
    result: CodeResult, masker: Masker, started_at: int, output: tuple[PadOutput, ...]
) -> PadRecord:
    """The record of a run, secrets masked (X3); blocks while there is much of it."""

    def text(value: object) -> str:
        return dump(masker.mask_json(cast("JsonValue", as_json(value))))

    errors: list[PadError] = []
    if result.error is not None:
        errors = [_error(one, masker.mask) for one in (result.error, *result.error.causes)]
    return PadRecord(
        status=result.status,
        started_at=started_at,
        duration_ms=result.duration_ms,
        result_json=None if result.value is UNDEFINED else text(result.value),
        errors=tuple(errors),
        output=output,
        reports_json=text(result.reports),
        dropped=result.reports_dropped,
        memory_bytes=result.memory_bytes,
    )


def _error(error: CodeError, mask: Callable[[str], str]) -> PadError:
    return PadError(
        name=error.name,
        message=mask(error.message),
        stack=mask(error.stack),
        file=error.file,
        line=error.line,
        column=error.column,
    )

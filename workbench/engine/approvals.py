"""Approvals: who must be asked before a call runs, and where the calls that wait for an answer are kept (C12)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from pydantic import field_validator

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue, dump
from workbench.base.ids import CallId
from workbench.domain.value import Value
from workbench.schema import CompiledSchema, compile_schema


class BreakRule(Value):
    """A person's rule that a call must be approved: always, for one tool, or where an argument matches.

    `argument` names a top-level argument; `pattern` is a regular expression searched in its text.
    """

    tool: str | None = None
    argument: str | None = None
    pattern: str | None = None

    @field_validator("pattern")
    @classmethod
    def _can_be_read(cls, pattern: str | None) -> str | None:
        if pattern is not None and compile_schema({"pattern": pattern}).notes:
            raise ValueError(f"{pattern} is not a regular expression")
        return pattern

    @cached_property
    def _schema(self) -> CompiledSchema:
        # The schema's engine decides every pattern at once; Python's own can take for ever and hold up all calls.
        return compile_schema({"type": "string", "pattern": self.pattern})

    def matches(self, tool: str, arguments: Mapping[str, JsonValue]) -> bool:
        """Whether the call must wait for this rule."""
        if self.tool is not None and self.tool != tool:
            return False
        if self.argument is None:
            return True
        if self.argument not in arguments:
            return False
        value = arguments[self.argument]
        return self.pattern is None or self._schema.is_valid(value if isinstance(value, str) else dump(value))

    def words(self) -> str:
        """The rule as it stands in a record."""
        if self.argument is not None:
            return f"break rule: {self.tool or 'any tool'} where {self.argument} matches {self.pattern or 'anything'}"
        return f"break rule: {self.tool}" if self.tool else "break rule: every call"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A person's answer. `arguments` is the edited JSON text, or None when the call runs as it came."""

    approved: bool
    by: str
    reason: str = ""
    arguments: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Waiting:
    answer: asyncio.Future[Verdict]
    check: Callable[[bytes], None]
    why: str


class Approvals:
    """The calls that wait for a person, and the rules that made them wait."""

    def __init__(self) -> None:
        self.rules: tuple[BreakRule, ...] = ()
        self._waiting: dict[CallId, _Waiting] = {}

    def breaking(self, tool: str, arguments: Mapping[str, JsonValue]) -> BreakRule | None:
        """The first rule that makes this call wait."""
        return next((rule for rule in self.rules if rule.matches(tool, arguments)), None)

    @contextmanager
    def asking(
        self, call_id: CallId, check: Callable[[bytes], None], why: str
    ) -> Generator[asyncio.Future[Verdict]]:
        """The answer to come; from here to the end of the block `decide` can give it.

        `check` raises UserError for edited arguments that cannot run; `why` says what asks.
        """
        waiting = _Waiting(asyncio.get_running_loop().create_future(), check, why)
        self._waiting[call_id] = waiting
        try:
            yield waiting.answer
        finally:
            del self._waiting[call_id]

    def why(self, call_id: CallId) -> str:
        """What asks for a yes to a call that waits for one, "" when it does not wait."""
        waiting = self._waiting.get(call_id)
        return "" if waiting is None else waiting.why

    def decide(self, call_id: CallId, verdict: Verdict) -> None:
        """Answer a waiting call.

        Raises UserError when the call does not wait, or when edited arguments are invalid; it then goes on waiting.
        """
        waiting = self._waiting.get(call_id)
        if waiting is None or waiting.answer.done():
            raise UserError("This call no longer waits for an approval.")
        if verdict.arguments is not None:
            waiting.check(verdict.arguments)
        waiting.answer.set_result(verdict)

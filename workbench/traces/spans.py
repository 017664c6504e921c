"""One span of a trace, free of any library, with ids that follow from what it tells of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from workbench.base.ids import CallId, RequestId

Attribute = str | int | float | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something at one moment of a span; `at` in microseconds since the epoch."""

    name: str
    at: int
    attributes: Mapping[str, Attribute]


@dataclass(frozen=True, slots=True)
class Span:
    """What one run, request or call did. Times are microseconds since the epoch; it has ended.

    The same row of the history always gives the same ids, so that handing it over twice makes no second span in a store
    that tells spans apart by them. `error` says how it failed. `call` is the call that it tells of; `asked` and
    `answered` are the requests whose question and whose answer are its contents.
    """

    trace_id: int
    span_id: int
    parent_id: int | None
    name: str
    began: int
    ended: int
    attributes: Mapping[str, Attribute]
    kind: Literal["internal", "client"] = "internal"
    error: str | None = None
    events: tuple[SpanEvent, ...] = ()
    call: CallId | None = None
    asked: RequestId | None = None
    answered: RequestId | None = None

    def masked(self, mask: Callable[[str], str]) -> Span:
        """With every text in it masked (V6): a secret may have become known after the history was kept."""
        return replace(
            self,
            name=mask(self.name),
            attributes=_masked(self.attributes, mask),
            error=None if self.error is None else mask(self.error),
            events=tuple(replace(event, attributes=_masked(event.attributes, mask)) for event in self.events),
        )


def _masked(attributes: Mapping[str, Attribute], mask: Callable[[str], str]) -> dict[str, Attribute]:
    return {name: mask(value) if isinstance(value, str) else value for name, value in attributes.items()}


def trace_id_of(what: str) -> int:
    """The 16 bytes of a trace that begins with this run or call."""
    return _bits(f"trace {what}", 16)


def span_id_of(what: str) -> int:
    """The 8 bytes of the span of this run, request or call."""
    return _bits(f"span {what}", 8)


def _bits(text: str, count: int) -> int:
    # Zero is no id; that a hash is all zeroes happens once in 2^64.
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:count]) or 1

"""Which spans were handed to the trace store lately, so that none goes there again; in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

LATE = 3600 * 1_000_000
"""Microseconds: what ended so long before the newest span counts as handed over. What ends is kept at once, so no span
comes that much later than another."""


class _Span(Protocol):
    @property
    def span_id(self) -> int: ...

    @property
    def ended(self) -> int:
        """In microseconds since the epoch."""
        ...


class HandedSpans:
    """Begins with all that ended before `since` (microseconds since the epoch)."""

    def __init__(self, since: int) -> None:
        self._since = since
        self._ended: dict[int, int] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._ended)

    def has(self, span: _Span) -> bool:
        return span.ended < self._since or span.span_id in self._ended

    def add(self, spans: Iterable[_Span]) -> None:
        """These were taken, and with them all that had ended."""
        self._ended |= {span.span_id: span.ended for span in spans}
        self._since = max(self._since, max(self._ended.values(), default=0) - LATE)
        self._ended = {one: ended for one, ended in self._ended.items() if ended >= self._since}

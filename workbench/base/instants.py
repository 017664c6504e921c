"""Instants as ISO 8601 writes them, compared without loss."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

_INSTANT = re.compile(
    r"(?P<date>[0-9W-]+)T(?P<time>[0-9]{2}:?[0-9]{2}(?::?[0-9]{2}(?:[.,](?P<fraction>[0-9]+))?)?)"
    r"(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """Whole seconds since the epoch and the fraction of the next one, with every digit that was written."""

    seconds: int
    fraction: Decimal


def read_instant(text: str) -> Instant | None:
    """The instant that a date, a time and a zone (`Z` or an offset) name; None for anything else."""
    found = _INSTANT.fullmatch(text)
    if found is None:
        return None
    whole = found["time"].partition(".")[0].partition(",")[0]
    try:
        moment = datetime.fromisoformat(f"{found['date']}T{whole}{found['zone']}")
        seconds = (moment - _EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None
    return Instant(seconds, Decimal(f"0.{found['fraction'] or 0}"))

"""How the runs and threads that a window begins are begun."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunMode:
    """Dry or for real (C10), and `as_of`, the ISO 8601 instant that bounds arguments in time, None for none (C11)."""

    dry_run: bool = False
    as_of: str | None = None

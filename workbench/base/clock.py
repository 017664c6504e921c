"""Time as a port: what the engine asks for the hour, so that a test can say what it is."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic time for durations."""

    def now_us(self) -> int:
        """Microseconds since the Unix epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now_us(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        return time.monotonic()

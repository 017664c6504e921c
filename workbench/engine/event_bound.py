"""How much one call may emit: a tool in an endless loop must not fill the disk with its events."""

from __future__ import annotations

EVENT_LIMIT = 20_000
"""Events that one call may emit; the rest is counted and dropped."""

EVENT_BYTES = 8 << 20
"""Bytes that the events of one call may hold together."""


class EventBound:
    """The account of one call."""

    def __init__(self) -> None:
        self._events = 0
        self._bytes = 0
        self._dropped = 0

    def admits(self, size: int) -> bool:
        """Whether one more event of so many bytes may be handed over; it counts as such."""
        if self._events >= EVENT_LIMIT or self._bytes + size > EVENT_BYTES:
            self._dropped += 1
            return False
        self._events += 1
        self._bytes += size
        return True

    @property
    def words(self) -> str:
        """What was dropped, as a line of the log; empty when nothing was."""
        if not self._dropped:
            return ""
        what = "event was" if self._dropped == 1 else "events were"
        return f"… {self._dropped:,} more {what} not kept.\n"

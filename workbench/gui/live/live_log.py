"""The newest lines of what a call printed and emitted: all that the live panel keeps of a log."""

from __future__ import annotations

KEPT_LINES = 500
"""Lines of a running call's log that the panel keeps; the whole is in the history."""
LONGEST_LINE = 2_000
"""Characters of a line that are kept: of one without an end, the newest."""


class LiveLog:
    """The lines in the order in which they came; each has a number, counted from the beginning of the log."""

    __slots__ = ("_open", "dropped", "lines", "size")

    def __init__(self) -> None:
        # Plain pairs of texts: a line that is an object of its own makes the collector slow with thousands of calls.
        self.lines: list[tuple[str, str]] = []
        """Source and text. A source is `stdout`, `stderr`, `log`, the name of an event, or "" for our own words."""
        self.size = 0
        """Characters that came in all."""
        self.dropped = 0
        """Lines that are no longer kept."""
        self._open = False
        """The last line has no end yet."""

    def line(self, number: int) -> tuple[str, str]:
        """A line by its number from the beginning; nothing for one that is not kept."""
        place = number - self.dropped
        return self.lines[place] if 0 <= place < len(self.lines) else ("", "")

    def add(self, source: str, text: str) -> None:
        """Take what was printed, which may end in the middle of a line."""
        self.size += len(text)
        lines = text.splitlines()
        if self._open and lines and self.lines[-1][0] == source:
            self.lines[-1] = source, (self.lines[-1][1] + lines.pop(0))[-LONGEST_LINE:]
        self.dropped += max(0, len(lines) - KEPT_LINES)
        self.lines += [(source, line[-LONGEST_LINE:]) for line in lines[-KEPT_LINES:]]
        self._open = bool(text) and not text.endswith(("\n", "\r"))
        self.keep(KEPT_LINES)

    def keep(self, most: int) -> None:
        """Let go of all but the newest lines."""
        surplus = max(0, len(self.lines) - most)
        del self.lines[:surplus]
        self.dropped += surplus

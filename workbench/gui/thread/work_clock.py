"""How long a thread has worked: as its history says, and what has come to it since that was read."""

from __future__ import annotations

import time
from collections.abc import Callable


class WorkClock:
    """Runs while the thread does and stands while it waits, so that it does not jump."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        """Gives seconds, and is never set back."""
        self._kept_ms = 0.0
        self._since: float | None = None
        """When it began to run."""
        self._was_told = False

    @property
    def milliseconds(self) -> float:
        return self._kept_ms + (0.0 if self._since is None else (self._now() - self._since) * 1000)

    def run(self, *, running: bool) -> None:
        """Let it go on, or stand."""
        if running and self._since is None:
            self._since = self._now()
        elif not running:
            self._kept_ms, self._since = self.milliseconds, None

    def take(self, worked_ms: float) -> None:
        """What the history says, until now: believed of a thread that rests; of one at work only at first."""
        if self._since is None or not self._was_told:
            self._kept_ms, self._was_told = worked_ms, True
            self._since = None if self._since is None else self._now()

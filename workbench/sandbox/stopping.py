"""Ends a run at any moment, from any thread, and never the next one: what could hold it up is told, then forgotten."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class Stopped(Exception):
    """The run was terminated while it was at this."""


class Stop:
    """One run's wish to end. Setting it calls every interrupt that is in force; later ones are refused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._interrupts: list[Callable[[], object]] = []
        self.reason: str | None = None

    @property
    def is_set(self) -> bool:
        return self.reason is not None

    def set(self, reason: str) -> bool:
        """Whether this was the first to ask; idempotent."""
        with self._lock:
            if self.reason is not None:
                return False
            self.reason = reason
            for interrupt in self._interrupts:
                interrupt()
            return True

    @contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Generator[None]:
        """While within, a stop calls `interrupt`, which must neither block nor raise. Raises Stopped when it is late.

        Once left, `interrupt` is not called any more: what it would end may belong to another run by then.
        """
        with self._lock:
            if self.reason is not None:
                raise Stopped
            self._interrupts.append(interrupt)
        try:
            yield
        finally:
            with self._lock:
                self._interrupts.remove(interrupt)


def wait_for(condition: threading.Condition, holds: Callable[[], bool], stop: Stop) -> None:
    """Wait on a condition that the caller has not entered until `holds()`, which may take what it finds.

    Raises Stopped, and only when it has not held.
    """
    held = False

    def wake() -> None:
        with condition:
            condition.notify_all()

    def is_over() -> bool:
        nonlocal held
        held = not stop.is_set and holds()
        return held or stop.is_set

    with stop.interrupting(wake), condition:
        condition.wait_for(is_over)
    if not held:
        raise Stopped

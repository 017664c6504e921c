"""Threads that runs run on: one for each, with a deep stack; a few that have nothing to do are kept for the next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

# Enough for the engine's own two MiB and what Python puts on top; the systems' defaults differ.
_STACK = 16 << 20
_IDLE = 4

_starting = threading.Lock()

Work = Callable[[], None]


class Threads:
    """Starting a thread takes as long as a fifth of a small run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Work | None]] = []
        self._is_closed = False

    def start(self, work: Work) -> None:
        """Do the work, which raises nothing, at once and beside all other."""
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            idle.put(work)
        else:
            _start(lambda: self._serve(work))

    def close(self) -> None:
        """Let go of what is idle; what works goes when it has done so."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for each in idle:
            each.put(None)

    def _serve(self, work: Work | None) -> None:
        own: SimpleQueue[Work | None] = SimpleQueue()
        while work is not None:
            work()
            work = None  # it holds a run and all that belongs to it
            with self._lock:
                if self._is_closed or len(self._idle) >= _IDLE:
                    return
                self._idle.append(own)
            work = own.get()


def _start(serve: Work) -> None:
    with _starting:
        before = threading.stack_size(_STACK)
        try:
            threading.Thread(target=serve, name="sandbox", daemon=True).start()
        finally:
            threading.stack_size(before)

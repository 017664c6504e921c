"""When the window is looked through for garbage: where nobody waits, rather than in the middle of work."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time

from PySide6.QtCore import QObject, QTimer

_YOUNG, _MIDDLE, _NEVER = 10_000, 20, 1_000_000
_DUE, _OVERDUE = 50, 1_000
"""Looks at what is young since the last look at everything, each 200,000 new values at most: enough for another
look when the window sleeps, and when it never does."""
_LOOK_MS = 1_000
_ASLEEP = 0.03
"""Seconds of work in such a time that a window does on its own."""


def keep() -> None:
    """What is there by now stays: looking through it again and again would hold up the window."""
    gc.collect()
    gc.freeze()


def let_go() -> None:
    """A window has gone: free what only held itself together, and keep the rest."""
    gc.unfreeze()
    keep()


class Upkeep(QObject):
    """Looks through everything when the thread that made this sleeps.

    By itself the interpreter does so in the middle of work, in whatever thread makes the next value, and all others
    wait for it: with a long conversation for a fifth of a second.
    """

    def __init__(self, parent: QObject, worked: Callable[[], float] = thread_time) -> None:
        super().__init__(parent)
        gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
        self._worked = worked
        """How long this thread has worked so far, in seconds."""
        self._before = worked()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Look through everything if there is much that is new and nobody waits, or far too much."""
        worked = self._worked()
        asleep = worked - self._before < _ASLEEP
        new = gc.get_count()[2]
        if (new >= _DUE and asleep) or new >= _OVERDUE:
            let_go()
            worked = self._worked()
        self._before = worked

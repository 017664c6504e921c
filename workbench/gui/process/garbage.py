"""When the window is looked through for garbage: in its own thread, and where nobody waits."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import thread_time

from PySide6.QtCore import QObject, QTimer

_YOUNG, _MIDDLE = 10_000, 20
"""New values from which they are looked through, and such looks from which what they left is, too."""
_DUE, _OVERDUE = 50, 1_000
"""Looks at what is young since the last look at everything, each 200,000 new values at least: enough for another
look when the window sleeps, and when it never does."""
_YOUNG_LOOK_MS = 200
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
    """Looks through what is new every now and then, and through everything when the thread that made this sleeps.

    By itself the interpreter does so in whatever thread makes the next value. There it would free widgets, too, which
    only their own thread may do: the process ends, or hangs. And it does so in the middle of work, with a long
    conversation for a fifth of a second.
    """

    def __init__(self, parent: QObject, worked: Callable[[], float] = thread_time) -> None:
        super().__init__(parent)
        gc.disable()
        self._worked = worked
        """How long this thread has worked so far, in seconds."""
        self._before = worked()
        for look, pause in ((self.look_at_young, _YOUNG_LOOK_MS), (self.look, _LOOK_MS)):
            timer = QTimer(self)
            timer.setInterval(pause)
            timer.timeout.connect(look)
            timer.start()

    def look_at_young(self) -> None:
        """Look through what is new if there is much of it."""
        young, middle, _ = gc.get_count()
        if young >= _YOUNG:
            gc.collect(1 if middle >= _MIDDLE else 0)

    def look(self) -> None:
        """Look through everything if there is much that is new and nobody waits, or far too much."""
        worked = self._worked()
        asleep = worked - self._before < _ASLEEP
        new = gc.get_count()[2]
        if (new >= _DUE and asleep) or new >= _OVERDUE:
            let_go()
            worked = self._worked()
        self._before = worked

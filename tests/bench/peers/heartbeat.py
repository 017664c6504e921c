"""Measures how long a window's thread stalls. As a process of its own it does so in a bare window: SECONDS.

Prints a line of JSON: the times between two heartbeats in milliseconds, and how many events were told meanwhile.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

BEAT_MS = 5
WARM_UP = 1.0
"""Seconds before the first beat."""


class Heart:
    """Beats in the window's thread; what keeps it from beating is a stall."""

    def __init__(self) -> None:
        self._gaps: list[float] = []
        self._last = perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._last = perf_counter()
        self._timer.start()

    def report(self, told: int = 0) -> None:
        """Print what was measured so far."""
        sys.stdout.write(json.dumps({"gaps": self._gaps, "told": told}) + "\n")
        sys.stdout.flush()

    def _beat(self) -> None:
        now = perf_counter()
        self._gaps.append((now - self._last) * 1_000)
        self._last = now


def main(seconds: float) -> None:
    app = QApplication(["bare"])
    window = QWidget()
    window.resize(1440, 900)
    window.show()
    heart = Heart()
    QTimer.singleShot(int(WARM_UP * 1_000), heart.start)
    QTimer.singleShot(int((WARM_UP + seconds) * 1_000), app.quit)
    app.exec()
    heart.report()


if __name__ == "__main__":
    main(float(sys.argv[1]))

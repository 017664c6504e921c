"""A process that tells the memory of a window that nothing happens in: `bare`, or Workbench's own on a PROJECT.

Prints the bytes in memory (`rss`), and without what other processes have mapped as well (`uss`), as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from time import perf_counter

import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

SETTLED = 2.0
"""Seconds after which what an opening window does is done."""


def report() -> None:
    used = psutil.Process().memory_full_info()
    sys.stdout.write(json.dumps({"rss": used.rss, "uss": used.uss}) + "\n")
    sys.stdout.flush()


def bare() -> None:
    app = QApplication(["bare"])
    window = QWidget()
    window.resize(1440, 900)
    window.show()
    QTimer.singleShot(int(SETTLED * 1_000), app.quit)
    app.exec()
    report()


def workbench(project: Path) -> None:
    from workbench.gui import app as program
    from workbench.gui.settings import WindowSettings
    from workbench.gui.style import theme
    from workbench.gui.window.windows import Windows

    app = program.make_application()
    settings = WindowSettings(project / "window.ini")
    theme.apply(app, settings.mode)

    async def scenario() -> None:
        window = Windows(settings).open(project)
        while window.workspace is None or window.workspace.tool is None:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        settled = perf_counter() + SETTLED
        while perf_counter() < settled:  # noqa: ASYNC110 – there is nothing to wait for: nothing is to happen
            await asyncio.sleep(0.05)
        report()
        window.end()
        await window.closed

    program.make_loop(app).run_until_complete(scenario())


if __name__ == "__main__":
    bare() if sys.argv[1:] == ["bare"] else workbench(Path(sys.argv[1]))
    os._exit(0)  # what Qt does on leaving is nobody's memory

"""The window's process: what is refused, what is set up before Qt, the loop that all windows share."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import sys
from pathlib import Path
from typing import NamedTuple, cast

import PySide6
from PySide6.QtWidgets import QApplication

from workbench.base.errors import UserError
from workbench.gui.process import garbage, text_size
from workbench.gui.process.ending import ended_by_signals
from workbench.gui.settings import WindowSettings
from workbench.gui.style import theme
from workbench.gui.window.windows import Windows

os.environ["QT_API"] = "pyside6"
import qasync

SWITCH_INTERVAL = 0.001
"""Seconds between two offers of the interpreter's lock: with the default the engine's work shows as stutter."""


def refuse_broken_qt(qt: str, python: tuple[int, ...]) -> None:
    """Raise UserError for the one Qt that ends the process by itself: 6.12.0 loses count of None before Python 3.12."""
    if qt == "6.12.0" and python < (3, 12):
        raise UserError(
            "PySide6 6.12.0 crashes on Python older than 3.12.",
            hint="Install another: pip install 'PySide6-Essentials>=6.11.3,<6.12'.",
        )


def main(project: Path) -> int:
    """Open a window on a project and stay until the last one is closed; returns the exit code."""
    refuse_broken_qt(PySide6.__version__, sys.version_info[:2])
    if sys.stderr is not None:
        faulthandler.enable()  # should Qt end the process, the terminal says where
    settings = WindowSettings()
    with text_size.drawn_at(settings.text_size):
        app = make_application()
    theme.apply(app, settings.mode)
    projects = settings.take_for_restart() or [project]
    with contextlib.closing(make_loop(app)) as loop:
        ended = loop.run_until_complete(_stay_open(projects, settings))
    if ended.starts_again:
        text_size.start_again()
    return ended.code


def make_application() -> QApplication:
    """Qt's application, set up as the window wants it."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Workbench")
    app.setDesktopFileName("workbench")
    app.setQuitOnLastWindowClosed(False)
    app.setStyle("Fusion")
    garbage.Upkeep(app)
    return app


def make_loop(app: QApplication) -> asyncio.AbstractEventLoop:
    """The loop that Qt and the windows' coroutines share."""
    loop = cast("asyncio.AbstractEventLoop", qasync.QEventLoop(app))
    asyncio.set_event_loop(loop)
    return loop


class _Ended(NamedTuple):
    code: int
    starts_again: bool


async def _stay_open(projects: list[Path], settings: WindowSettings) -> _Ended:
    """Give the exit code when the last window is closed. The first of the projects is in front."""
    windows = Windows(settings)
    with windows.reports.installed(), ended_by_signals(windows.end) as ending:
        for project in projects:
            windows.open(project)
        windows.open(projects[0])
        windows.open_left()
        await windows.all_closed
    return _Ended(ending.exit_code, starts_again=bool(windows.reopening) and ending.signal is None)

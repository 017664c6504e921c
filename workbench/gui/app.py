"""The window's process: what is refused, what is set up before Qt, the loop that both share, the hooks for bugs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import cast

import PySide6
from PySide6.QtWidgets import QApplication

from workbench.base.errors import BugError, UserError
from workbench.gui import theme
from workbench.gui.ending import ended_by_signals
from workbench.gui.notices import of_error
from workbench.gui.settings import WindowSettings
from workbench.gui.window import Window

os.environ["QT_API"] = "pyside6"
import qasync

SWITCH_INTERVAL = 0.001
"""Seconds between two offers of the interpreter's lock: with the default the engine's work shows as stutter."""

_log = logging.getLogger(__name__)


def refuse_broken_qt(qt: str, python: tuple[int, ...]) -> None:
    """Raise UserError for the one Qt that ends the process by itself: 6.12.0 loses count of None before Python 3.12."""
    if qt == "6.12.0" and python < (3, 12):
        raise UserError(
            "PySide6 6.12.0 crashes on Python older than 3.12.",
            hint="Install another: pip install 'PySide6-Essentials>=6.11.3,<6.12'.",
        )


def main(project: Path) -> int:
    """Open the window on a project and stay until it is closed; returns the exit code."""
    refuse_broken_qt(PySide6.__version__, sys.version_info[:2])
    app = make_application()
    settings = WindowSettings()
    theme.apply(app, settings.mode)
    with contextlib.closing(make_loop(app)) as loop:
        return loop.run_until_complete(_windows(project, settings))


def make_application() -> QApplication:
    """Qt's application, set up as the window wants it."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Workbench")
    app.setDesktopFileName("workbench")
    app.setQuitOnLastWindowClosed(False)
    app.setStyle("Fusion")
    return app


def make_loop(app: QApplication) -> asyncio.AbstractEventLoop:
    """The loop that Qt and the window's coroutines share."""
    loop = cast("asyncio.AbstractEventLoop", qasync.QEventLoop(app))
    asyncio.set_event_loop(loop)
    return loop


async def _windows(project: Path, settings: WindowSettings) -> int:
    """One window after another: opening another project closes this one first. Gives the exit code."""
    following: Path | None = project
    code = 0
    while following is not None:
        window = Window(following, settings)
        _install_hooks(window)
        window.show()
        with ended_by_signals(window.end) as ending:
            following = await window.closed
        code = ending.exit_code
    return code


def _install_hooks(window: Window) -> None:
    """A bug in a slot or a task is shown with its details to copy; the window lives on."""

    def show(detail: str) -> None:
        _log.error("A bug in the window:\n%s", detail)
        window.notices.say(of_error(BugError("Something went wrong in Workbench.", detail=detail)))

    def on_slot(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        show("".join(traceback.format_exception(kind, error, trace)))

    def on_task(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        trace = "".join(traceback.format_exception(error)) if isinstance(error, BaseException) else ""
        show(f"{context.get('message')}\n{trace}")

    sys.excepthook = on_slot
    asyncio.get_running_loop().set_exception_handler(on_task)

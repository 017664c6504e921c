"""A bug of Workbench itself, from whatever thread or loop: told once, in one dialog, with its details to copy."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Generator
from types import TracebackType
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from workbench.gui.process.crash_dialog import CrashDialog

_log = logging.getLogger(__name__)


class CrashReports(QObject):
    """Hears of every exception that nobody took. `window` says over which window the dialog opens."""

    _heard = Signal(str)

    def __init__(self, window: Callable[[], QWidget | None]) -> None:
        super().__init__()
        self._window = window
        self._known = set[str]()
        self.dialog: CrashDialog | None = None
        self.heard = 0
        """How many faults there were, told or not."""
        self._heard.connect(self._show, Qt.ConnectionType.QueuedConnection)

    @contextlib.contextmanager
    def installed(self) -> Generator[None]:
        """While inside, the exceptions of slots, threads and the running loop's tasks come here."""
        loop = asyncio.get_running_loop()
        before = sys.excepthook, threading.excepthook, loop.get_exception_handler()
        sys.excepthook, threading.excepthook = self._on_slot, self._on_thread
        loop.set_exception_handler(self._on_task)
        try:
            yield
        finally:
            sys.excepthook, threading.excepthook = before[:2]
            loop.set_exception_handler(before[2])

    def show(self, trace: str) -> None:
        """Tell of a fault, from any thread; one that was told of before is only counted."""
        if trace not in self._known:
            _log.error("A bug of Workbench:\n%s", trace)
        self._heard.emit(trace)

    def _on_slot(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self.show("".join(traceback.format_exception(kind, error, trace)))

    def _on_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_slot(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_task(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        trace = "".join(traceback.format_exception(error)) if isinstance(error, BaseException) else ""
        self.show(f"{context.get('message')}\n{trace}")

    def _show(self, trace: str) -> None:
        self.heard += 1
        dialog = self.dialog if self.dialog is not None and shiboken6.isValid(self.dialog) else None
        if trace in self._known:
            if dialog is not None:
                dialog.count()
            return
        self._known.add(trace)
        if dialog is not None:
            dialog.add(trace)
            return
        window = self._window()
        if window is not None:
            from workbench.gui.process.crash_dialog import CrashDialog

            self.dialog = CrashDialog(window, trace)
            self.dialog.open()

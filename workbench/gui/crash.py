"""A bug of Workbench itself, from whatever thread or loop: told once, in one dialog, with its details to copy."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import logging
import platform
import sys
import threading
import traceback
from collections.abc import Callable, Generator
from types import TracebackType

import PySide6
import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.gui import amounts, theme
from workbench.gui.asking import Ask
from workbench.gui.controls import Kind, Words
from workbench.gui.texts import TextView

_MOST_SHOWN = 20
"""Different faults that a dialog shows; what comes after them is only counted."""
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
            self.dialog = CrashDialog(window, trace)
            self.dialog.open()


class CrashDialog(Ask):
    """What went wrong, to copy; what goes wrong while it is open is added to it."""

    def __init__(self, parent: QWidget, trace: str) -> None:
        super().__init__(
            parent,
            "Something went wrong in Workbench",
            "This is a mistake of Workbench, not yours. What you typed is kept, and you can go on.",
            width=640,
        )
        self._traces: list[str] = []
        self.counted = 0
        """How many faults there were while it is open."""
        self._text = TextView(name="Details", most_lines=14, on_window=False)
        self._so_far = Words("", "ink2", theme.small())
        self.body.addWidget(self._text)
        self.body.addWidget(self._so_far)
        (self.copy_button,) = self.offer(("Copy details", Kind.PRIMARY, self._copy), leave="Close")
        self.copy_button.setFocus()
        self.add(trace)

    @property
    def details(self) -> str:
        """All that is to be reported."""
        return "\n".join((_surroundings(), *self._traces))

    def add(self, trace: str) -> None:
        """Show a fault that was not seen before."""
        if len(self._traces) < _MOST_SHOWN:
            self._traces.append(trace)
            self._text.show_text(self.details)
        self.count()

    def count(self) -> None:
        """It happened once more."""
        self.counted += 1
        self._so_far.set_words("" if self.counted == 1 else f"{amounts.count(self.counted, 'fault')} so far")

    def _copy(self) -> None:
        from workbench.gui.sections import copy

        copy(self.details)


def _surroundings() -> str:
    try:
        version = importlib.metadata.version("agent-tool-workbench")
    except importlib.metadata.PackageNotFoundError:
        version = "from source"
    python = platform.python_version()
    return f"Workbench {version}, Python {python}, PySide6 {PySide6.__version__}, {platform.platform()}\n"

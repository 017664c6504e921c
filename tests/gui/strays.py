"""Widgets that become windows of their own: one that is shown before it has a parent takes the focus away."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QMenu, QWidget

from workbench.gui.commands.palette import Palette
from workbench.gui.window.window import Window

_MEANT = (Window, QDialog, QDockWidget, QMenu, Palette)


class _Strays(QObject):
    def __init__(self, meant: tuple[type[QWidget], ...]) -> None:
        super().__init__()
        self.seen: list[str] = []
        self._meant = (*_MEANT, *meant)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 – Qt's name
        shown = event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow()
        if shown and not isinstance(watched, self._meant):
            self.seen.append(repr(watched))
        return False


@contextmanager
def no_strays(*meant: type[QWidget]) -> Generator[None]:
    """Fail at the end if anything else was shown as a window than what is one, or is `meant` to be."""
    strays = _Strays(meant)
    app = QApplication.instance()
    assert app is not None
    app.installEventFilter(strays)
    try:
        yield
    finally:
        app.removeEventFilter(strays)
    assert strays.seen == []

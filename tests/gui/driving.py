"""How a test drives the window: coroutines run on Qt's own loop, every wait is for a condition and has an end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TypeVar, cast

import qasync
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

T = TypeVar("T")


class Ui:
    """Runs a test's coroutine on the window's loop."""

    def __init__(self, loop: qasync.QEventLoop) -> None:
        self._loop = loop

    def run(self, work: Coroutine[object, object, T], seconds: float = 100) -> T:
        loop = cast("asyncio.AbstractEventLoop", self._loop)
        asyncio.set_event_loop(loop)
        try:
            return loop.run_until_complete(asyncio.wait_for(work, seconds))
        finally:
            asyncio.set_event_loop(None)


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until a condition holds; TimeoutError when it never does."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 – a test looks at a window from outside, which has no event to wait for
            await asyncio.sleep(0.01)


def move_pointer(widget: QWidget, place: QPoint, held: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """Move the pointer over a widget, as far as the widget is told; the window need not be in front for it."""
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        held,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)

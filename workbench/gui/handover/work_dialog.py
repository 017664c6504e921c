"""Long work that a person asked for: how far it is, and a way to stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import shiboken6
from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.calls import Progress
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import paint, theme

_SHOWN_AFTER_MS = 400
"""What takes less is done before anybody could read it."""
_LOOK_MS = 150
_BAR = 6


class WorkDialog(Ask):
    """Shown when the work takes a moment. Leaving it stops the work, which then leaves nothing.

    `look` gives how far it is, in the engine's thread.
    """

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        title: str,
        words: str,
        look: Callable[[], Progress | None],
    ) -> None:
        super().__init__(parent, title, words, width=480)
        self._session = session
        self._look = look
        self._task: asyncio.Task[object] | None = None
        self.was_stopped = False
        self.bar = _Bar()
        self.body.addWidget(self.bar)
        self.offer(leave="Stop")
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.open)
        self._later.start(_SHOWN_AFTER_MS)
        self._looks = QTimer(self)
        self._looks.timeout.connect(lambda: session.do(self._show(), self))
        self._looks.start(_LOOK_MS)
        self.rejected.connect(self._stop)

    async def ended(self, work: Awaitable[object]) -> None:
        """Wait for the work, which `reject` cancels; the dialog goes with it. Raises what the work raised."""
        self._task = asyncio.ensure_future(_awaited(work))
        try:
            await self._task
        finally:
            if shiboken6.isValid(self):
                self._later.stop()
                self.accept()
                self.deleteLater()

    def _stop(self) -> None:
        self.was_stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _show(self) -> None:
        progress = await self._session.ask(lambda _: self._look())
        if progress is not None:
            self.bar.show_fraction(progress.fraction or 0)


class _Bar(QWidget):
    """How much of the work is done."""

    def __init__(self) -> None:
        super().__init__()
        self.fraction = 0.0
        self.setFixedHeight(_BAR)
        self.setAccessibleName("Not begun")

    def show_fraction(self, fraction: float) -> None:
        self.fraction = fraction
        self.setAccessibleName(f"{round(fraction * 100)} percent done")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(100, _BAR)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint.box(painter, QRectF(self.rect()), edge="hair", ground="hover")
        done = QRectF(0, 0, self.width() * self.fraction, self.height())
        painter.fillRect(done, theme.colour("run"))


async def _awaited(work: Awaitable[object]) -> object:
    return await work

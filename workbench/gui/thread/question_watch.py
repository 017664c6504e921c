"""Which threads wait for a person to answer as their model: told to the window, so that none is overlooked."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from workbench.app.threads.model_desk import OpenQuestion
from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.gui.session.session import Session


class QuestionWatch(QObject):
    """`changed` when `waiting` has other threads in it."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.waiting: tuple[ThreadId, ...] = ()
        """Those that waited longest come first."""
        session.changed.connect(self._follow)

    def _follow(self, changes: Changes) -> None:
        if changes.questions:
            self._session.do(self._look(), self)

    async def _look(self) -> None:
        found: tuple[OpenQuestion, ...] = await self._session.ask(lambda wb: wb.models.questions())
        waiting = tuple(dict.fromkeys(one.thread_id for one in found if one.thread_id is not None))
        if waiting != self.waiting:
            self.waiting = waiting
            self.changed.emit()

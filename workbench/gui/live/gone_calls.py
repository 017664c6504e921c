"""Calls that are no longer in the history leave the live panel: deleted here, by another process, or for their age."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from workbench.base.ids import CallId
from workbench.domain.changes import Changes
from workbench.gui.live.live_model import LiveModel
from workbench.gui.session.session import Session

_SOON_MS = 500
"""After a change that may have taken some; many are answered by one look."""
_PAGE = 500


class GoneCalls(QObject):
    """Looks when the store is another; `look` asks for it."""

    def __init__(self, session: Session, model: LiveModel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._model = model
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(lambda: session.do(self._look(), self))
        session.changed.connect(self._changed)

    def look(self) -> None:
        """Look soon."""
        if not self._soon.isActive():
            self._soon.start()

    def _changed(self, changes: Changes) -> None:
        if changes.history:
            self.look()

    async def _look(self) -> None:
        ended = [row for row in self._model.calls() if row.state.is_final]
        if ended:
            there = await self._since(min(row.seen_at for row in ended))
            self._model.forget([row.call_id for row in ended if row.call_id not in there])

    async def _since(self, moment: int) -> set[CallId]:
        """The calls of the history from a moment on (microseconds since the epoch), and some before."""
        found, key = set[CallId](), None
        while True:
            page = await self._session.ask(lambda wb, key=key: wb.calls(limit=_PAGE, key=key))
            found |= {row.id for row in page.rows}
            key = page.next_key
            if key is None or page.rows[-1].created_at < moment:
                return found

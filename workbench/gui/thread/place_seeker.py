"""Going to a place of a conversation that may not be read yet, or lies folded inside of a call."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.app.conversation.said import Said
from workbench.base.ids import CallId, MessageId
from workbench.gui.thread.conversation_page import ConversationPage


class PlaceSeeker(QObject):
    """Older pages come by themselves: with each of them it looks again, until it was there."""

    def __init__(self, page: ConversationPage, message_id: MessageId, call_id: CallId | None) -> None:
        super().__init__(page)
        self._page = page
        self._message_id = message_id
        self._call_id = call_id
        self._is_done = False
        page.model.changed.connect(self._look)
        self._look()

    def _look(self) -> None:
        said = self._page.model.conversation.find(self._message_id)
        if said is None or self._is_done:
            return
        self._is_done = True
        self._page.model.changed.disconnect(self._look)
        self._open_around(said)
        if self._call_id is None or not self._page.show_call(self._call_id):
            self._page.show_message(said)
        self.deleteLater()

    def _open_around(self, said: Said) -> None:
        """Unfold the calls that it was said inside of, and the silent messages if it is one."""
        around = said.inside
        while around is not None:
            self._page.expand(around, expanded=True)
            around = around.owner.inside if around.owner is not None else None
        if said.is_silent:
            self._page.model.unfold_silent(said)

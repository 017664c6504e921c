"""Where an open project's notices are posted: who listens hears them, and at once what was said and still stands."""

from __future__ import annotations

import logging
from collections.abc import Callable

from workbench.app.notices import Notice, notice_of_masking
from workbench.engine.bus import Unsubscribe
from workbench.engine.variables import Variables

_log = logging.getLogger(__name__)


class NoticeBoard:
    """Belongs to an open project and to its loop."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._listeners: list[Callable[[Notice], None]] = []
        self._standing: dict[str, Notice] = {}
        self._not_masked: tuple[str, ...] = ()

    def listen(self, on_notice: Callable[[Notice], None]) -> Unsubscribe:
        """Hear each notice, first those that stand; `on_notice` must be quick."""
        self._listeners.append(on_notice)
        for notice in self._standing.values():
            on_notice(notice)
        return lambda: self._listeners.remove(on_notice)

    def post(self, notice: Notice) -> None:
        """Tell whoever listens, now and later if it has a key."""
        _log.info("%s: %s", notice.level, notice.message)
        if notice.key:
            self._standing[notice.key] = notice
        for listener in tuple(self._listeners):
            listener(notice)

    def tell_of_masking(self) -> None:
        """Say once which secrets are not hidden in what is kept, and once that they are again (V6)."""
        unread = self._variables.unread
        if unread != self._not_masked:
            self._not_masked = unread
            self.post(notice_of_masking(unread))
            if not unread:
                del self._standing["not-masked"]

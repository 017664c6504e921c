"""Modules that only some documents need, loaded one after another once the window is there.

To load them all when the first such document opens would hold up the window for longer than a person overlooks.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

_PAUSE_MS = 60
_THREAD = "workbench.gui.thread"
OF_THREADS = (
    "workbench.app.conversation.conversation",
    f"{_THREAD}.conversation_paint",
    f"{_THREAD}.conversation_model",
    f"{_THREAD}.conversation_view",
    f"{_THREAD}.conversation_page",
    f"{_THREAD}.answer_panel",
    f"{_THREAD}.thread_panel",
    f"{_THREAD}.thread_document",
    "workbench.app.runs.timeline",
    f"{_THREAD}.timeline_canvas",
    f"{_THREAD}.timeline_view",
    "workbench.app.runs.request_changes",
    f"{_THREAD}.requests_list",
    f"{_THREAD}.request_detail",
    f"{_THREAD}.requests_view",
    f"{_THREAD}.files_view",
    f"{_THREAD}.pages",
    f"{_THREAD}.start_thread",
)
"""What a thread's document is made of, what others need first."""


class LoadingAhead(QObject):
    """Goes when all are there."""

    def __init__(self, parent: QObject, modules: Sequence[str] = OF_THREADS) -> None:
        super().__init__(parent)
        self._modules = list(modules)
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._load_one)
        self._timer.start()

    def _load_one(self) -> None:
        if self._modules:
            importlib.import_module(self._modules.pop(0))
        else:
            self.deleteLater()

"""Images of a conversation: read when a row of theirs is first seen, kept small."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage, QPixmap

from workbench.base.errors import WorkbenchError
from workbench.base.ids import ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.gui.session.session import Session

TALLEST, WIDEST = 220, 480
_LARGEST = 40_000_000
"""Bytes of a file that is still shown as a picture."""


class Pictures(QObject):
    """Pixmaps by path; `came` when one is there or cannot be."""

    came = Signal()

    def __init__(self, session: Session, thread_id: ThreadId, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._thread_id = thread_id
        self._there: dict[str, QPixmap | None] = {}

    def height(self, ref: AttachmentRef) -> int:
        """Pixels of the row that shows it."""
        width, height = ref.width or WIDEST, ref.height or TALLEST // 2
        return round(height * min(1.0, TALLEST / height, WIDEST / width)) + 8

    def get(self, ref: AttachmentRef) -> QPixmap | None:
        """The picture, when it is there; asking for it fetches it."""
        if ref.path not in self._there:
            self._there[ref.path] = None
            if ref.size <= _LARGEST:
                self._session.do(self._fetch(ref), self)
        return self._there[ref.path]

    async def _fetch(self, ref: AttachmentRef) -> None:
        thread_id = self._thread_id
        try:
            data = await self._session.ask(lambda wb: wb.read_file(thread_id, ref.path))
        except WorkbenchError:
            return  # the row above it still names the file
        image = QImage.fromData(data)
        if image.isNull():
            return
        mode = Qt.TransformationMode.SmoothTransformation
        if image.width() > WIDEST or image.height() > TALLEST:
            image = image.scaled(WIDEST, TALLEST, Qt.AspectRatioMode.KeepAspectRatio, mode)
        self._there[ref.path] = QPixmap.fromImage(image)
        self.came.emit()

"""A file that a result carries, with the picture itself when it is one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from workbench.base.errors import WorkbenchError
from workbench.base.ids import ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.gui import lane
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.sections import quiet
from workbench.gui.controls.words import Words
from workbench.gui.results.image_view import read_picture
from workbench.gui.results.saving import save_as
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import ROW

_TALLEST = 4
"""A picture is at most so many times as high as it may be wide."""


class Attachment(QWidget):
    """A file that a result carries: its name and size, the picture itself when it is one, and a way to keep it."""

    def __init__(
        self, session: Session, thread_id: ThreadId, ref: AttachmentRef, *, gutter: int, widest: int
    ) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._ref = ref
        self._widest = widest
        is_image = ref.mime_type.startswith("image/")
        save = quiet("Save…")
        save.clicked.connect(lambda: session.do(self._save(), self))
        size = amounts.size(ref.size)
        if ref.width and ref.height:
            size += f", {ref.width:,} × {ref.height:,}"
        name = Words(ref.name, font=theme.data(), icon="image" if is_image else "file")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(gutter, 0, gutter, 4)
        layout.setSpacing(4)
        layout.addWidget(line_of(name, Words(size, "ink2", theme.small()), None, save, height=ROW))
        self._picture = QLabel()
        self._picture.setAccessibleName(ref.description or ref.name)
        self._picture.hide()
        layout.addWidget(self._picture)
        if is_image:
            session.do(self._load(), self)

    async def _bytes(self) -> bytes:
        thread_id, path = self._thread_id, self._ref.path
        return await self._session.ask(lambda wb: wb.read_file(thread_id, path))

    async def _save(self) -> None:
        save_as(self, self._ref.name, await self._bytes())

    async def _load(self) -> None:
        data, widest = await self._bytes(), self._widest
        lane.start(self, lambda _: _small(data, widest), self._show, self._say)

    def _show(self, image: QImage) -> None:
        self._picture.setPixmap(QPixmap.fromImage(image))
        self._picture.show()

    def _say(self, error: WorkbenchError) -> None:
        self._picture.setText(error.message)
        self._picture.show()


def _small(data: bytes, widest: int) -> QImage:
    """A picture that is at most so many pixels wide and high. Raises UserError with what is wrong with it."""
    image = read_picture(data).image
    bound = QSize(widest, widest * _TALLEST)
    if image.width() <= bound.width() and image.height() <= bound.height():
        return image
    size = image.size().scaled(bound, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))
    mode = Qt.AspectRatioMode.IgnoreAspectRatio
    return image.scaled(size, mode, Qt.TransformationMode.SmoothTransformation)

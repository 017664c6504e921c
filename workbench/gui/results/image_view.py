"""A picture: fitted or at its own size, with what it is in words; one that is too big or broken is told, not drawn."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QVBoxLayout, QWidget

from workbench.base.errors import UserError, WorkbenchError
from workbench.gui import lane
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

_LONGEST_SIDE = 4_096
"""Pixels of the longer side beyond which a picture is read smaller than it is."""
_MOST_PIXELS = 400_000_000
_MOST_MEGABYTES = 512
_SQUARE = 8

FORMATS = ("png", "jpeg", "jpg", "gif", "bmp", "webp", "ico", "ppm", "pgm", "pbm", "xbm", "xpm", "tiff")
"""What is drawn. SVG is not: it may name files of this machine, so it is shown as the text that it is."""


class Picture(NamedTuple):
    """What was read: the image (smaller than `size` when it was too big), its own size and its kind."""

    image: QImage
    size: QSize
    kind: str


def read_picture(data: bytes) -> Picture:
    """Read a picture from its bytes. Raises UserError with what is wrong with it."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    kind = bytes(reader.format().data()).decode("ascii", "replace")
    if kind not in FORMATS:
        what = (
            f"{kind.upper()} pictures are not drawn."
            if kind
            else "These bytes are no picture that can be read."
        )
        raise UserError(what, hint="Save the file to open it elsewhere.")
    size = reader.size()
    if size.width() * size.height() > _MOST_PIXELS:
        shown = f"{size.width():,} × {size.height():,}"
        raise UserError(
            f"The picture is too large to draw: {shown} pixels.", hint="Save the file to open it elsewhere."
        )
    reader.setAllocationLimit(_MOST_MEGABYTES)
    if max(size.width(), size.height()) > _LONGEST_SIDE:
        bound = size.scaled(_LONGEST_SIDE, _LONGEST_SIDE, Qt.AspectRatioMode.KeepAspectRatio)
        reader.setScaledSize(bound.expandedTo(QSize(1, 1)))
    image = reader.read()
    if image.isNull():
        raise UserError(f"The picture cannot be read: {reader.errorString()}.")
    return Picture(image, size if size.isValid() else image.size(), kind)


class _Canvas(QAbstractScrollArea):
    """Draws the picture over a quiet chequer that shows where it is clear."""

    def __init__(self) -> None:
        super().__init__()
        self.image = QImage()
        self.own = QSize()
        self.fit = True
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)
        self.viewport().setAutoFillBackground(True)

    def show_image(self, image: QImage, own: QSize) -> None:
        self.image = image
        self.own = own
        self.lay_out()

    def target(self) -> QRect:
        """Where the picture lies in the viewport."""
        room = self.viewport().rect().adjusted(DOCUMENT_GUTTER, 12, -DOCUMENT_GUTTER, -12)
        size = QSize(self.own)
        if self.fit and (size.width() > room.width() or size.height() > room.height()):
            size.scale(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left = room.left() - self.horizontalScrollBar().value()
        return QRect(left, room.top() - self.verticalScrollBar().value(), size.width(), size.height())

    def lay_out(self) -> None:
        room = self.viewport().size() - QSize(2 * DOCUMENT_GUTTER, 24)
        beyond = QSize(0, 0) if self.fit else self.own - room
        self.horizontalScrollBar().setRange(0, max(beyond.width(), 0))
        self.horizontalScrollBar().setPageStep(room.width())
        self.verticalScrollBar().setRange(0, max(beyond.height(), 0))
        self.verticalScrollBar().setPageStep(room.height())
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.image.isNull():
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        target = self.target()
        if self.image.hasAlphaChannel():
            self._chequer(painter, target.intersected(self.viewport().rect()))
        painter.drawImage(target, self.image)
        painter.setPen(theme.colour("hair"))
        painter.drawRect(target.adjusted(-1, -1, 0, 0))
        painter.end()

    def _chequer(self, painter: QPainter, rect: QRect) -> None:
        painter.fillRect(rect, theme.colour("field"))
        for y in range(rect.top(), rect.bottom() + 1, _SQUARE):
            for x in range(rect.left() + (y - rect.top()) % (2 * _SQUARE), rect.right() + 1, 2 * _SQUARE):
                painter.fillRect(QRect(x, y, _SQUARE, _SQUARE).intersected(rect), theme.colour("hover"))


class ImageView(QWidget):
    """Shows one picture, read beside the window."""

    def __init__(self) -> None:
        super().__init__()
        self._job: lane.Job | None = None
        self.said = Words("", "ink2", theme.small())
        self.canvas = _Canvas()
        self._size = Segments(["Fit", "100 %"], 0, name="Size of the picture")
        self._size.chosen.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(
            line_of(
                self.said, None, self._size, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0), height=HEADER
            )
        )
        layout.addWidget(Hairline())
        layout.addWidget(self.canvas, 1)
        self.setFocusProxy(self.canvas)

    def show_bytes(self, data: bytes, name: str = "Picture") -> None:
        """Read and show a picture."""
        if self._job is not None:
            self._job.stop()
        self.canvas.setAccessibleName(name)
        self.say("Reading…", None)

        def failed(error: WorkbenchError) -> None:
            self.canvas.show_image(QImage(), QSize())
            self.say(str(error), Mark.FAILED)

        self._job = lane.start(
            self, lambda _: read_picture(data), lambda it: self._show(it, len(data)), failed
        )

    def say(self, words: str, mark: Mark | None) -> None:
        self.said.set_words(words, role="err" if mark is Mark.FAILED else "ink2")
        self.said.set_mark(mark)

    def _show(self, picture: Picture, count: int) -> None:
        self.canvas.show_image(picture.image, picture.size)
        words = f"{picture.kind.upper()}, {picture.size.width():,} × {picture.size.height():,}, {amounts.size(count)}"
        if picture.image.size() != picture.size:
            words += ", drawn from a smaller copy"
        self.say(words, None)

    def _choose(self, at: int) -> None:
        self.canvas.fit = at == 0
        self.canvas.lay_out()

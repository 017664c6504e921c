"""An exported history that is dropped on the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from workbench.app.handover.archive import SUFFIX


class FileDrop(QObject):
    """Takes what no part of the widget takes for itself, such as the box that attaches files."""

    dropped = Signal(object)
    """The `Path` of an archive."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)
        if event.type() not in kinds or not isinstance(event, QDropEvent):
            return super().eventFilter(watched, event)
        file = _archive_in(event.mimeData())
        if file is None:
            return super().eventFilter(watched, event)
        event.acceptProposedAction()
        if event.type() is QEvent.Type.Drop:
            self.dropped.emit(file)
        return True


def _archive_in(data: QMimeData) -> Path | None:
    """The one archive that is dragged; None for anything else."""
    urls = data.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    file = Path(urls[0].toLocalFile())
    return file if file.suffix.lower() == SUFFIX else None

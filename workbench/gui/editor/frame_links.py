"""Frames in a shown text as links to their lines: by the mouse, and by Enter where the caret stands."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from workbench.app.source.frames import FrameLink, frames_in
from workbench.app.source.utf16 import Utf16
from workbench.gui.controls.texts import exact_text
from workbench.gui.style import theme

_MOST = 300
"""Links that are drawn in one text; more would hold up the window."""


class FrameLinks(QObject):
    """Goes with a read-only text; `opened` tells path (relative to the project), line, and column or 0."""

    opened = Signal(str, int, int)

    def __init__(self, view: QPlainTextEdit, root: Path) -> None:
        super().__init__(view)
        self._view = view
        self._root = root
        self.links: list[FrameLink] = []
        self._places = Utf16("")
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)
        view.installEventFilter(self)
        view.textChanged.connect(self._look)
        self._look()

    def link_at(self, place: int) -> FrameLink | None:
        """The link that a place of the document, in Qt's counting, belongs to."""
        here = self._places.place(place)
        return next((link for link in self.links if link.start <= here <= link.end), None)

    def _look(self) -> None:
        text = exact_text(self._view.document())
        self._places = Utf16(text)
        self.links = frames_in(text, self._root)[:_MOST]
        self._draw()

    def _draw(self) -> None:
        marks: list[QTextEdit.ExtraSelection] = []
        for link in self.links:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self._view.document())
            cursor.setPosition(self._places.units(link.start))
            cursor.setPosition(self._places.units(link.end), cursor.MoveMode.KeepAnchor)
            mark.cursor = cursor
            mark.format.setForeground(theme.colour("accent"))
            mark.format.setFontUnderline(True)
            marks.append(mark)
        self._view.setExtraSelections(marks)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.PaletteChange and watched is self._view:
            self._draw()
        elif isinstance(event, QMouseEvent) and watched is self._view.viewport():
            self._on_mouse(event)
        elif isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            link = self.link_at(self._view.textCursor().position())
            if link is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.opened.emit(link.path, link.line, link.column)
                return True
        return super().eventFilter(watched, event)

    def _on_mouse(self, event: QMouseEvent) -> None:
        link = self._under(event.position().toPoint())
        if event.type() is QEvent.Type.MouseMove:
            shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
            self._view.viewport().setCursor(shape)
            return
        is_click = (
            event.type() is QEvent.Type.MouseButtonRelease
            and event.button() is Qt.MouseButton.LeftButton
            and not self._view.textCursor().hasSelection()  # else it was a drag that ended here
        )
        if link is not None and is_click:
            self.opened.emit(link.path, link.line, link.column)

    def _under(self, place: QPoint) -> FrameLink | None:
        cursor = self._view.cursorForPosition(place)
        link = self.link_at(cursor.position())
        if link is None or not self._view.cursorRect(cursor).adjusted(-12, 0, 12, 0).contains(place):
            return None  # beside the text, where the nearest place is a link by chance
        return link

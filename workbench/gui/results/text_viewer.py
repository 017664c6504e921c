"""A text of any size to read, select, copy and search, with the mouse and with the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu

from workbench.gui.results import text_keys
from workbench.gui.results.row_layout import PITCH
from workbench.gui.results.text_search import Query
from workbench.gui.results.text_surface import MARGIN, TextSurface


class TextViewer(TextSurface):
    """Read, select, copy, find. What needs a dialog or a bar is asked of the one who shows it."""

    find_asked = Signal()
    line_asked = Signal()
    save_asked = Signal()
    searched = Signal()
    """How the search stands has changed: see `search` and `current_hit`."""

    def __init__(self, *, name: str = "Text", gutter: int = MARGIN) -> None:
        super().__init__(name=name, gutter=gutter)
        self._drag: QPoint | None = None
        self._clicks = 0
        self._scrolling = QTimer(self, interval=40)
        self._scrolling.timeout.connect(self._drag_on)
        self.search.changed.connect(self._on_search)

    # ---- caret and selection

    def select(self, start: int, end: int) -> None:
        """Select a part of the text and bring it into view."""
        self.caret.select(start, end)
        self.show_place(start)

    def select_all(self) -> None:
        self.caret.select(0, len(self.text))
        self.changed()

    def selected_text(self) -> str:
        start, end = self.caret.selection
        return self.text[start:end]

    def copy(self) -> None:
        """Copy what is selected."""
        if self.caret.selects:
            QGuiApplication.clipboard().setText(self.selected_text())

    def go_to_line(self, line: int) -> None:
        """Put the caret at the beginning of a line, counted from 1."""
        row = self._pages.row(self._pages.index.row_of_line(line))
        self.caret.put(row.start)
        self.show_place(row.start)

    def show_place(self, place: int) -> None:
        """Scroll so that a place is in view, a third from the top when it was not."""
        at = self._pages.row_at(place)
        bar = self.verticalScrollBar()
        if not bar.value() <= at < bar.value() + self.page_rows():
            bar.setValue(at - self.page_rows() // 3)
        self.changed()

    def follow_caret(self) -> None:
        """Scroll just as far as the caret needs."""
        at = self._pages.row_at(self.caret.place)
        bar = self.verticalScrollBar()
        bar.setValue(min(max(bar.value(), at - self.page_rows() + 1), at))
        self.changed()

    # ---- search

    def look_for(self, query: Query) -> None:
        """Mark every hit and go to the first from the caret on."""
        self.current_hit = -1
        self.search.start(self.text, query)

    def step(self, step: int) -> None:
        """Go to the next hit (1) or the previous one (-1), around the ends."""
        start, end = self.caret.selection
        self._go_to_hit(self.search.from_place(end if step > 0 else start, step))

    def _on_search(self) -> None:
        if self.current_hit < 0 and self.search.count:
            at = self.search.from_place(self.caret.selection[0], 1)
            if not self.search.running or self.search.hit(at)[0] >= self.caret.selection[0]:
                self._go_to_hit(at)
        self.viewport().update()
        self.searched.emit()

    def _go_to_hit(self, at: int) -> None:
        self.current_hit = at
        if at >= 0:
            self.select(*self.search.hit(at))
        self.searched.emit()

    # ---- hands

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and text_keys.is_ours(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not text_keys.press(self, event):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        place = self.place_at(event.position().toPoint())
        self._drag = event.position().toPoint()
        if self._clicks and self.caret.selection[0] <= place <= self.caret.selection[1]:
            self.caret.select_line(self._pages, place)
        else:
            self.caret.put(place, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self.changed()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.caret.select_word(self._pages, self.place_at(event.position().toPoint()))
        self._clicks = 1
        QTimer.singleShot(QGuiApplication.styleHints().mouseDoubleClickInterval(), self, self._forget_clicks)
        self.changed()

    def _forget_clicks(self) -> None:
        self._clicks = 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            return
        self._drag = event.position().toPoint()
        self.caret.put(self.place_at(self._drag), extend=True)
        if self.viewport().rect().contains(self._drag):
            self._scrolling.stop()
        elif not self._scrolling.isActive():
            self._scrolling.start()
        self.changed()

    def _drag_on(self) -> None:
        """The pointer is held beyond the edge: scroll, and select on."""
        if self._drag is None:
            return
        beyond = self._drag.y() if self._drag.y() < 0 else max(self._drag.y() - self.viewport().height(), 0)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + (beyond + (PITCH - 1 if beyond > 0 else 0)) // PITCH)
        self.caret.put(self.place_at(self._drag), extend=True)
        self.changed()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None
        self._scrolling.stop()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy", self.copy).setEnabled(self.caret.selects)
        menu.addAction("Select all", self.select_all)
        menu.addSeparator()
        menu.addAction("Find…", self.find_asked.emit)
        menu.addAction("Go to line…", self.line_asked.emit)
        menu.addAction("Save…", self.save_asked.emit)
        menu.popup(event.globalPos())

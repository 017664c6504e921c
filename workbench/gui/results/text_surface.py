"""A text of any size on the screen: only what is in view is laid out, so fifty megabytes open as a page does."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from workbench.app.results.characters import count_hidden
from workbench.gui import lane
from workbench.gui.results.caret import Caret
from workbench.gui.results.row_layout import PITCH, Tint, soft
from workbench.gui.results.text_pages import AT_ONCE, TextPages
from workbench.gui.results.text_search import TextSearch
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import RIGHT, Line

_WIDEST = 400
MARGIN = 12
_CHUNK = 65_536
_TOP = 6


class TextSurface(QAbstractScrollArea):
    """Shows a text with its caret, selection and hits. `gutter` is the room left of the line numbers."""

    hidden_counted = Signal(int)
    """How many hidden characters the text holds."""

    def __init__(self, *, name: str = "Text", gutter: int = MARGIN) -> None:
        super().__init__()
        self._gutter = gutter
        self._pages = TextPages("", 80)
        self._next: TextPages | None = None
        self.caret = Caret()
        self._ring = False
        self._empty = "This is empty text."
        self.search = TextSearch()
        self.current_hit = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)
        self.viewport().setAutoFillBackground(True)
        self._rewrap = QTimer(self, singleShot=True, interval=60)
        self._rewrap.timeout.connect(self._wrap_again)

    # ---- what is shown

    @property
    def text(self) -> str:
        return self._pages.text

    @property
    def pages(self) -> TextPages:
        return self._pages

    @property
    def complete(self) -> bool:
        """Whether all of the text is counted, and the scroll bar true."""
        return self._pages.index.complete

    def show_text(self, text: str) -> None:
        """Show another text, from its beginning."""
        self.search.stop()
        self.caret = Caret()
        self.current_hit = -1
        self._take(TextPages(text, self._columns()))
        self.verticalScrollBar().setValue(0)
        self.changed()
        lane.start(self, lambda job: _count_hidden(job, text), self.hidden_counted.emit)

    def show_longer(self, text: str) -> None:
        """Show the same text with more at its end: what is looked at stays, and the end, when it was in view."""
        bar = self.verticalScrollBar()
        follows = bar.value() >= bar.maximum()
        top = self._pages.row(bar.value()).start if self.text else 0
        if self._next is not None:
            self._next.stop()
        fresh = TextPages(text, self._columns())
        self._take(fresh)
        bar.setValue(bar.maximum() if follows else fresh.row_at(top))
        self.changed()

    def set_reveal(self, reveal: bool) -> None:
        """Draw hidden and look-alike characters as marks."""
        self._pages.reveal = reveal
        self._pages.forget()
        self.viewport().update()

    def _take(self, pages: TextPages) -> None:
        if pages is not self._pages:
            self._pages.stop()
            pages.reveal = self._pages.reveal
            self._pages = pages
            pages.grown.connect(self._on_grown)
        self._on_grown()

    def _on_grown(self) -> None:
        bar = self.verticalScrollBar()
        bar.setPageStep(self.page_rows())
        bar.setSingleStep(1)
        bar.setRange(0, max(self._pages.index.row_count - self.page_rows(), 0))
        self.viewport().update()

    def page_rows(self) -> int:
        """Rows that are seen whole."""
        return max((self.viewport().height() - _TOP) // PITCH, 1)

    def text_left(self) -> int:
        """Where the text begins, right of the line numbers, in pixels of the viewport."""
        digits = max(len(str(self._pages.index.line_count)), 3)
        return self._gutter + round(digits * _advance()) + MARGIN

    def _columns(self) -> int:
        room = self.viewport().width() - self.text_left() - MARGIN
        return min(max(int(room / _advance()), 20), _WIDEST)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if len(self.text) <= AT_ONCE * _CHUNK:
            self._wrap_again()
        else:
            self._rewrap.start()
        self._on_grown()

    def _wrap_again(self) -> None:
        """Count rows for the width as it is now, staying at the text that is in view."""
        columns = self._columns()
        if columns == self._pages.index.columns:
            return
        top = self._pages.row(self.verticalScrollBar().value()).start if self.text else 0
        fresh = TextPages(self.text, columns)

        def ready() -> None:
            if fresh.index.complete or top < fresh.index.known - _CHUNK:
                fresh.grown.disconnect(ready)
                self._take(fresh)
                self.verticalScrollBar().setValue(fresh.row_at(top) if top else 0)

        if self._next is not None:
            self._next.stop()
        self._next = fresh
        fresh.grown.connect(ready)
        ready()

    # ---- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        first = self.verticalScrollBar().value()
        left = self.text_left()
        shift = left - self.horizontalScrollBar().value()
        y = _TOP
        widest = 0.0
        caret_row = self._pages.row_at(self.caret.place) if self.hasFocus() and self.text else -1
        for at in range(first, min(first + self.page_rows() + 2, self._pages.index.row_count)):
            row = self._pages.row(at)
            layout = self._pages.layout(row)
            widest = max(widest, layout.width)
            x = shift + (self._room() - layout.width if layout.rtl else 0)
            painter.setClipRect(
                QRect(left - 2, 0, self.viewport().width() - left + 2, self.viewport().height())
            )
            layout.draw(painter, x, y, self._tints(row.start, row.end))
            if self.caret.selects and self._selects_break(row.end):
                painter.fillRect(QRectF(x + layout.width, y, 5, PITCH), self._selected())
            if at == caret_row:
                caret_x = x + layout.x(self.caret.place - row.start)
                painter.fillRect(QRectF(round(caret_x), y + 1, 1.5, PITCH - 2), theme.colour("accent"))
            painter.setClipping(False)
            if row.first and self.text:
                line = Line(painter, left, PITCH, y)
                line.text(f"{row.line}", 0, left - MARGIN, "ink2", theme.data(), align=RIGHT)
            y += PITCH
        if not self.text:
            line = Line(painter, self.viewport().width(), PITCH, _TOP)
            line.text(self._empty, self._gutter + MARGIN, line.width, "ink2")
        if self._ring:
            paint.ring(painter, self.viewport().rect(), 3)
        painter.end()
        self._fit_width(widest)

    def _room(self) -> float:
        return self.viewport().width() - self.text_left() - MARGIN

    def _fit_width(self, widest: float) -> None:
        """Wide letters can reach beyond the columns that were counted for them."""
        beyond = max(int(widest - self._room()) + 1, 0) if widest > self._room() + 1 else 0
        if beyond > self.horizontalScrollBar().maximum() or not beyond:
            self.horizontalScrollBar().setRange(0, beyond)

    def _selected(self) -> QColor:
        return theme.colour("sel" if self.hasFocus() else "selq")

    def _selects_break(self, end: int) -> bool:
        start, stop = self.caret.selection
        return start <= end < stop

    def _tints(self, start: int, end: int) -> list[Tint]:
        tints: list[Tint] = []
        first, last = self.caret.selection
        if self.caret.selects and first < end and last > start:
            tints.append(Tint(max(first, start) - start, min(last, end) - start, self._selected()))
        for number, first, last in self.search.within(start, end):
            ground = soft("warn", 150 if number == self.current_hit else 44)
            tints.append(Tint(max(first, start) - start, min(last, end) - start, ground))
        return tints

    def place_at(self, point: QPoint) -> int:
        """The place in the text nearest to a point of the viewport."""
        if not self.text:
            return 0
        row = self._pages.row(self.verticalScrollBar().value() + (point.y() - _TOP) // PITCH)
        layout = self._pages.layout(row)
        x = point.x() - self.text_left() + self.horizontalScrollBar().value()
        x -= self._room() - layout.width if layout.rtl else 0
        return row.start + layout.place_at(x)

    def changed(self) -> None:
        """The caret or the selection is another."""
        self._say()
        self.viewport().update()

    def _say(self) -> None:
        """Tell a screen reader where the caret is and what its row says."""
        if not self.text:
            self.setAccessibleDescription("Empty")
            return
        row = self._pages.row(self._pages.row_at(self.caret.place))
        said = f"Line {row.line:,} of {self._pages.index.line_count:,}: {self.text[row.start : row.end]}"
        self.setAccessibleDescription(said)

    def focusInEvent(self, event: QFocusEvent) -> None:
        keys = (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        )
        self._ring = event.reason() in keys
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._ring = False
        super().focusOutEvent(event)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._pages.forget()
            self.viewport().update()


def _advance() -> float:
    return QFontMetricsF(theme.data()).horizontalAdvance("0")


def _count_hidden(job: lane.Job, text: str) -> int:
    found = 0
    for at in range(0, len(text), _CHUNK):
        if job.stopped:
            break
        found += count_hidden(text[at : at + _CHUNK])
    return found

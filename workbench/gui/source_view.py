"""A definition's source to read: coloured, with line numbers and the places that something is wrong with."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from workbench.domain.definitions import Diagnostic, Severity
from workbench.gui import theme
from workbench.gui.marks import Mark
from workbench.gui.paint import RIGHT, Line
from workbench.gui.texts import Grammar, TextView


class SourceView(TextView):
    """Reads only. `go_to` puts a line in the middle and marks it."""

    def __init__(self) -> None:
        super().__init__(Grammar.PYTHON, name="Source", on_window=False)
        self._diagnostics: dict[int, Diagnostic] = {}
        self._margin = _Margin(self)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabStopDistance(4 * QFontMetricsF(theme.data()).horizontalAdvance(" "))
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._follow)
        self._make_room()

    def show_source(self, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        """Show a source, staying at the place that was looked at."""
        place = self.verticalScrollBar().value()
        self._diagnostics = {item.line: item for item in diagnostics if item.line}
        if self.toPlainText() != text:
            self.show_text(text)
            self.verticalScrollBar().setValue(place)
        self._margin.update()

    def go_to(self, line: int) -> None:
        """Show a line, counted from 1."""
        block = self.document().findBlockByNumber(max(line - 1, 0))
        cursor = QTextCursor(block)
        self.setTextCursor(cursor)
        self.centerCursor()
        shown = QTextEdit.ExtraSelection()
        fmt = shown.format
        fmt.setBackground(theme.colour("sel"))
        fmt.setProperty(QTextFormat.Property.FullWidthSelection, True)
        shown.format = fmt
        shown.cursor = cursor
        self.setExtraSelections([shown])
        self.setFocus()

    def margin_width(self) -> int:
        digits = len(str(max(self.blockCount(), 1)))
        return int(QFontMetricsF(theme.data()).horizontalAdvance("0")) * max(digits, 3) + 40

    def _make_room(self) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)

    def _follow(self, rect: QRect, moved: int) -> None:
        if moved:
            self._margin.scroll(0, moved)
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._margin.setGeometry(QRect(area.left(), area.top(), self.margin_width(), area.height()))

    def paint_margin(self, painter: QPainter, rect: QRect) -> None:
        """Line numbers, with a mark where a diagnostic stands."""
        painter.fillRect(rect, theme.colour("base"))
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        while block.isValid():
            area = self.blockBoundingGeometry(block).translated(offset)
            if area.top() > rect.bottom():
                return
            line = Line(painter, self._margin.width(), int(area.height()), int(area.top()))
            number = block.blockNumber() + 1
            found = self._diagnostics.get(number)
            if found is not None:
                line.mark(Mark.FAILED if found.severity is Severity.ERROR else Mark.WARNING, 8)
            role = "err" if found is not None and found.severity is Severity.ERROR else "ink2"
            line.text(str(number), 16, line.width - 32, role, theme.data(), align=RIGHT)
            block = block.next()


class _Margin(QWidget):
    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        return QSize(self._view.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._view.paint_margin(painter, event.rect())
        painter.end()

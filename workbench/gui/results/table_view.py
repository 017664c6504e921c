"""A table to read: sorted by any column, copied as CSV, TSV or JSON, smooth at a hundred thousand rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QEvent,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
)
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from workbench.app.results.tables import Table, as_delimited, as_json, cell_text, sorted_rows
from workbench.gui import lane
from workbench.gui.results.table_model import TableModel
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW

Index = QModelIndex | QPersistentModelIndex
_PAD = 10
_NARROWEST, _WIDEST = 56, 360
_MEASURED = 120
_QUIET = ("n", "[", "{")  # null, arrays and objects


class _Cells(QStyledItemDelegate):
    """Numbers stand at the right; a cell without a value stays empty, null is said."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        row, column = index.row(), index.column()
        model = self._view.model_
        line = Line(painter, rect.width(), ROW, rect.top())
        chosen = self._view.selectionModel().isSelected(index)
        if chosen:
            ground = "sel" if self._view.hasFocus() else "selq"
            painter.fillRect(rect, theme.colour(ground))
        words = model.words(row, column)
        role = "ink" if model.is_text(row, column) else "ink2" if words[:1] in _QUIET else "number"
        right = column in model.table.numeric
        lead = self._view.lead(column)
        width = rect.width() - lead - _PAD
        align = paint.RIGHT if right else paint.LEFT
        line.text(words, rect.left() + lead, width, role, theme.data(), align=align)
        if index == self._view.currentIndex():
            if self._view.hasFocus():
                paint.ring(painter, rect, 2)
            else:
                painter.fillRect(QRect(rect.left(), rect.top(), 2, ROW), theme.colour("accent"))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.colour("hair"))


class _Head(QHeaderView):
    """Names in small type over a line; an arrow where the rows are sorted."""

    def __init__(self, view: TableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._view = view
        self.setSectionsClickable(True)
        self.setFixedHeight(ROW)
        self.setMinimumSectionSize(_NARROWEST)
        self.setHighlightSections(False)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(self.palette().ColorRole.Base)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)

    def paintEvent(self, e: QPaintEvent) -> None:
        super().paintEvent(e)
        beyond = QRect(self.length() - self.offset(), 0, self.viewport().width(), ROW)
        painter = QPainter(self.viewport())
        painter.fillRect(beyond, theme.colour("base"))
        painter.fillRect(beyond.adjusted(0, ROW - 1, 0, 0), theme.colour("edge"))
        painter.end()

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803 – Qt's name
        model = self._view.model_
        painter.fillRect(rect, theme.colour("base"))
        line = Line(painter, rect.width(), ROW, rect.top())
        lead = self._view.lead(logicalIndex)
        width = rect.width() - lead - _PAD
        right = logicalIndex in model.table.numeric
        name = model.table.columns[logicalIndex]
        role = "ink2"
        if logicalIndex == model.sorted_by:
            icon = "arrow-down" if model.descending else "arrow-up"
            role = "ink"
            at = rect.left() + lead if right else rect.right() - _PAD - 12
            line.icon(icon, at - 2, "ink")
            width -= 16
            lead += 16 if right else 0
        align = paint.RIGHT if right else paint.LEFT
        line.text(name, rect.left() + lead, width, role, theme.small(), align=align)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.colour("edge"))


class TableView(QTableView):
    """Shows a `Table`. A click on a head sorts: up, down, as it came."""

    def __init__(self, *, name: str = "Table", gutter: int = DOCUMENT_GUTTER) -> None:
        super().__init__()
        self._gutter = gutter
        self._sorting: lane.Job | None = None
        self.model_ = TableModel()
        self.setModel(self.model_)
        self.setHorizontalHeader(_Head(self))
        self.setItemDelegate(_Cells(self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().sectionClicked.connect(self.sort_by)
        vertical = self.verticalHeader()
        vertical.hide()
        vertical.setMinimumSectionSize(ROW)
        vertical.setDefaultSectionSize(ROW)
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)

    @property
    def table(self) -> Table:
        return self.model_.table

    def lead(self, column: int) -> int:
        """Pixels left of the words of a column: the first begins at the gutter."""
        return self._gutter if column == 0 else _PAD

    def show_table(self, table: Table) -> None:
        self.model_.show_table(table)
        for column in range(len(table.columns)):
            self.setColumnWidth(column, self._width(column))
        if table.rows:
            self.setCurrentIndex(self.model_.index(0, 0))

    def _width(self, column: int) -> int:
        count = self.model_.rowCount()
        rows = {*range(min(count, _MEASURED)), *range(max(count - _MEASURED, 0), count)}
        longest = max((self.model_.words(row, column) for row in rows), default="", key=len)
        head = paint.advance(self.table.columns[column], theme.small()) + 18
        widest = max(paint.advance(longest, theme.data()), head)
        return self.lead(column) + min(max(int(widest) + 2 + _PAD, _NARROWEST), _WIDEST)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        end = self.horizontalHeader().length() - self.horizontalScrollBar().value()
        first = self.rowAt(0)
        if end >= self.viewport().width() or first < 0:
            return
        painter = QPainter(self.viewport())
        last = self.rowAt(self.viewport().height() - 1)
        for row in range(first, (last if last >= 0 else self.model_.rowCount() - 1) + 1):
            y = self.rowViewportPosition(row) + ROW - 1
            painter.fillRect(QRect(end, y, self.viewport().width() - end, 1), theme.colour("hair"))
        painter.end()

    def sort_by(self, column: int) -> None:
        """Sort by a column; again turns the order around, a third time gives the order that the rows came in."""
        model = self.model_
        if column == model.sorted_by and model.descending:
            model.set_order(range(len(self.table.rows)), -1, descending=False)
            return
        descending = column == model.sorted_by
        table = self.table

        def done(order: list[int]) -> None:
            if table is self.table:
                model.set_order(order, column, descending=descending)
                self.scrollToTop()

        if self._sorting is not None:
            self._sorting.stop()
        self._sorting = lane.start(self, lambda _: sorted_rows(table, column, descending=descending), done)

    # ---- copying

    def chosen_rows(self) -> list[int] | range:
        """Numbers of the rows that are selected, in the order shown; all when no more than a cell is."""
        parts = self._chosen_parts()
        cells = sum(part.height() * part.width() for part in parts)
        rows = sorted({row for part in parts for row in range(part.top(), part.bottom() + 1)})
        return [self.model_.order[row] for row in (range(self.model_.rowCount()) if cells <= 1 else rows)]

    def _chosen_parts(self) -> list[QItemSelectionRange]:
        chosen = self.selectionModel().selection()
        return [chosen.at(number) for number in range(chosen.count())]

    def copy_as(self, form: Callable[[Table, list[int] | range], str]) -> None:
        """Copy the chosen rows whole, put into words by `form`."""
        QGuiApplication.clipboard().setText(form(self.table, self.chosen_rows()))

    def copy_cells(self) -> None:
        """Copy the selected cells: one as it is, several separated by tabs and line breaks."""
        lines: dict[int, set[int]] = {}
        for part in self._chosen_parts():
            columns = range(part.left(), part.right() + 1)
            for row in range(part.top(), part.bottom() + 1):
                lines.setdefault(row, set()).update(columns)
        order = self.model_.order
        QGuiApplication.clipboard().setText(
            "\n".join(
                "\t".join(cell_text(self.table.cell(order[row], column)) for column in sorted(lines[row]))
                for row in sorted(lines)
            )
        )

    def fill_copy_menu(self, menu: QMenu) -> None:
        """Add the ways to copy."""
        some = len(self.chosen_rows()) < self.model_.rowCount()
        what = "selected rows" if some else "all rows"
        menu.addAction(f"Copy {what} as CSV", lambda: self.copy_as(as_csv))
        menu.addAction(f"Copy {what} as TSV", lambda: self.copy_as(as_tsv))
        menu.addAction(f"Copy {what} as JSON", lambda: self.copy_as(as_json))

    # ---- hands

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_cells()
        elif event.key() == Qt.Key.Key_S and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self.sort_by(max(self.currentIndex().column(), 0))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.open_menu(event.globalPos())

    def open_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy cells", self.copy_cells)
        self.fill_copy_menu(menu)
        menu.addSeparator()
        menu.addAction(
            "Sort by this column\tAlt+S", lambda: self.sort_by(max(self.currentIndex().column(), 0))
        )
        menu.popup(place)


def as_csv(table: Table, order: list[int] | range) -> str:
    return as_delimited(table, order, ",")


def as_tsv(table: Table, order: list[int] | range) -> str:
    return as_delimited(table, order, "\t")

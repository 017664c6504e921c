"""A table of any length as Qt's model: cells are put into words only when they are seen."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from workbench.app.results.tables import Missing, Table, cell_text

Index = QModelIndex | QPersistentModelIndex
_NONE = QModelIndex()
_SHOWN = 300


class TableModel(QAbstractTableModel):
    """Rows of a `Table` in an order of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table([], [])
        self.order: list[int] | range = range(0)
        self.sorted_by = -1
        self.descending = False

    def show_table(self, table: Table) -> None:
        self.beginResetModel()
        self.table = table
        self.order = range(len(table.rows))
        self.sorted_by = -1
        self.endResetModel()

    def set_order(self, order: list[int] | range, column: int, *, descending: bool) -> None:
        """Show the rows in another order; `column` is -1 for the order they came in."""
        self.layoutAboutToBeChanged.emit()
        self.order = order
        self.sorted_by = column
        self.descending = descending
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(len(self.table.columns) - 1, 0))

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.words(index.row(), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.table.columns[index.column()]}: {self.words(index.row(), index.column())}"
        return None

    def words(self, row: int, column: int) -> str:
        """A cell for one row's height: cut, nothing laid out that cannot be seen."""
        cell = self.table.cell(self.order[row], column)
        if isinstance(cell, Missing):
            return ""
        if isinstance(cell, str):
            return cell[:_SHOWN]
        return cell_text(cell)[:_SHOWN]

    def is_text(self, row: int, column: int) -> bool:
        return isinstance(self.table.cell(self.order[row], column), str)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return self.table.columns[section] if section < len(self.table.columns) else None
        return None

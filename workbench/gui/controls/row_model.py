"""Lists of any length, as models: one column of row objects, each with its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)

from workbench.gui.style.tips import plain

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
_NONE = QModelIndex()


class RowModel(QAbstractTableModel, Generic[R]):
    """One column of row objects. Subclasses say how many there are, which is which, and its words."""

    def count(self) -> int:
        raise NotImplementedError

    def row(self, at: int) -> R:
        raise NotImplementedError

    def words(self, row: R) -> str:
        """The row as a screen reader says it."""
        raise NotImplementedError

    def name(self, row: R) -> str:
        """What typing letters searches for."""
        return self.words(row)

    def tip(self, row: R) -> str:
        return ""

    def selectable(self, row: R) -> bool:
        return True

    def rowCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else self.count()

    def columnCount(self, parent: Index = _NONE) -> int:
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == ROW_ROLE:
            return self.row(index.row())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.words(self.row(index.row()))
        if role == Qt.ItemDataRole.DisplayRole:
            return self.name(self.row(index.row()))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(self.tip(self.row(index.row()))) or None
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.selectable(self.row(index.row())):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemNeverHasChildren  # not enabled, so that the arrow keys pass over it

    def touch(self, first: int, last: int | None = None) -> None:
        """Rows changed in place."""
        self.dataChanged.emit(self.index(first, 0), self.index(first if last is None else last, 0))


class ListedRows(RowModel[R]):
    """Rows that come as one list and are shown anew as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[R] = ()

    def show(self, rows: Sequence[R]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def count(self) -> int:
        return len(self.rows)

    def row(self, at: int) -> R:
        return self.rows[at]

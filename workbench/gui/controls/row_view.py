"""Lists of any length, as they are seen: one painted column in rows of 24 pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPoint,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from workbench.gui.controls.row_model import ROW_ROLE, Index, RowModel
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW

R = TypeVar("R")

_Step = QAbstractItemView.CursorAction


class Look(NamedTuple):
    """How a row is seen at this moment."""

    current: bool
    focused: bool
    hovered: bool

    @property
    def near(self) -> bool:
        """With the pointer or the selection on it: when its actions show."""
        return self.current or self.hovered


class Action(NamedTuple):
    """A button or link that a row paints."""

    id: str
    rect: QRectF


class RowPainter(QStyledItemDelegate, Generic[R]):
    """Paints a row whole. Subclasses fill in `paint_row`, and `actions` when rows have buttons."""

    def paint_row(self, line: Line, row: R, look: Look) -> None:
        raise NotImplementedError

    def actions(self, row: R, width: int, look: Look) -> Sequence[Action]:
        """Where the row's buttons lie, in the row's own coordinates."""
        return ()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view = option.widget
        rect = option.rect
        if not isinstance(view, RowView):
            return
        look = view.look(index.row())
        painter.save()
        painter.translate(rect.topLeft())
        line = Line(painter, view.viewport().width(), view.row_height)
        if look.current:
            line.selection(focused=look.focused)
        elif look.hovered:
            line.ground("hover")
        self.paint_row(line, index.data(ROW_ROLE), look)
        painter.restore()


class RowView(QTableView, Generic[R]):
    """Shows a `RowModel`. Enter and double click open a row; clicks on painted buttons become `acted`."""

    opened = Signal(object)
    acted = Signal(object, str)
    """A row and the id of the action of it that was asked for."""
    moved = Signal(object)
    """The current row is another one (None: there is none)."""
    delete_asked = Signal()
    """Delete was pressed on the current row."""

    def __init__(
        self,
        model: RowModel[R],
        painter: RowPainter[R],
        *,
        name: str,
        on_window: bool = False,
        row_height: int = ROW,
    ) -> None:
        super().__init__()
        self.row_height = row_height
        self.newest_last = False
        self._always_focused = False
        self._rows = model
        self._painter = painter
        self._hovered = -1
        self._empty = ""
        painter.setParent(self)
        self.setModel(model)
        self.setItemDelegate(painter)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setMinimumSectionSize(1)
        vertical = self.verticalHeader()
        vertical.hide()
        vertical.setMinimumSectionSize(row_height)
        vertical.setDefaultSectionSize(row_height)
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        palette = self.palette().ColorRole
        self.viewport().setBackgroundRole(palette.Window if on_window else palette.Base)

    def set_empty(self, words: str) -> None:
        """What an empty list says: the next step."""
        self._empty = words
        self.viewport().update()

    def set_always_focused(self) -> None:
        """The keys of this list are pressed in a field above it, so its selection is the one that counts."""
        self._always_focused = True

    def look(self, at: int) -> Look:
        focused = self._always_focused or self.hasFocus()
        return Look(at == self.currentIndex().row(), focused, at == self._hovered)

    def current(self) -> R | None:
        index = self.currentIndex()
        return self._rows.row(index.row()) if index.isValid() else None

    def go_to(self, at: int) -> None:
        index = self._rows.index(at, 0)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()
        self.moved.emit(self._rows.row(current.row()) if current.isValid() else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current()
        if row is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(row)
        elif row is not None and event.key() == Qt.Key.Key_Delete:
            self.delete_asked.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.currentIndex().isValid():
            self._choose_first()
        super().focusInEvent(event)

    def moveCursor(self, cursor_action: _Step, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Home and End lead to the first and the last row: there is no column to go to."""
        if cursor_action in (_Step.MoveHome, _Step.MoveEnd):
            return self._outermost(last=cursor_action is _Step.MoveEnd)
        return super().moveCursor(cursor_action, modifiers)

    def _choose_first(self) -> None:
        first = self._outermost(last=self.newest_last)
        if first.isValid():
            self.setCurrentIndex(first)

    def _outermost(self, *, last: bool) -> QModelIndex:
        """The first or the last row that can be chosen, an invalid one if none can."""
        places = range(self._rows.count())
        for at in reversed(places) if last else places:
            if self._rows.selectable(self._rows.row(at)):
                return self._rows.index(at, 0)
        return QModelIndex()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position().toPoint())
        if hit is not None and event.button() is Qt.MouseButton.LeftButton:
            self.acted.emit(*hit)
            return
        before = self.current()
        super().mousePressEvent(event)
        if before is not None and before is self.current():
            self.moved.emit(before)  # chosen again, by a person who wants to see it again

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.rowAt(event.position().toPoint().y())
        if at >= 0 and self._hit(event.position().toPoint()) is None:
            self.opened.emit(self._rows.row(at))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self.rowAt(event.position().toPoint().y())
        if at != self._hovered:
            self._hovered = at
            self.viewport().update()
        over = self._hit(event.position().toPoint()) is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self.viewport().update()
        super().leaveEvent(event)

    def _hit(self, point: QPoint) -> tuple[R, str] | None:
        at = self.rowAt(point.y())
        if at < 0:
            return None
        row = self._rows.row(at)
        inside = QPoint(point.x(), point.y() - self.rowViewportPosition(at)).toPointF()
        for action in self._painter.actions(row, self.viewport().width(), self.look(at)):
            if action.rect.contains(inside):
                return row, action.id
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._empty and not self._rows.count():
            line = Line(QPainter(self.viewport()), self.viewport().width(), ROW, 8)
            line.text(self._empty, 24, line.width - 36, "ink2")
            line.painter.end()

"""Items with a few flat fields as a table: a line for each, all its fields side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from workbench.forms import Kind, Node, Problem
from workbench.gui.controls.words import Words
from workbench.gui.form.form_controls import Control, make_cell
from workbench.gui.form.form_row import Columns, Row, StatedRow
from workbench.gui.style import theme
from workbench.gui.style.paint import LEFT, RIGHT, Line
from workbench.gui.style.tokens import COLUMN_GAP, ROW

INDEX = 28
_CELL_GAP = 4


class ItemRow(StatedRow):
    """An item of a list as one line of a table: all its fields side by side."""

    def __init__(self, node: Node, depth: int) -> None:
        super().__init__(node, depth, gap=_CELL_GAP)
        self._fields = tuple(node.children)
        self._cells: tuple[Control, ...] = ()

    def nodes(self) -> Sequence[Node]:
        return self._fields

    def controls(self) -> Sequence[Control]:
        return self._cells

    def targets(self) -> Sequence[QWidget]:
        return self._cells

    def target(self, node: Node) -> QWidget:
        self.ensure()
        found = (cell for field, cell in zip(self._fields, self._cells, strict=True) if field is node)
        return next(found, self._cells[0])

    def make_label(self) -> QWidget:
        holder = QWidget()
        holder.setFixedHeight(ROW)
        return holder

    def make_middle(self) -> QWidget:
        self._cells = tuple(make_cell(field) for field in self._fields)
        holder = QWidget()
        holder.setFixedHeight(ROW)
        layout = QHBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_CELL_GAP)
        layout.addWidget(Words(str(self.node.key), "ink2", theme.data(), width=INDEX - _CELL_GAP))
        for field, cell in zip(self._fields, self._cells, strict=True):
            shape = field.shape
            cell.setToolTip("\n".join(part for part in (shape.description, field.type_words) if part))
            cell.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            layout.addWidget(cell, _share(field))
        return holder

    def type_words(self) -> str:
        return ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line under the cells."""
        painter = QPainter(self)
        right = self._state.x() - COLUMN_GAP if self._is_built else self.width()
        left = self._columns.left
        painter.fillRect(left, ROW + 1, right - left, 1, theme.colour("hair"))
        painter.end()

    def words_of(self, problem: Problem) -> str:
        key = problem.label.rpartition(".")[2]
        return f"{key}: {problem.help or problem.words}"


def _share(field: Node) -> int:
    """How much of the room a column takes, beside the others: a number is short."""
    return 3 if field.kind is Kind.TEXT else 2


class HeadsRow(Row):
    """The names of a table's columns over a line."""

    def __init__(self, node: Node, depth: int, fields: Sequence[Node]) -> None:
        super().__init__(node, depth, gap=_CELL_GAP)
        self._heads = tuple((str(each.key), _share(each), each.kind is Kind.NUMBER) for each in fields)
        self.setToolTip("\n".join(f"{each.key}: {each.type_words}" for each in fields))

    def build(self) -> None:
        self.setFixedHeight(ROW + _CELL_GAP)

    def set_columns(self, columns: Columns) -> None:
        super().set_columns(columns)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left, right = self._columns.left, self.width() - self._columns.right
        room = right - left - INDEX - _CELL_GAP * (len(self._heads) - 1)
        shares = sum(share for _, share, _ in self._heads)
        line = Line(painter, self.width(), ROW)
        x = float(left + INDEX)
        for name, share, is_number in self._heads:
            width = room * share / shares
            line.text(name, x + 8, width - 16, "ink2", theme.data(), align=RIGHT if is_number else LEFT)
            x += width + _CELL_GAP
        painter.fillRect(left, ROW - 1, right - left, 1, theme.colour("edge"))
        painter.end()

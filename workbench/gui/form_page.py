"""The rows of a form, kept in step with the tree of its model, with rails along what is nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.forms import (
    Change,
    ChoiceNode,
    Form,
    Kind,
    ListNode,
    Node,
    ObjectNode,
    Problem,
    ProblemKind,
    UnionNode,
)
from workbench.gui import theme
from workbench.gui.controls import Ground, Words, fill
from workbench.gui.form_rows import LABEL, STATE, TYPE, AddRow, FieldRow, indent
from workbench.gui.summary import Summary
from workbench.gui.tokens import COLUMN_GAP, DOCUMENT_GUTTER

PAGE = 50
"""Items of an array shown before one asks for more."""
_TYPE_LEAST, _TYPE_MOST = 116, 360
_FIELD_LEAST, _FIELD_AMPLE = 120, 320
"""A type longer than its column takes what a field of ample width leaves; a narrow page takes it from both."""


class FormPage(QWidget):
    """The rows, kept in step with the tree of nodes: a row lives as long as its node is of the same kind."""

    def __init__(self, form: Form, about: str) -> None:
        super().__init__()
        self._form = form
        self._about = Summary(about)
        if not about.strip():
            self._about.hide()
        self._width = 0
        self._rows: dict[object, FieldRow | AddRow] = {}
        self._by_node: dict[int, FieldRow] = {}
        self._shown: dict[int, int] = {}
        self._touched = set[int]()
        self._fresh = set[int]()
        """Fields of a branch that was picked just now: nothing is said about them yet."""
        self._picks = dict[int, int | None]()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(DOCUMENT_GUTTER, 12, DOCUMENT_GUTTER, 12)
        self._layout.setSpacing(0)
        self._nothing = Words("This tool takes no arguments. Run it as it is.", "ink2")
        fill(self, Ground.BASE)
        self.sync()

    def has(self, node_id: int) -> bool:
        return node_id in self._by_node

    def row_for(self, node_id: int) -> FieldRow | None:
        """The row of a node, or of the nearest one above it that has a row."""
        node = self._form.node(node_id)
        while node is not None:
            if node.id in self._by_node:
                return self._by_node[node.id]
            node = node.parent
        return None

    def row_of(self, widget: QWidget | None) -> FieldRow | None:
        while widget is not None and widget is not self:
            if isinstance(widget, FieldRow) and self._by_node.get(widget.node.id) is widget:
                return widget
            widget = widget.parentWidget()
        return None

    def touch(self, node_id: int) -> None:
        """The person was in this field: what it lacks may be said under it."""
        self._touched.add(node_id)
        self._fresh.discard(node_id)

    def touch_all(self) -> None:
        self._touched.update(self._by_node)
        self._fresh.clear()

    def settle(self) -> None:
        """What is in the form was put there whole: nothing of it is merely begun."""
        self._fresh.clear()

    def focus_first(self) -> None:
        row = next((row for row in self._by_node.values() if row.focus_widget is not None), None)
        if row is not None and row.focus_widget is not None:
            row.focus_widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def sync(self) -> None:
        """Make the rows what the tree is now."""
        self._note_picks()
        wanted = list(_rows_of(self._form, self._shown))
        rows: dict[object, FieldRow | AddRow] = {}
        for key, node, depth, hidden in wanted:
            row = self._rows.pop(key, None)
            rows[key] = row if row is not None else self._make(key, node, depth, hidden)
        for row in self._rows.values():
            row.hide()
            row.deleteLater()
        self._rows = rows
        self._by_node = {row.node.id: row for row in rows.values() if isinstance(row, FieldRow)}
        self._place(list(rows.values()))
        self.fit(self._width)

    def fit(self, width: int) -> None:
        """Share a width between the columns, the same way in every row."""
        self._width = width
        rows = self._by_node.values()
        room = width - 2 * DOCUMENT_GUTTER - LABEL - STATE - 3 * COLUMN_GAP
        wanted = min(max((row.type_wanted for row in rows), default=TYPE), _TYPE_MOST)
        ample = min(max(wanted, TYPE), room - _FIELD_AMPLE)
        taken = max(ample, min(TYPE, room - _FIELD_LEAST))
        if taken < _TYPE_LEAST:
            taken = 0  # the inspector and the tip have it
        for row in rows:
            row.set_type_width(taken)

    def _note_picks(self) -> None:
        """A branch picked just now begins afresh, also where the person has been before."""
        for node in self._form.root.walk():
            if not isinstance(node, UnionNode):
                continue
            if self._picks.get(node.id, node.picked) != node.picked:
                below = {each.id for each in node.walk()}
                self._touched -= below
                self._fresh |= below
            self._picks[node.id] = node.picked

    def _make(self, key: object, node: Node, depth: int, hidden: int) -> FieldRow | AddRow:
        if not isinstance(key, tuple):
            return FieldRow(node, depth)
        row = AddRow(node, depth, hidden=hidden)
        row.added.connect(self._focus_node)
        row.more.connect(lambda: self._show_more(node))
        return row

    def _place(self, rows: list[FieldRow | AddRow]) -> None:
        while self._layout.count():
            self._layout.takeAt(0)
        self._layout.addWidget(self._about)
        if not self._about.isHidden():
            self._layout.addSpacing(10)
        before: QWidget | None = None
        for row in rows:
            self._layout.addWidget(row)
            row.show()
            target = row.focus_widget if isinstance(row, FieldRow) else row.button
            if target is not None:
                if before is not None:
                    QWidget.setTabOrder(before, target)
                before = target
        self._layout.addWidget(self._nothing)
        self._nothing.setVisible(not rows)
        self._layout.addStretch(1)
        self.update()

    def _focus_node(self, node: Node) -> None:
        row = self.row_for(node.id)
        inside = next((each for each in node.walk() if self._has_focus_target(each)), None)
        target = self._by_node[inside.id] if inside is not None else row
        if target is not None and target.focus_widget is not None:
            target.focus_widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def _has_focus_target(self, node: Node) -> bool:
        return node.id in self._by_node and self._by_node[node.id].focus_widget is not None

    def _show_more(self, node: Node) -> None:
        self._shown[node.id] = self._shown.get(node.id, PAGE) + PAGE
        self.sync()

    def refresh(self, change: Change) -> None:
        if not change.structure:
            self._fresh.difference_update(change.nodes)
        for node_id in change.nodes:
            row = self._by_node.get(node_id)
            if row is not None:
                row.refresh()

    def show_problems(self, problems: tuple[Problem, ...], *, with_words: bool) -> None:
        """Mark the fields with problems. What is merely not filled in yet is said once the person has been there."""
        found: dict[int, Problem] = {}
        for problem in problems:
            row = self.row_for(problem.node_id)
            if row is None or row.node.id in self._fresh:
                continue
            if problem.kind is ProblemKind.REQUIRED and row.node.id not in self._touched:
                continue
            found.setdefault(row.node.id, problem)
        for node_id, row in self._by_node.items():
            row.show_problem(found.get(node_id), with_words=with_words)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rails along nested fields, from under their head to the last of them."""
        super().paintEvent(event)
        painter = QPainter(self)
        open_rails: list[tuple[int, int]] = []
        bottom = 0
        for row in (*self._rows.values(), None):
            depth = row.level if row is not None else 0
            while open_rails and open_rails[-1][0] > depth:
                level, top = open_rails.pop()
                x = DOCUMENT_GUTTER + indent(level - 1) + 5
                painter.fillRect(QRect(x, top, 1, bottom - top), theme.colour("hair"))
            if row is None:
                break
            if depth and (not open_rails or open_rails[-1][0] < depth):
                open_rails.append((depth, row.y() - 4))
            bottom = row.geometry().bottom() - 7


def _rows_of(form: Form, shown: Mapping[int, int]) -> Iterator[tuple[object, Node, int, int]]:
    """Key, node, depth and hidden items of every row: plain keys are fields, tuples are links that add."""
    root = form.root
    if root.kind in (Kind.GROUP, Kind.MAP):
        yield from _below(root, 0, shown)
        return
    yield from _row_and_below(root, 0, shown)


def _row_and_below(
    node: Node, depth: int, shown: Mapping[int, int]
) -> Iterator[tuple[object, Node, int, int]]:
    several = getattr(node, "multiline", False)
    yield f"{node.id} {node.kind} {depth} {several} {node.key}", node, depth, 0
    yield from _below(node, depth + 1, shown)


def _below(node: Node, depth: int, shown: Mapping[int, int]) -> Iterator[tuple[object, Node, int, int]]:
    if node.kind is Kind.JSON:
        return
    if isinstance(node, UnionNode):
        branch = node.branch
        if branch is not None and branch.kind in (Kind.GROUP, Kind.MAP):
            yield from _below(branch, depth, shown)
        elif branch is not None:
            yield from _row_and_below(branch, depth, shown)
        return
    children = node.children
    most = shown.get(node.id, PAGE) if isinstance(node, ListNode) else len(children)
    for child in children[:most]:
        if (
            isinstance(node.parent, UnionNode)
            and isinstance(child, ChoiceNode)
            and len(child.shape.choices) == 1
        ):
            continue  # the constant that tells the branches apart is set by picking one
        yield from _row_and_below(child, depth, shown)
    takes_keys = isinstance(node, ObjectNode) and (
        node.kind is Kind.MAP or node.shape.offers_keys or bool(node.entries)
    )
    if isinstance(node, ListNode) or takes_keys:
        hidden = max(len(children) - most, 0)
        yield (node.id, depth, hidden), node, depth, hidden

"""The rows of a form, kept in step with the tree of its model, with rails along what is nested."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from workbench.forms import Change, Form, ListNode, Node, ObjectNode, Problem
from workbench.forms.visits import Visits
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.summary import Summary
from workbench.gui.controls.words import Words
from workbench.gui.form.form_plan import MOST_COLUMNS, Pages, Planned, Role, plan
from workbench.gui.form.form_row import NARROW, WIDE, Columns, Row, indent
from workbench.gui.form.form_rows import FieldRow, FootRow
from workbench.gui.form.form_table import INDEX, HeadsRow, ItemRow
from workbench.gui.form.form_texts import LinesControl
from workbench.gui.style import theme
from workbench.gui.style.tokens import COLUMN_GAP, DOCUMENT_GUTTER, ROW

_TYPE_LEAST, _TYPE_MOST = 116, 360
_FIELD_LEAST, _FIELD_NARROW, _FIELD_AMPLE = 120, 200, 320
"""A type longer than its column takes what a field of ample width leaves; a narrow page takes it from both, and where
even without it the field would be narrow, label and state give, too."""
_CELL_LEAST = 64
"""Items whose cells would be narrower stand in rows."""
_AHEAD = 400
"""Pixels beyond what can be seen in which rows are built while nothing else is to be done."""
_AT_ONCE = 4
"""Rows that are built so before others get their turn."""


class FormPage(QWidget):
    """The rows, kept in step with the tree of nodes: a row lives as long as its node is of the same kind."""

    def __init__(self, form: Form, about: str) -> None:
        super().__init__()
        self._form = form
        self._about = Summary(about)
        if not about.strip():
            self._about.hide()
        self._width = 0
        self._seen = (0, 1_000)
        self._rows: dict[str, Row] = {}
        self._by_node: dict[int, Row] = {}
        self._pages = Pages()
        self.visits = Visits()
        self._ahead = QTimer(self)
        self._ahead.setInterval(0)
        self._ahead.timeout.connect(self._build_ahead)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(DOCUMENT_GUTTER, 12, DOCUMENT_GUTTER, 12)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._about)
        if not self._about.isHidden():
            self._layout.addSpacing(10)
        self._before = self._layout.count()
        self._nothing = Words("This tool takes no arguments. Run it as it is.", "ink2")
        self._layout.addWidget(self._nothing)
        self._layout.addStretch(1)
        fill(self, Ground.BASE)
        self.sync()

    # ---- finding

    def row_for(self, node_id: int) -> Row | None:
        """The row of a node, or of the nearest one above it that has a row."""
        node = self._form.node(node_id)
        while node is not None:
            if node.id in self._by_node:
                return self._by_node[node.id]
            node = node.parent
        return None

    def row_of(self, widget: QWidget | None) -> Row | None:
        """The row that a widget is in."""
        while widget is not None and widget is not self:
            if isinstance(widget, Row) and widget in self._rows.values():
                return widget
            widget = widget.parentWidget()
        return None

    def node_of(self, widget: QWidget | None) -> Node | None:
        """The field that a control is of."""
        row = self.row_of(widget)
        if row is None:
            return None
        return next((node for node in row.nodes() if row.target(node) is widget), row.node)

    def uncover(self, node_id: int) -> Row | None:
        """`row_for`, after turning to the pages that the field is on."""
        node = self._form.node(node_id)
        if node is not None and self._pages.show(node):
            self.sync()
        return self.row_for(node_id)

    # ---- what is said

    def reveal_all(self) -> None:
        """What any field lacks may be said now."""
        self.visits.note(*self._by_node)
        self.visits.settle()

    def show_problems(self, problems: tuple[Problem, ...], *, with_words: bool) -> None:
        """Mark the fields with problems. What is merely not filled in yet is said once the person has been there."""
        found: dict[int, Problem] = {}
        for problem in problems:
            at = self._shown_node(problem.node_id)
            if at is not None and self.visits.may_say(problem, at):
                found.setdefault(at, problem)
        for row in self._rows.values():
            for node in row.nodes():
                row.show_problem(node, found.get(node.id), with_words=with_words)

    def _shown_node(self, node_id: int) -> int | None:
        row = self.row_for(node_id)
        if row is None:
            return None
        return node_id if node_id in self._by_node else row.node.id

    # ---- the focus

    def focus_first(self) -> None:
        node = next((node for row in self._rows.values() for node in row.nodes()), None)
        if node is not None:
            self.focus(node)

    def focus(self, node: Node) -> None:
        """Put the focus into a field, or the nearest one above it."""
        row = self.row_for(node.id)
        target = row.target(node) if row is not None else None
        if target is not None:
            target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focus_added(self, node: Node) -> None:
        """A field was added: go to it, or to the first that stands in it."""
        row = self.uncover(node.id)
        below = node.walk() if isinstance(node, ListNode | ObjectNode) else ()
        inner = next((each for each in below if each is not node and each.id in self._by_node), None)
        key = row.key_field if isinstance(row, FieldRow) and row.node is node else None
        if key is not None:
            key.setFocus(Qt.FocusReason.OtherFocusReason)
            key.selectAll()
        else:
            self.focus(inner or node)

    def focus_to_mend(self, node: Node) -> None:
        """Put the focus where a field's problem is mended: its key if that is what cannot be used."""
        row = self.row_for(node.id)
        if node.key_text is not None and isinstance(row, FieldRow) and row.key_field is not None:
            row.key_field.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.focus(node)

    def _follow_key(self, node: Node, at: int) -> None:
        """The key that is being typed belongs to a field of another kind now: typing goes on there."""
        row = self.uncover(node.id)
        if isinstance(row, FieldRow) and row.key_field is not None:
            row.key_field.setFocus(Qt.FocusReason.OtherFocusReason)
            row.key_field.setCursorPosition(at)

    # ---- rows

    def sync(self) -> None:
        """Make the rows what the tree is now; the focus stays with its field, or goes to what held it."""
        held, at = self._held()
        focused = QApplication.focusWidget()
        self.visits.note_picks(self._form.root)
        rows: dict[str, Row] = {}
        for each in plan(self._form, self._pages):
            row = self._rows.pop(each.key, None)
            rows[each.key] = row if row is not None else self._make(each)
            if isinstance(row := rows[each.key], FootRow):
                row.show_span(self._pages.span(each.node), paged=self._pages.is_paged(each.node))
        if any(focused is not None and row.isAncestorOf(focused) for row in self._rows.values()):
            self.setFocus()  # else Qt hands it on to each field that goes in turn
        for row in self._rows.values():
            row.hide()
            row.deleteLater()
        self._rows = rows
        self._by_node = {node.id: row for row in rows.values() for node in row.nodes()}
        self._by_node |= {row.node.id: row for row in rows.values() if isinstance(row, ItemRow)}
        self._place()
        self.fit(self._width)
        self.build_near(*self._seen)
        if held and focused is not None and not (focused.hasFocus() and focused.isVisible()):
            self._hold(held, at)

    def refresh(self, change: Change) -> None:
        if not change.structure:
            self.visits.note_edits(*change.nodes)
        for row in {self._by_node[each] for each in change.nodes if each in self._by_node}:
            row.refresh()

    def build_near(self, top: int, bottom: int) -> None:
        """Build the rows between two heights of the page at once, and those around them soon."""
        self._seen = (top, bottom)
        wanted = self._unbuilt(top - ROW, bottom)
        for row in wanted:
            row.ensure()
        if wanted:
            self._chain()
        self._ahead.start()

    def _build_ahead(self) -> None:
        top, bottom = self._seen
        wanted = self._unbuilt(top - _AHEAD, bottom + _AHEAD)
        for row in wanted[:_AT_ONCE]:
            row.ensure()
        if wanted:
            self._chain()
        else:
            self._ahead.stop()

    def _unbuilt(self, top: int, bottom: int) -> list[Row]:
        """The rows between two heights of the page that are not built yet."""
        y = self._about.height() if not self._about.isHidden() else 0
        found: list[Row] = []
        for row in self._rows.values():
            if y > bottom:
                break
            height = row.tall()
            if y + height >= top and not row.is_built:
                found.append(row)
            y += height
        return found

    def fit(self, width: int) -> None:
        """Share a width between the columns, the same way in every row."""
        self._width = width
        columns = self._share(width)
        cells = width - 2 * DOCUMENT_GUTTER - columns.left - columns.right - INDEX
        most = min(max(cells // _CELL_LEAST, 0), MOST_COLUMNS) if width else MOST_COLUMNS
        if most != self._pages.most_columns:
            self._pages.most_columns = most
            self.sync()  # which shares the width anew
            return
        for row in self._rows.values():
            row.set_columns(columns)

    def _share(self, width: int) -> Columns:
        room = width - 2 * DOCUMENT_GUTTER - WIDE.label - WIDE.state - 3 * COLUMN_GAP
        if room < _FIELD_NARROW:
            return NARROW
        wanted = min(max((row.type_wanted for row in self._rows.values()), default=WIDE.type), _TYPE_MOST)
        ample = min(max(wanted, WIDE.type), room - _FIELD_AMPLE)
        taken = max(ample, min(WIDE.type, room - _FIELD_LEAST))
        return WIDE._replace(
            type=taken if taken >= _TYPE_LEAST else 0
        )  # else the inspector and the tip have it

    def _make(self, planned: Planned) -> Row:
        node, depth = planned.node, planned.depth
        row: Row
        if planned.role is Role.FOOT:
            row = foot = FootRow(node, depth)
            foot.turned.connect(lambda by: self._turn(node, by))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        elif planned.role is Role.HEADS:
            row = HeadsRow(node, depth, node.children[0].children)
        else:
            row = ItemRow(node, depth) if planned.role is Role.ITEM else FieldRow(node, depth)
        if isinstance(row, FieldRow):
            row.key_moved.connect(self._follow_key)
        row.added.connect(self._focus_added)
        return row

    def _place(self) -> None:
        """Put the rows into the layout; those at the top that stand where they stood are left alone."""
        rows = list(self._rows.values())
        at = self._before
        for row in rows:
            item = self._layout.itemAt(at)
            if item is None or item.widget() is not row:
                self._layout.insertWidget(at, row)
                row.show()
            at += 1
        self._nothing.setVisible(not rows)
        self._chain()
        self.update()

    def _chain(self) -> None:
        """Tab goes from row to row as they stand."""
        before: QWidget | None = None
        for row in self._rows.values():
            for target in row.targets():
                if before is not None:
                    QWidget.setTabOrder(before, target)
                before = target

    def _turn(self, node: Node, by: int) -> None:
        self._pages.turn(node, by)
        self.sync()
        first = node.children[self._pages.span(node).start]
        self.focus(next((each for each in first.walk() if each.id in self._by_node), first))

    def _held(self) -> tuple[list[Node], int]:
        """The field with the focus and those above it, from the inside out, and where its cursor is."""
        widget = QApplication.focusWidget()
        node = self.node_of(widget)
        if node is None or not isinstance(widget, QWidget):
            return [], 0
        at = 0
        if isinstance(widget, QLineEdit):
            at = widget.cursorPosition()
        elif isinstance(widget, LinesControl):
            at = widget.textCursor().position()
        # A list keeps the place of an item that is removed.
        return node.lineage()[::-1], at

    def _hold(self, held: list[Node], at: int) -> None:
        """Give the focus back to the field that had it, if its control is another now."""
        for gone, node in zip([None, *held], held, strict=False):
            if self._form.node(node.id) is not node or self.row_for(node.id) is None:
                continue
            if isinstance(node, ListNode) and gone is not None and isinstance(gone.key, int) and node.items:
                node = node.items[min(gone.key, len(node.items) - 1)]
                node = next((each for each in node.walk() if each.id in self._by_node), node)
            self.focus(node)
            widget = QApplication.focusWidget()
            if isinstance(widget, QLineEdit):
                widget.setCursorPosition(at)
            elif isinstance(widget, LinesControl):
                widget.put_cursor(at)
            return

    def top_of(self, row: QWidget) -> int:
        return row.mapTo(self, QPoint()).y()

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

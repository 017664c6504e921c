"""One row of a form: label, control, state, type; the error under the control; an item's actions at its right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QEnterEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.forms import Kind, ListNode, Node, ObjectNode, Problem, UnionNode
from workbench.gui import paint, theme
from workbench.gui.controls import Button, Words, line_of
from workbench.gui.controls import Kind as ButtonKind
from workbench.gui.fields import LineField
from workbench.gui.form_controls import (
    FoldControl,
    NothingControl,
    SegmentsControl,
    StateControl,
    make_control,
    opens_menu,
)
from workbench.gui.tokens import COLUMN_GAP, NESTING, ROW

LABEL, STATE, TYPE = 144, 92, 160
"""Widths of the columns beside the control, which takes the rest. The type takes more if it has more to say."""
_DEEPEST = 5
_ERROR_HEIGHT = 18


def indent(depth: int) -> int:
    """How far a label stands in; deeper levels than can be told apart stand together."""
    return min(depth, _DEEPEST) * NESTING


class FieldRow(QWidget):
    """Shows a node. `refresh` after it changed; `show_problem` when what is wrong with it is known."""

    def __init__(self, node: Node, depth: int) -> None:
        super().__init__()
        self.node = node
        self.level = depth
        self.control = make_control(node)
        self._state = StateControl(node)
        self._actions = _ItemActions(node) if _is_item(node) else None
        self._type = Words("", "ink2", theme.small(), width=TYPE)
        self._error = Words("", "err", theme.small(), height=_ERROR_HEIGHT)
        self._under = line_of(LABEL + COLUMN_GAP, self._error, gap=0)
        self._problem: Problem | None = None
        self._near = False
        self._has_type = True
        self._lay_out()
        self._state.asked.connect(self._offer_more)
        self.control.installEventFilter(self)
        self.refresh()

    @property
    def focus_widget(self) -> QWidget | None:
        """What a jump to this field puts the focus on; None when its value stands in the rows below it."""
        return None if isinstance(self.control, NothingControl) or self.control.isHidden() else self.control

    @property
    def error_shown(self) -> str:
        """What stands under the control, "" for nothing."""
        return "" if self._under.isHidden() else self._error.words

    def refresh(self) -> None:
        faulty = self._problem is not None
        self.control.refresh(faulty=faulty)
        self._state.refresh(faulty=faulty)
        self._show_type()

    @property
    def type_wanted(self) -> int:
        """The width that the type would take."""
        return int(paint.advance(self.node.type_words, theme.small())) + 2

    def set_type_width(self, width: int) -> None:
        """The type's column is as wide in every row; 0 leaves it out, and an item's actions are in its menu."""
        self._has_type = width > 0
        self._type.setFixedWidth(width)
        if self._actions is not None:
            self._actions.setFixedWidth(width)
        self._show_type()
        self.set_near(self._near)

    def _show_type(self) -> None:
        words = self.node.type_words
        if self.type_wanted > self._type.width() and words.endswith(", required"):
            # Where not all can be read, what matters most comes first.
            words = f"required, {words.removesuffix(', required')}"
        self._type.set_words(words)

    def show_problem(self, problem: Problem | None, *, with_words: bool) -> None:
        """Mark the field at once; the words come when the person pauses."""
        if (problem is None) != (self._problem is None):
            self._problem = problem
            self.refresh()
        self._problem = problem
        if problem is None:
            self._under.hide()
        elif with_words:
            self._error.set_words(problem.help or problem.words)
            self._under.show()

    def set_near(self, near: bool) -> None:
        """With the focus or the pointer on the row, its arrow and its actions show."""
        self._near = near
        self._state.show_arrow(near)
        acts = near and self._actions is not None
        self._type.setVisible(self._has_type and not acts)
        if self._actions is not None:
            self._actions.setVisible(self._has_type and acts)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.set_near(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.set_near(self.isAncestorOf(self.window().focusWidget() or self.window()))
        super().leaveEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and opens_menu(event):
            self._state.open_menu()
            return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        shape = self.node.shape
        label = self._label()
        tip = "\n".join(part for part in (shape.description, self.node.type_words, *shape.notes) if part)
        label.setToolTip(tip)
        self.control.setToolTip(tip)
        self.control.setAccessibleDescription(tip)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(COLUMN_GAP)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(label, 0, top)
        if isinstance(self.control, FoldControl | SegmentsControl | NothingControl):
            about = Words(shape.description, "ink2", theme.small())
            about.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            row.addWidget(line_of(self.control, about, gap=COLUMN_GAP, height=ROW), 1, top)
        else:
            row.addWidget(self.control, 1, top)
        row.addWidget(self._state, 0, top)
        row.addWidget(self._type, 0, top)
        if self._actions is not None:
            self._actions.hide()
            row.addWidget(self._actions, 0, top)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._under)
        self._under.hide()

    def _label(self) -> QWidget:
        lead = indent(self.level)
        if _is_entry(self.node):
            return _fixed(line_of(lead, _KeyField(self.node), gap=0))
        key = self.node.key
        words = f"[{key}]" if isinstance(key, int) else str(key) if key is not None else ""
        if isinstance(self.node.parent, UnionNode):
            return _fixed(line_of(lead, Words("value", "ink2", theme.small()), gap=0))
        return _fixed(line_of(lead, Words(words, font=theme.data(), width=LABEL - lead), gap=0))

    def _offer_more(self, menu: QMenu) -> None:
        if self.node.shape.kind is not Kind.JSON:
            menu.addSeparator()
            as_json = self.node.json_text is None
            action = QAction("Edit as JSON" if as_json else "Edit as fields", menu)
            action.triggered.connect(self._toggle_json)
            menu.addAction(action)
        if self._actions is not None:
            menu.addSeparator()
            self._actions.add_to(menu)

    def _toggle_json(self) -> None:
        if self.node.json_text is None:
            self.node.edit_as_json()
        else:
            self.node.edit_as_fields()


def _fixed(widget: QWidget) -> QWidget:
    widget.setFixedSize(LABEL, ROW)
    return widget


def _is_entry(node: Node) -> bool:
    return isinstance(node.parent, ObjectNode) and node in node.parent.entries


def _is_item(node: Node) -> bool:
    return isinstance(node.parent, ListNode) or _is_entry(node)


class _KeyField(LineField):
    """The key of an entry that the person names; a key that is taken keeps the old one and says so."""

    def __init__(self, node: Node) -> None:
        super().__init__("key")
        self._node = node
        self.setText(str(node.key))
        self.setAccessibleName(f"Key of {node.label}")
        self.editingFinished.connect(self._rename)

    def _rename(self) -> None:
        holder = self._node.parent
        if not isinstance(holder, ObjectNode) or self.text() == self._node.key:
            return
        try:
            holder.rename_entry(self._node, self.text())
        except UserError as error:
            self.setToolTip(str(error))
            self.setText(str(self._node.key))


class _ItemActions(QWidget):
    """What can be done to an item of an array or an entry of a map."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._does = (
            (
                ("copy", "Duplicate", self._duplicate),
                ("arrow-up", "Move up", self._up),
                ("arrow-down", "Move down", self._down),
                ("trash", "Remove", self._remove),
            )
            if isinstance(node.parent, ListNode)
            else (("trash", "Remove", self._remove),)
        )
        for icon, words, do in self._does:
            button = Button(kind=ButtonKind.QUIET, icon=icon, tip=words)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(do)
            layout.addWidget(button)
        layout.addStretch(1)
        self.setFixedSize(TYPE, ROW)

    def add_to(self, menu: QMenu) -> None:
        for _, words, do in self._does:
            action = QAction(words, menu)
            action.triggered.connect(do)
            menu.addAction(action)

    def _place(self) -> tuple[ListNode, int] | None:
        holder = self._node.parent
        return (holder, holder.items.index(self._node)) if isinstance(holder, ListNode) else None

    def _duplicate(self) -> None:
        if place := self._place():
            place[0].duplicate(place[1])

    def _up(self) -> None:
        if (place := self._place()) and place[1] > 0:
            place[0].move(place[1], place[1] - 1)

    def _down(self) -> None:
        if (place := self._place()) and place[1] < len(place[0].items) - 1:
            place[0].move(place[1], place[1] + 1)

    def _remove(self) -> None:
        holder = self._node.parent
        if place := self._place():
            place[0].remove(place[1])
        elif isinstance(holder, ObjectNode):
            holder.remove_entry(self._node)


class AddRow(QWidget):
    """The link under the last item or key that adds another, or shows more of a long array."""

    added = Signal(object)
    more = Signal()

    def __init__(self, node: Node, depth: int, *, hidden: int = 0) -> None:
        super().__init__()
        self.node = node
        self.level = depth
        is_list = isinstance(node, ListNode)
        self.button = Button("Add item" if is_list else "Add key", ButtonKind.LINK, icon="plus")
        self.button.clicked.connect(self._add)
        more = Button(f"Show more, {hidden:,} hidden", ButtonKind.LINK)
        more.clicked.connect(self.more)
        if not hidden:
            more.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.addWidget(line_of(LABEL + COLUMN_GAP, self.button, more, None, gap=0, height=ROW))

    def _add(self) -> None:
        if isinstance(self.node, ListNode):
            self.added.emit(self.node.add())
        elif isinstance(self.node, ObjectNode):
            taken = {str(child.key) for child in self.node.children}
            name = next(name for n in range(1, 10_000) if (name := f"key{n}") not in taken)
            self.added.emit(self.node.add_entry(name))

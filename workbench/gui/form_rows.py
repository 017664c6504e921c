"""The rows of a form: label, control, state, type; an item of a table; the foot of a list. Built when they are near."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from workbench.forms import Kind, ListNode, Node, Problem, UnionNode
from workbench.gui import paint, theme
from workbench.gui.controls import Button, Words, line_of
from workbench.gui.form_controls import (
    Control,
    HeadControl,
    SegmentsControl,
    TextControl,
    make_cell,
    make_control,
)
from workbench.gui.form_items import Foot, ItemActions, KeyField, offers_of
from workbench.gui.form_plan import is_entry
from workbench.gui.form_state import STATE, StateControl, add_action, opens_menu, state_menu
from workbench.gui.paint import LEFT, RIGHT, Line
from workbench.gui.tokens import COLUMN_GAP, NESTING, ROW

LABEL, TYPE = 144, 160
"""Widths of the columns beside the control, which takes the rest. The type takes more if it has more to say."""
GAP = 8
"""Between one row and the next."""
_DEEPEST = 5
_ERROR_HEIGHT = 18
_TALL = 58
"""Height of an empty field of several lines."""
_ANY_HEIGHT = 16_777_215
_INDEX = 28
_CELL_GAP = 4


def indent(depth: int) -> int:
    """How far a label stands in; deeper levels than can be told apart stand together."""
    return min(depth, _DEEPEST) * NESTING


class Row(QWidget):
    """Holds the place of a row, and builds what is in it when it comes near what can be seen."""

    added = Signal(object)
    """A `Node` was added below the node of this row."""

    def __init__(self, node: Node, depth: int, *, height: int = ROW, gap: int = GAP) -> None:
        super().__init__()
        self.node = node
        self.level = depth
        self._gap = gap
        self._is_built = False
        self.setFixedHeight(height + gap)

    def ensure(self) -> None:
        """Build what is in the row, if it is not there yet."""
        if not self._is_built:
            self._is_built = True
            self.setMinimumHeight(0)
            self.setMaximumHeight(_ANY_HEIGHT)
            self.build()
            self._show_built()

    def _show_built(self) -> None:
        """Qt shows later what is put into a widget that can be seen, too late to take the focus."""
        said = Qt.WidgetAttribute.WA_WState_ExplicitShowHide
        for child in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if not child.testAttribute(said):
                child.show()

    @property
    def is_built(self) -> bool:
        return self._is_built

    def tall(self) -> int:
        """How many pixels the row takes, before it was laid out, too."""
        return self.sizeHint().height() if self._is_built else self.minimumHeight()

    def build(self) -> None:
        raise NotImplementedError

    def nodes(self) -> Sequence[Node]:
        """The fields that are shown in this row."""
        return ()

    def targets(self) -> Sequence[QWidget]:
        """What Tab reaches, in order; of a row that is not built, nothing."""
        return ()

    def target(self, node: Node) -> QWidget | None:
        """What a jump to a field puts the focus on."""
        return None

    def refresh(self) -> None:
        """A field of this row changed."""

    def show_problem(self, node: Node, problem: Problem | None, *, with_words: bool) -> None:
        """Mark a field of this row at once; the words come when the person pauses."""

    @property
    def type_wanted(self) -> int:
        """The width that the type would take."""
        return 0

    def set_type_width(self, width: int) -> None:
        """The type's column is as wide in every row; 0 leaves it out."""

    def set_near(self, near: bool) -> None:
        """With the focus or the pointer on the row, its arrow and its actions show."""

    def enterEvent(self, event: QEnterEvent) -> None:
        self.set_near(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.set_near(self.isAncestorOf(self.window().focusWidget() or self.window()))
        super().leaveEvent(event)


class _StatedRow(Row):
    """A row with a state, a type, the actions of an item, and the words of what is wrong under it."""

    def __init__(self, node: Node, depth: int, *, height: int = ROW, gap: int = GAP) -> None:
        super().__init__(node, depth, height=height, gap=gap)
        self._problems: dict[int, Problem] = {}
        self._with_words = False
        self._near = False
        self._type_width = TYPE
        self._has_type = True

    def build(self) -> None:
        self._state = StateControl(self.node)
        self._state.asked.connect(self.open_menu)
        self._actions: ItemActions | None = None
        self._under: QWidget | None = None
        self._type = Words("", "ink2", theme.small(), width=TYPE)
        row = self._line = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(COLUMN_GAP)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self.make_label(), 0, top)
        row.addWidget(self.make_middle(), 1, top)
        row.addWidget(self._state, 0, top)
        row.addWidget(self._type, 0, top)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, self._gap)
        column.setSpacing(0)
        column.addLayout(row)
        for each in self.controls():
            each.installEventFilter(self)
        self.refresh()
        self.set_type_width(self._type_width)
        self._show_words()

    def make_label(self) -> QWidget:
        raise NotImplementedError

    def make_middle(self) -> QWidget:
        raise NotImplementedError

    def controls(self) -> Sequence[Control]:
        """The controls of the fields in this row, in the order of `nodes`."""
        raise NotImplementedError

    def type_words(self) -> str:
        return self.node.type_words

    @property
    def error_shown(self) -> str:
        """What stands under the control, "" for nothing."""
        shown = self._is_built and self._under is not None and not self._under.isHidden()
        return self._error.words if shown else ""

    def say(self, words: str) -> None:
        """Put words under the control; "" takes them away."""
        if self._under is None:
            if not words:
                return
            self._error = Words("", "err", theme.small(), height=_ERROR_HEIGHT)
            self._under = line_of(LABEL + COLUMN_GAP, self._error, gap=0)
            layout = self.layout()
            if layout is not None:
                layout.addWidget(self._under)
        if words:
            self._error.set_words(words)
        self._under.setVisible(bool(words))

    def refresh(self) -> None:
        if not self._is_built:
            return
        for node, control in zip(self.nodes(), self.controls(), strict=True):
            control.refresh(faulty=node.id in self._problems)
        self._state.refresh(faulty=self.node.id in self._problems)
        self._show_type()

    @property
    def type_wanted(self) -> int:
        return int(paint.advance(self.type_words(), theme.small())) + 2

    def set_type_width(self, width: int) -> None:
        """Where it is left out, an item's actions are in its menu."""
        self._type_width = width
        if not self._is_built:
            return
        self._type.setFixedWidth(width)
        self._show_type()
        self.set_near(self._near)

    def _show_type(self) -> None:
        words = self.type_words()
        if self.type_wanted > self._type_width and words.endswith(", required"):
            # Where not all can be read, what matters most comes first.
            words = f"required, {words.removesuffix(', required')}"
        self._type.set_words(words)

    def show_problem(self, node: Node, problem: Problem | None, *, with_words: bool) -> None:
        known = self._problems.get(node.id)
        self._with_words = with_words
        if problem is None:
            self._problems.pop(node.id, None)
        else:
            self._problems[node.id] = problem
        if (problem is None) != (known is None):
            self.refresh()
        if problem is not known or with_words:
            self._show_words()

    def _show_words(self) -> None:
        if not self._is_built:
            return
        if not self._problems:
            self.say("")
        elif self._with_words:
            self.say(self.words_of(next(iter(self._problems.values()))))

    def words_of(self, problem: Problem) -> str:
        return problem.help or problem.words

    def set_near(self, near: bool) -> None:
        self._near = near
        if not self._is_built:
            return
        self._state.show_arrow(near)
        offers = offers_of(self.node) if near and self._type_width else []
        if self._actions is not None:
            self._actions.hide()
            self._actions.deleteLater()
            self._actions = None
        if offers:
            self._actions = ItemActions(offers, self._type_width)
            self._line.addWidget(self._actions, 0, Qt.AlignmentFlag.AlignTop)
            self._actions.show()
        has_type = self._type_width > 0 and not offers
        if has_type != self._has_type:  # asking Qt anew costs as much as building half a row
            self._has_type = has_type
            self._type.setVisible(has_type)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and opens_menu(event):
            at = next((at for at, each in enumerate(self.controls()) if each is watched), 0)
            self.open_menu(self.nodes()[at])
            return True
        return super().eventFilter(watched, event)

    def open_menu(self, node: Node | None = None) -> None:
        """What can be done to a field of this row, and to the item that the row is."""
        asked = node or self.node
        menu = state_menu(asked, self)
        self.offer_more(menu, asked)
        if offers := offers_of(self.node):
            menu.addSeparator()
        for offer in offers:
            add_action(menu, offer.words, offer.do)
        self._state.pop_up(menu)

    def offer_more(self, menu: QMenu, node: Node) -> None:
        """Add what a control can do."""


class FieldRow(_StatedRow):
    """One field: its label, its control, its state and its type."""

    def __init__(self, node: Node, depth: int) -> None:
        super().__init__(node, depth, height=_TALL if getattr(node, "multiline", False) else ROW)

    @property
    def control(self) -> Control:
        self.ensure()
        return self._control

    @property
    def focus_widget(self) -> QWidget:
        return self.control

    def nodes(self) -> Sequence[Node]:
        return (self.node,)

    def controls(self) -> Sequence[Control]:
        return (self._control,)

    def targets(self) -> Sequence[QWidget]:
        if not self._is_built:
            return ()
        return (self._control,) if self._key is None else (self._key, self._control)

    def target(self, node: Node) -> QWidget:
        return self.control

    def first_target(self) -> QWidget:
        """What is focused when the field has just been added: its key, if the person names it."""
        self.ensure()
        return self._key or self._control

    def make_label(self) -> QWidget:
        self._key: KeyField | None = None
        lead = indent(self.level)
        if is_entry(self.node):
            self._key = KeyField(self.node)
            self._key.refused.connect(self._say)
            label = line_of(lead, self._key, gap=0)
        elif isinstance(self.node.parent, UnionNode):
            label = line_of(lead, Words("value", "ink2", theme.small()), gap=0)
        else:
            label = line_of(lead, Words(_name(self.node), font=theme.data(), width=LABEL - lead), gap=0)
        label.setFixedSize(LABEL, ROW)
        label.setToolTip(self._tip())
        return label

    def make_middle(self) -> QWidget:
        shape = self.node.shape
        self._control = make_control(self.node)
        self._control.setToolTip(self._tip())
        self._control.setAccessibleDescription(self._tip())
        if isinstance(self._control, HeadControl):
            self._control.added.connect(self.added)
            self._control.menu_asked.connect(self.open_menu)
        if not isinstance(self._control, HeadControl | SegmentsControl):
            return self._control
        about = Words(shape.description, "ink2", theme.small())
        about.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        return line_of(self._control, about, gap=COLUMN_GAP, height=ROW)

    def offer_more(self, menu: QMenu, node: Node) -> None:
        if isinstance(self._control, TextControl):
            menu.addSeparator()
            self._control.add_to(menu)

    def _tip(self) -> str:
        shape = self.node.shape
        return "\n".join(part for part in (shape.description, self.node.type_words, *shape.notes) if part)

    def _say(self, words: str) -> None:
        """Something about the key, which has no place of its own for it."""
        self.say(words)
        if not words:
            self._show_words()


def _name(node: Node) -> str:
    key = node.key
    if not isinstance(key, int):
        return "" if key is None else str(key)
    if isinstance(node.parent, ListNode) and node.parent.is_place(key) and node.shape.title:
        return node.shape.title
    return f"[{key}]"


class ItemRow(_StatedRow):
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

    def first_target(self) -> QWidget:
        self.ensure()
        return self._cells[0]

    def make_label(self) -> QWidget:
        holder = QWidget()
        holder.setFixedSize(LABEL, ROW)
        return holder

    def make_middle(self) -> QWidget:
        self._cells = tuple(make_cell(field) for field in self._fields)
        holder = QWidget()
        holder.setFixedHeight(ROW)
        layout = QHBoxLayout(holder)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_CELL_GAP)
        layout.addWidget(Words(str(self.node.key), "ink2", theme.data(), width=_INDEX - _CELL_GAP))
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
        left = LABEL + COLUMN_GAP
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
        self._type_width = TYPE
        self.setToolTip("\n".join(f"{each.key}: {each.type_words}" for each in fields))

    def build(self) -> None:
        self.setFixedHeight(ROW + _CELL_GAP)

    def set_type_width(self, width: int) -> None:
        self._type_width = width
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = LABEL + COLUMN_GAP
        right = self.width() - STATE - COLUMN_GAP - (self._type_width + COLUMN_GAP if self._type_width else 0)
        room = right - left - _INDEX - _CELL_GAP * (len(self._heads) - 1)
        shares = sum(share for _, share, _ in self._heads)
        line = Line(painter, self.width(), ROW)
        x = float(left + _INDEX)
        for name, share, is_number in self._heads:
            width = room * share / shares
            line.text(name, x + 8, width - 16, "ink2", theme.data(), align=RIGHT if is_number else LEFT)
            x += width + _CELL_GAP
        painter.fillRect(left, ROW - 1, right - left, 1, theme.colour("edge"))
        painter.end()


class FootRow(Row):
    """The foot of a list or map."""

    turned = Signal(int)

    def __init__(self, node: Node, depth: int) -> None:
        super().__init__(node, depth)
        self._span = range(0)
        self._paged = False
        self._beside = QWidget()
        """Keeps free what lies beside the fields."""
        self.set_type_width(TYPE)

    def build(self) -> None:
        self._foot = Foot(self.node)
        self._foot.added.connect(self.added)
        self._foot.turned.connect(self.turned)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, self._gap)
        # A link reaches out at its left, so that its words stand in line.
        room = LABEL + COLUMN_GAP - 4
        layout.addWidget(line_of(room, self._foot, self._beside, gap=0, height=ROW))
        self.show_span(self._span, paged=self._paged)

    def set_type_width(self, width: int) -> None:
        self._beside.setFixedWidth(STATE + COLUMN_GAP + (width + COLUMN_GAP if width else 0))

    @property
    def button(self) -> Button:
        self.ensure()
        return self._foot.button

    def targets(self) -> Sequence[QWidget]:
        return self._foot.targets() if self._is_built else ()

    def show_span(self, span: range, *, paged: bool) -> None:
        """Say which part of the list is shown."""
        self._span, self._paged = span, paged
        if self._is_built:
            self._foot.refresh(span, paged=paged)

"""The base of a form's rows: one holds its place, and builds what is in it when it comes near what can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from workbench.forms import Node, Problem
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.form.form_controls import Control
from workbench.gui.form.form_items import ItemActions, offers_of
from workbench.gui.form.form_state import MARK, STATE, StateControl, add_action, opens_menu, state_menu
from workbench.gui.style import paint, theme
from workbench.gui.style.tokens import COLUMN_GAP, NESTING, ROW


class Columns(NamedTuple):
    """Widths of the columns beside the control, which takes the rest: the same in every row."""

    label: int = 144
    state: int = STATE
    type: int = 160
    """0 leaves it out. It takes more than this if it has more to say."""

    @property
    def left(self) -> int:
        """Where the controls begin."""
        return self.label + COLUMN_GAP

    @property
    def right(self) -> int:
        """What lies beside the controls at their right."""
        return self.state + COLUMN_GAP + (self.type + COLUMN_GAP if self.type else 0)


WIDE = Columns()
NARROW = Columns(label=104, state=MARK, type=0)
"""Where there is little room: the state is told by its mark alone."""
GAP = 8
"""Between one row and the next."""
_DEEPEST = 5
_ERROR_HEIGHT = 18
_ANY_HEIGHT = 16_777_215


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
        self._columns = WIDE
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

    def set_columns(self, columns: Columns) -> None:
        """Share the width with the other rows in the same way."""
        self._columns = columns

    def set_near(self, near: bool) -> None:
        """With the focus or the pointer on the row, its arrow and its actions show."""

    def enterEvent(self, event: QEnterEvent) -> None:
        self.set_near(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.set_near(self.isAncestorOf(self.window().focusWidget() or self.window()))
        super().leaveEvent(event)


class StatedRow(Row):
    """A row with a state, a type, the actions of an item, and the words of what is wrong under it."""

    def __init__(self, node: Node, depth: int, *, height: int = ROW, gap: int = GAP) -> None:
        super().__init__(node, depth, height=height, gap=gap)
        self._problems: dict[int, Problem] = {}
        self._with_words = False
        self._near = False
        self._has_type = True

    def build(self) -> None:
        self._state = StateControl(self.node)
        self._state.asked.connect(self.open_menu)
        self._actions: ItemActions | None = None
        self._under: QWidget | None = None
        self._label = self.make_label()
        self._type = Words("", "ink2", theme.small())
        row = self._line = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(COLUMN_GAP)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self._label, 0, top)
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
        self.set_columns(self._columns)
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
            self._beside = QWidget()
            self._beside.setFixedWidth(self._columns.left)
            self._under = line_of(self._beside, self._error, gap=0)
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

    def set_columns(self, columns: Columns) -> None:
        """Where the type is left out, an item's actions are in its menu."""
        super().set_columns(columns)
        if not self._is_built:
            return
        self._label.setFixedWidth(columns.label)
        self._state.setFixedWidth(columns.state)
        self._type.setFixedWidth(columns.type)
        if self._under is not None:
            self._beside.setFixedWidth(columns.left)
        self._show_type()
        self.set_near(self._near)

    def _show_type(self) -> None:
        words = self.type_words()
        self._type.set_words(words)
        self._type.setToolTip(words)

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
        offers = offers_of(self.node) if near and self._columns.type else []
        if self._actions is not None:
            self._actions.hide()
            self._actions.deleteLater()
            self._actions = None
        if offers:
            self._actions = ItemActions(offers, self._columns.type)
            self._line.addWidget(self._actions, 0, Qt.AlignmentFlag.AlignTop)
            self._actions.show()
        has_type = self._columns.type > 0 and not offers
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

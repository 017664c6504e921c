"""The rows of one field each, and the foot under the items of a list or the keys of a map."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QSizePolicy, QVBoxLayout, QWidget

from workbench.forms import ListNode, Node, UnionNode
from workbench.gui.controls.button import Button
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.form.form_controls import Control, SegmentsControl, make_control
from workbench.gui.form.form_heads import HeadControl
from workbench.gui.form.form_items import Foot, KeyField
from workbench.gui.form.form_plan import is_entry
from workbench.gui.form.form_row import Columns, Row, StatedRow, indent
from workbench.gui.form.form_texts import TextControl
from workbench.gui.style import theme
from workbench.gui.style.tokens import COLUMN_GAP, ROW

_TALL = 59
"""Height of an empty field of several lines."""


class FieldRow(StatedRow):
    """One field: its label, its control, its state and its type."""

    key_moved = Signal(object, int)
    """As `KeyField.moved`."""

    def __init__(self, node: Node, depth: int) -> None:
        super().__init__(node, depth, height=_TALL if getattr(node, "multiline", False) else ROW)

    @property
    def control(self) -> Control:
        self.ensure()
        return self._control

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

    def refresh(self) -> None:
        super().refresh()
        if self._is_built and self._key is not None:
            self._key.refresh()

    @property
    def key_field(self) -> KeyField | None:
        """Where the key of an entry is typed."""
        self.ensure()
        return self._key

    def make_label(self) -> QWidget:
        self._key: KeyField | None = None
        lead = indent(self.level)
        if is_entry(self.node):
            self._key = KeyField(self.node)
            self._key.moved.connect(self.key_moved)
            label = line_of(lead, self._key, gap=0)
        elif isinstance(self.node.parent, UnionNode):
            label = line_of(lead, Words("value", "ink2", theme.small()), gap=0)
        else:
            label = line_of(lead, Words(_name(self.node), font=theme.data()), gap=0)
        label.setFixedHeight(ROW)
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


def _name(node: Node) -> str:
    key = node.key
    if not isinstance(key, int):
        return "" if key is None else str(key)
    if isinstance(node.parent, ListNode) and node.parent.is_place(key) and node.shape.title:
        return node.shape.title
    return f"[{key}]"


class FootRow(Row):
    """The foot of a list or map."""

    turned = Signal(int)

    def __init__(self, node: Node, depth: int) -> None:
        super().__init__(node, depth)
        self._span = range(0)
        self._paged = False
        self._before, self._beside = QWidget(), QWidget()
        """Keep free what lies beside the fields."""
        self.set_columns(self._columns)

    def build(self) -> None:
        self._foot = Foot(self.node)
        self._foot.added.connect(self.added)
        self._foot.turned.connect(self.turned)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, self._gap)
        layout.addWidget(line_of(self._before, self._foot, self._beside, gap=0, height=ROW))
        self.show_span(self._span, paged=self._paged)

    def set_columns(self, columns: Columns) -> None:
        super().set_columns(columns)
        self._before.setFixedWidth(
            columns.left - 4
        )  # a link reaches out at its left: its words stand in line
        self._beside.setFixedWidth(columns.right)

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

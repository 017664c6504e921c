"""What is done to the items of an array and the keys of a map: their keys, their actions, the row under them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from workbench.base.errors import UserError
from workbench.forms import ListNode, Node, ObjectNode
from workbench.gui.controls import Button, Words
from workbench.gui.controls import Kind as ButtonKind
from workbench.gui.fields import LineField, set_state
from workbench.gui.form_plan import is_entry
from workbench.gui.form_state import add_action
from workbench.gui.tokens import ROW


def is_item(node: Node) -> bool:
    return isinstance(node.parent, ListNode) or is_entry(node)


class KeyField(LineField):
    """The key of an entry that the person names. A key that is taken is said to be, and the old one counts."""

    refused = Signal(str)
    """Why the key cannot be what was typed; "" when it can."""

    def __init__(self, node: Node) -> None:
        super().__init__("empty key")
        self._node = node
        self.setText(str(node.key))
        self.refresh()
        self.textEdited.connect(self._check)
        self.editingFinished.connect(self._rename)

    def refresh(self) -> None:
        self.setAccessibleName(f"Key of {self._node.label}")

    @property
    def _holder(self) -> ObjectNode | None:
        return self._node.parent if isinstance(self._node.parent, ObjectNode) else None

    def _check(self, typed: str) -> None:
        holder = self._holder
        others = {member.name for member in holder.shape.members} if holder is not None else set[str]()
        if holder is not None:
            others |= {str(each.key) for each in holder.entries if each is not self._node}
        taken = typed in others
        set_state(self, "error" if taken else "")
        self.refused.emit(f"There is already a key “{typed}”." if taken else "")

    def _rename(self) -> None:
        holder = self._holder
        if holder is None or self.text() == self._node.key or self._node not in holder.entries:
            return
        try:
            holder.rename_entry(self._node, self.text())
            self.refresh()
        except UserError:
            self.setText(str(self._node.key))
            self._check(self.text())


class ItemActions(QWidget):
    """What can be done to an item of an array or an entry of a map, for the pointer; the menu has it for the keys."""

    def __init__(self, node: Node, width: int) -> None:
        super().__init__()
        self._node = node
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for icon, words, do in self._offers():
            button = Button(kind=ButtonKind.QUIET, icon=icon, tip=words)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(do)
            layout.addWidget(button)
        layout.addStretch(1)
        self.setFixedSize(width, ROW)

    def add_to(self, menu: QMenu) -> None:
        offers = self._offers()
        if offers:
            menu.addSeparator()
        for _, words, do in offers:
            add_action(menu, words, do)

    def _offers(self) -> list[tuple[str, str, Callable[[], None]]]:
        holder = self._node.parent
        remove = ("trash", "Remove", self._remove)
        if not isinstance(holder, ListNode):
            return [remove]
        at = self._at(holder)
        if holder.is_place(at):
            return [remove] if holder.may_remove(at) else []
        return [
            ("copy", "Duplicate", self._duplicate),
            ("arrow-up", "Move up", lambda: self._move(-1)),
            ("arrow-down", "Move down", lambda: self._move(1)),
            remove,
        ]

    def _at(self, holder: ListNode) -> int:
        return holder.items.index(self._node)

    def _duplicate(self) -> None:
        if isinstance(holder := self._node.parent, ListNode) and holder.takes_more:
            holder.duplicate(self._at(holder))

    def _move(self, by: int) -> None:
        if isinstance(holder := self._node.parent, ListNode):
            to = self._at(holder) + by
            if 0 <= to < len(holder.items) and not holder.is_place(to):
                holder.move(self._at(holder), to)

    def _remove(self) -> None:
        holder = self._node.parent
        if isinstance(holder, ListNode):
            holder.remove(self._at(holder))
        elif isinstance(holder, ObjectNode):
            holder.remove_entry(self._node)


class Foot(QWidget):
    """The link under the last item or key that adds another, and the pages of a long list."""

    added = Signal(object)
    """The `Node` that was added."""
    turned = Signal(int)
    """So many pages further, or back."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node
        is_list = isinstance(node, ListNode)
        self.button = Button("Add item" if is_list else "Add key", ButtonKind.LINK, icon="plus")
        self.button.clicked.connect(self._add)
        self._place = Words("", "ink2")
        self._back = Button("Previous", ButtonKind.LINK)
        self._on = Button("Next", ButtonKind.LINK)
        self._back.clicked.connect(lambda: self.turned.emit(-1))
        self._on.clicked.connect(lambda: self.turned.emit(1))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.button)
        layout.addStretch(1)
        for each in (self._place, self._back, self._on):
            layout.addWidget(each)

    def targets(self) -> list[QWidget]:
        """What Tab reaches, in order."""
        return [each for each in (self.button, self._back, self._on) if not each.isHidden()]

    def refresh(self, span: range, *, paged: bool) -> None:
        node = self._node
        total = len(node.children)
        takes = node.takes_more if isinstance(node, ListNode) else _takes_keys(node)
        self.button.setVisible(takes)
        for each in (self._place, self._back, self._on):
            each.setVisible(paged)
        self._place.set_words(f"{span.start + 1:,} to {span.stop:,} of {total:,}")
        self._back.setEnabled(span.start > 0)
        self._on.setEnabled(span.stop < total)

    def _add(self) -> None:
        if isinstance(self._node, ListNode):
            self.added.emit(self._node.add())
        elif isinstance(self._node, ObjectNode):
            self.added.emit(self._node.add_entry(self._node.free_key()))


def _takes_keys(node: Node) -> bool:
    return (
        isinstance(node, ObjectNode)
        and (node.shape.offers_keys or bool(node.entries))
        and (node.shape.is_open or node.shape.offers_keys)
    )

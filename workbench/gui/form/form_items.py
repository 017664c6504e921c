"""What is done to the items of an array and the keys of a map: their keys, their actions, the row under them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.forms import ListNode, Node, ObjectNode
from workbench.gui.controls.button import Button
from workbench.gui.controls.button import Kind as ButtonKind
from workbench.gui.controls.fields import LineField, set_state
from workbench.gui.controls.words import Words
from workbench.gui.form.form_plan import is_entry
from workbench.gui.style.tokens import ROW


class KeyField(LineField):
    """The key of an entry that the person names: what is typed is the key at once, or blocks while it is taken."""

    moved = Signal(object, int)
    """The entry is another `Node` under this key; the cursor was at so many characters."""

    def __init__(self, node: Node) -> None:
        super().__init__("empty key")
        self._node = node
        self.refresh()
        self.textEdited.connect(self._type)

    def refresh(self) -> None:
        node = self._node
        self.setAccessibleName(f"Key of {node.label}")
        set_state(self, "" if node.key_text is None else "error")
        text = str(node.key) if node.key_text is None else node.key_text
        if self.text() != text:
            self.setText(text)

    def _type(self, typed: str) -> None:
        holder = self._node.parent
        if not isinstance(holder, ObjectNode) or self._node not in holder.entries:
            return
        now = holder.type_key(self._node, typed)
        if now is not self._node:
            self.moved.emit(now, self.cursorPosition())


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be done to an item."""

    icon: str
    words: str
    do: Callable[[], object]


def offers_of(node: Node) -> list[Offer]:
    """What can be done to an item of an array or an entry of a map; nothing to any other field."""
    holder = node.parent
    if isinstance(holder, ObjectNode) and is_entry(node):
        return [Offer("trash", "Remove", lambda: holder.remove_entry(node))]
    if not isinstance(holder, ListNode) or node not in holder.items:
        return []
    at = holder.items.index(node)
    remove = Offer("trash", "Remove", lambda: holder.remove(at))
    if holder.is_place(at):
        return [remove] if holder.may_remove(at) else []
    offers = [Offer("copy", "Duplicate", lambda: holder.duplicate(at))] if holder.takes_more else []
    if at > 0 and not holder.is_place(at - 1):
        offers.append(Offer("arrow-up", "Move up", lambda: holder.move(at, at - 1)))
    if at < len(holder.items) - 1:
        offers.append(Offer("arrow-down", "Move down", lambda: holder.move(at, at + 1)))
    return [*offers, remove]


class ItemActions(QWidget):
    """What can be done to an item, for the pointer; the menu of its state has it for the keys."""

    def __init__(self, offers: Sequence[Offer], width: int) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for offer in offers:
            button = Button(kind=ButtonKind.QUIET, icon=offer.icon, tip=offer.words)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(offer.do)
            layout.addWidget(button)
        layout.addStretch(1)
        self.setFixedSize(width, ROW)


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

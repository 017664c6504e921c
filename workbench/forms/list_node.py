"""A list of fields: items that are added, moved and removed, after those that have a place of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from workbench.base.errors import UsageError, UserError
from workbench.base.exact_json import JsonValue
from workbench.forms.holding import filled, mappings
from workbench.forms.node import Node, Tree
from workbench.forms.parts import Part
from workbench.forms.reading import Absent, Reading, State
from workbench.forms.shapes import Shape


class ListNode(Node):
    """An array. Untouched it is not sent; with its last item removed it is an empty array."""

    empty: ClassVar[JsonValue | Absent] = cast("list[JsonValue]", [])

    def __init__(
        self, tree: Tree, parent: Node | None, key: str | int | None, shape: Shape, *, required: bool
    ) -> None:
        super().__init__(tree, parent, key, shape, required=required)
        self._items: list[Node] = []

    @property
    def items(self) -> tuple[Node, ...]:
        return tuple(self._items)

    @property
    def kept(self) -> tuple[Node, ...]:
        return self.items

    def _child(self, token: str) -> Node | None:
        at = int(token) if token.isascii() and token.isdigit() else len(self._items)
        return self._items[at] if at < len(self._items) else None

    def state_by_itself(self) -> State:
        if self._mode is State.VALUE and self.json_text is None:
            return State.VALUE if self._items else State.EMPTY
        return super().state_by_itself()

    def _hides(self) -> bool:
        return self._mode is not State.VALUE or super()._hides()

    @property
    def takes_more(self) -> bool:
        """Whether there is a place for another item."""
        return self._part_at(len(self._items)) is not None

    def is_place(self, index: int) -> bool:
        """Whether the item is one of the first places, each of its own kind: it cannot be moved or copied."""
        return index < len(self.shape.prefix)

    def may_remove(self, index: int) -> bool:
        """Whether no place behind the item would become another's."""
        return not self.is_place(index) or index == len(self._items) - 1

    def add(self) -> Node:
        """A new item, not set, at the end; in an empty array with places of their own all of these.

        Raises UserError when no more are taken.
        """
        with self.tree.batch():
            first = len(self._items)
            for _ in range(1 if self._items else max(len(self.shape.prefix), 1)):
                self._insert(len(self._items)).begin_as_chosen()
        return self._items[first]

    def duplicate(self, index: int) -> Node:
        """A copy of the item, with all that was typed in it, after it."""
        self._refuse_place(index)
        with self.tree.batch():
            item = self._insert(index + 1)
            item.restore(self._items[index].draft())
        return item

    def move(self, index: int, to: int) -> None:
        """Put the item at `index` where it is the one at `to`."""
        self._refuse_place(min(index, to))
        self._items.insert(to, self._items.pop(index))
        self._renumber()

    def remove(self, index: int) -> None:
        """Drop the item and all that was typed in it."""
        if not self.may_remove(index):
            self._refuse_place(index)
        with self.tree.batch():
            self.tree.forget(self._items.pop(index))
            self._renumber()

    def _insert(self, index: int) -> Node:
        part = self._part_at(index)
        if part is None:
            raise UserError("This array takes no more items.")
        item = self.tree.make(self, index, part, required=True)
        self._items.insert(index, item)
        self._renumber()
        return item

    def _part_at(self, index: int) -> Part | None:
        return self.shape.prefix[index] if self.is_place(index) else self.shape.items

    def _refuse_place(self, index: int) -> None:
        if self.is_place(index):
            raise UsageError(f"The item at {index} has its own place.")

    def _begin(self) -> None:
        if not self._items and self.shape.prefix:
            self.add()

    def _renumber(self) -> None:
        for at, item in enumerate(self._items):
            item.key = at
        self._mode = State.VALUE
        self._edited(structure=True)

    def _read(self) -> Reading:
        return [filled(item) for item in self._items]

    def _load(self, value: JsonValue) -> bool:
        if not isinstance(value, list) or (value and self._part_at(len(value) - 1) is None):
            return False
        self._resize(len(value))
        for item, each in zip(self._items, value, strict=True):
            item.take(each)
        return True

    def _resize(self, length: int) -> None:
        while len(self._items) > length:
            self.tree.forget(self._items.pop())
        while len(self._items) < length and (part := self._part_at(len(self._items))) is not None:
            self._items.append(self.tree.make(self, len(self._items), part, required=True))

    def _reset(self) -> None:
        self._resize(0)

    def _draft(self) -> dict[str, object]:
        return {"items": [item.draft() for item in self._items]} if self._items else {}

    def _restore(self, draft: Mapping[str, object]) -> None:
        drafts = mappings(draft.get("items"))
        self._resize(len(drafts))
        for item, each in zip(self._items, drafts, strict=False):
            item.restore(each)

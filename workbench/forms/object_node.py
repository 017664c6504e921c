"""An object: fields that the schema names, free keys, or both."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping
from typing import ClassVar, cast

from workbench.base.errors import UsageError, UserError
from workbench.base.exact_json import JsonValue
from workbench.forms.fields import ChoiceNode
from workbench.forms.holding import filled, mapping, mappings
from workbench.forms.node import Node, Tree
from workbench.forms.parts import Part
from workbench.forms.reading import ABSENT, Absent, Draft, Reading, State, Unread
from workbench.forms.shapes import Kind, Shape


class ObjectNode(Node):
    """An object: `fields` that the schema names, and `entries` whose keys the person writes.

    An optional group is folded until it is looked into (`unfold`) or set; looking sets nothing, typing into
    one of its fields does. An object that is set with nothing in it is sent as `{}`.
    """

    empty: ClassVar[JsonValue | Absent] = cast("dict[str, JsonValue]", {})

    def __init__(
        self, tree: Tree, parent: Node | None, key: str | int | None, shape: Shape, *, required: bool
    ) -> None:
        super().__init__(tree, parent, key, shape, required=required)
        self._fields: dict[str, Node] | None = None
        self._entries: dict[str, Node] = {}
        self._other_kinds: dict[int, dict[Hashable, Mapping[str, object]]] = {}
        """By the id of an entry, what was typed in it while its key wanted fields of other kinds."""

    @property
    def is_unfolded(self) -> bool:
        """Whether `fields` are there to be shown."""
        return self._fields is not None

    @property
    def fields(self) -> tuple[Node, ...]:
        """The named fields in the schema's order; none while folded."""
        return tuple((self._fields or {}).values())

    @property
    def entries(self) -> tuple[Node, ...]:
        """The values under the person's own keys; each one's key is its `key`."""
        return tuple(self._entries.values())

    @property
    def kept(self) -> tuple[Node, ...]:
        return (*self.fields, *self.entries)

    def _child(self, token: str) -> Node | None:
        return (self._fields or {}).get(token) or self._entries.get(token)

    def state_by_itself(self) -> State:
        if self._mode is State.VALUE and self.json_text is None:
            has_some = bool(self._entries) or any(
                each.state_by_itself() is not State.NOT_SET for each in self.fields
            )
            return State.VALUE if has_some else State.EMPTY
        return super().state_by_itself()

    @property
    def children(self) -> tuple[Node, ...]:
        return self.fields if self._mode is State.NOT_SET and self.json_text is None else super().children

    @property
    def offers(self) -> tuple[State, ...]:
        offered = super().offers
        return (
            offered if self.kind is Kind.MAP else tuple(each for each in offered if each is not State.EMPTY)
        )

    def unfold(self) -> None:
        """Make the named fields, so that they can be shown; sets nothing."""
        if self._fields is None:
            with self.tree.batch():
                self._fields = {}
                for member in self.shape.members:
                    node = self.tree.make(self, member.name, member.part, required=member.required)
                    self._fields[member.name] = node
                self._begin_fields()
                self.tree.touched(self, structure=True)

    def free_key(self) -> str:
        """A key for a new entry that is not taken."""
        taken = {member.name for member in self.shape.members} | self._entries.keys()
        numbers = itertools.count(1)
        return next(key for number in numbers if (key := f"{self.shape.key_stem}{number}") not in taken)

    def add_entry(self, key: str) -> Node:
        """A new key, its value not set. Raises UserError when the key is taken or no keys are."""
        if not self.shape.is_open and self.shape.kind is not Kind.MAP:
            raise UserError("No other keys can be added here.", hint="The schema names all that are taken.")
        self._refuse_taken(key)
        with self.tree.batch():
            node = self._entries[key] = self._make_entry(key)
            self._mode = State.VALUE
            self._edited(structure=True)
            node.begin_as_chosen()
        return node

    def type_key(self, entry: Node, text: str) -> Node:
        """What was typed for an entry's key: it is the key at once if it is free, else kept and blocks sending.

        Returns the entry, which is another node where the schema wants another kind of field under the key.
        """
        with self.tree.batch():
            entry.key_text = None
            if text != entry.key and self._is_taken(text):
                entry.key_text = text
                self._edited(structure=True)
                return entry
            self.tree.touched(entry)
            return self.rename_entry(entry, text)

    def rename_entry(self, entry: Node, key: str) -> Node:
        """Give the entry another key, keeping its place and what was typed in it.

        The entry itself is kept unless the schema wants another kind of field under the new key. Raises
        UserError when the key is taken.
        """
        old = self._key_of(entry)
        if key == old:
            return entry
        self._refuse_taken(key)
        with self.tree.batch():
            entry.key = key
            entry.key_text = None
            renamed = entry
            if self._part(key).key != entry.shape.part.key:
                renamed = self._as_other_kind(entry, key)
            self._entries = {
                (key if each == old else each): (renamed if each == old else node)
                for each, node in self._entries.items()
            }
            self._edited(structure=True)
            self._take_free_keys()
        return renamed

    def _as_other_kind(self, entry: Node, key: str) -> Node:
        """The field that the schema wants under `key`, with what the entry holds or what it held as that kind."""
        renamed = self._make_entry(key)
        held = {**self._other_kinds.pop(entry.id, {}), entry.shape.part.key: entry.draft()}
        self._other_kinds[renamed.id] = held
        if renamed.shape.part.key in held:
            renamed.restore(held[renamed.shape.part.key])
        renamed.restore(entry.draft())
        self.tree.forget(entry)
        return renamed

    def _take_free_keys(self) -> None:
        """Keys that were typed and taken, and are not any more."""
        for node in self.entries:
            if node.key_text is not None and not self._is_taken(node.key_text):
                self.rename_entry(node, node.key_text)
                return  # which looks again

    def remove_entry(self, entry: Node) -> None:
        """Drop the key and all that was typed under it."""
        with self.tree.batch():
            self.tree.forget(self._entries.pop(self._key_of(entry)))
            self._other_kinds.pop(entry.id, None)
            self._edited(structure=True)
            self._take_free_keys()

    def _key_of(self, entry: Node) -> str:
        key = str(entry.key)
        if self._entries.get(key) is not entry:
            raise UsageError(f"“{entry.label}” is not a key of this object.")
        return key

    def _is_taken(self, key: str) -> bool:
        return key in self._entries or any(member.name == key for member in self.shape.members)

    def _refuse_taken(self, key: str) -> None:
        if self._is_taken(key):
            raise UserError(f"There is already a key “{key}”.", hint="Choose another, or change that one.")

    def _make_entry(self, key: str) -> Node:
        return self.tree.make(self, key, self._part(key), required=False)

    def _part(self, key: str) -> Part:
        return self.tree.entry_part(self.shape, key)

    def _begin_fields(self) -> None:
        """What needs no choosing starts set: required objects, and the constants that a branch stands for."""
        in_branch = self.key is None and self.parent is not None
        for node in self.fields:
            if isinstance(node, ChoiceNode):
                begins = node.required or in_branch
            else:
                begins = node.required and self.tree.unfolds_by_itself(node)
            if begins and node.state_by_itself() is State.NOT_SET:
                node.begin_as_chosen()

    def begin_as_chosen(self) -> None:
        if self.shape.kind is Kind.GROUP:
            self._mode = State.VALUE
            self._begin()

    def _begin(self) -> None:
        if self._fields is None:
            self.unfold()
        else:
            self._begin_fields()

    def _read(self) -> Reading:
        found: dict[str, Draft] = {}
        for node in self.fields:
            reading = node.read()
            if not isinstance(reading, Absent):
                found[str(node.key)] = reading
        for key, node in self._entries.items():
            found[key] = filled(node) if node.key_text is None else _taken_key(node, node.key_text)
        return found

    def _load(self, value: JsonValue) -> bool:
        if not isinstance(value, dict):
            return False
        self.unfold()
        for node in self.fields:
            node.take(value.get(str(node.key), ABSENT))
        names = {member.name for member in self.shape.members}
        self._keep_entries([key for key in value if key not in names])
        for key, node in self._entries.items():
            node.take(value[key])
        return True

    def _keep_entries(self, keys: list[str]) -> None:
        """Exactly these keys in this order; the nodes of those that were there stay."""
        for key, node in self._entries.items():
            if key not in keys:
                self.tree.forget(node)
        self._entries = {key: self._entries.get(key) or self._make_entry(key) for key in keys}
        self._other_kinds.clear()
        for node in self._entries.values():
            node.key_text = None

    def _reset(self) -> None:
        for node in self.fields:
            node.take(ABSENT)
        self._keep_entries([])

    def _draft(self) -> dict[str, object]:
        found: dict[str, object] = {}
        if self._fields is not None:
            found["fields"] = {key: node.draft() for key, node in self._fields.items()}
        if self._entries:
            found["entries"] = [_entry_draft(key, node) for key, node in self._entries.items()]
        return found

    def _restore(self, draft: Mapping[str, object]) -> None:
        entries = mappings(draft.get("entries"))
        drafts = {str(each.get("key", "")): mapping(each.get("draft")) for each in entries}
        typed = {str(each.get("key", "")): str(each["keyText"]) for each in entries if "keyText" in each}
        named = {member.name for member in self.shape.members}
        fields = mapping(draft.get("fields"))
        drafts |= {key: mapping(each) for key, each in fields.items() if key in named}
        if "fields" in draft or named & drafts.keys():
            self.unfold()
        self._keep_entries([key for key in drafts if key not in named])
        for node in self.kept:
            if str(node.key) in drafts:
                node.restore(drafts[str(node.key)])
        for key, node in self._entries.items():
            node.key_text = typed.get(key)
        self._take_free_keys()


def _taken_key(node: Node, typed: str) -> Unread:
    words = f"cannot be called “{typed}”: that key is taken"
    return Unread(node.id, typed or '""', words, f"There is already a key “{typed}”. Kept as typed.")


def _entry_draft(key: str, node: Node) -> dict[str, object]:
    found: dict[str, object] = {"key": key, "draft": node.draft()}
    return found if node.key_text is None else {**found, "keyText": node.key_text}

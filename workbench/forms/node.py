"""One field of a form: its state, its text as typed, and its place in the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import ClassVar, Protocol

from workbench.base.errors import UsageError
from workbench.base.exact_json import JsonValue, dump
from workbench.base.json_pointer import pointer
from workbench.forms.parts import Part
from workbench.forms.reading import (
    ABSENT,
    Absent,
    Draft,
    Reading,
    State,
    as_value,
    box_text,
    read_json,
    state_of,
    unread_in,
)
from workbench.forms.shapes import Kind, Shape
from workbench.forms.validation import Validation


class Tree(Protocol):
    """What a node needs of the form it belongs to."""

    @property
    def validation(self) -> Validation: ...
    def make(self, parent: Node, key: str | int | None, part: Part, *, required: bool) -> Node: ...
    def next_id(self) -> int: ...
    def unfolds_by_itself(self, node: Node) -> bool: ...
    def entry_part(self, shape: Shape, name: str) -> Part: ...
    def touched(self, node: Node, *, structure: bool = False) -> None: ...
    def forget(self, node: Node) -> None: ...
    def batch(self) -> AbstractContextManager[None]: ...


class Node:
    """A field. Its subclasses add what their kind can do; this class alone is a JSON box.

    `id` is stable for the node's life. What was typed is kept in every state. A node whose value its own
    control cannot hold is shown as a JSON box: then `json_text` is not None and counts instead.
    """

    empty: ClassVar[JsonValue | Absent] = ABSENT

    def __init__(
        self, tree: Tree, parent: Node | None, key: str | int | None, shape: Shape, *, required: bool
    ) -> None:
        self.id = tree.next_id()
        self.tree = tree
        self.parent = parent
        self.key = key
        self.shape = shape
        self.required = required
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.json_text: str | None = "" if shape.kind is Kind.JSON else None
        self.key_text: str | None = None
        """What was typed for the key of an entry while it cannot be the key; it blocks sending."""
        self._mode = State.NOT_SET
        self._parsed: tuple[str, object, Reading] = ("", None, ABSENT)

    # ---- what a view shows

    @property
    def kind(self) -> Kind:
        """The control to show: `Kind.JSON` while the node is a JSON box."""
        return self.shape.kind if self.json_text is None else Kind.JSON

    @property
    def path(self) -> str:
        """Where the value stands in the arguments, as a JSON Pointer."""
        return pointer(node.key for node in self.lineage() if node.key is not None)

    @property
    def label(self) -> str:
        """The path in words, such as `amount.value` or `items[0].sku`; "" for the arguments as a whole."""
        parts = [node.key for node in self.lineage() if node.key is not None]
        text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in parts)
        return text.removeprefix(".")

    @property
    def type_words(self) -> str:
        """For the type column: `required, number, 0.01 or more`."""
        words = self.shape.words
        if self.kind is Kind.BOOLEAN and isinstance(self.shape.default, bool):
            words += f", default {self.ghost}"
        return f"required, {words}" if self.required and isinstance(self.key, str) else words

    @property
    def ghost(self) -> str:
        """The default as text, to show faintly while nothing is set; it is never sent. "" without one."""
        default = self.shape.default
        if isinstance(default, Absent):
            return ""
        return default if isinstance(default, str) and default else dump(default)

    @property
    def state(self) -> State:
        """What is sent for this field; not set, too, while something that it stands in is not set."""
        return self.state_by_itself() if self.counts() else State.NOT_SET

    def state_by_itself(self) -> State:
        """The state, whatever becomes of what the field stands in."""
        return state_of(self.read())

    def counts(self) -> bool:
        """Whether the field is part of the value: all that it stands in is set."""
        return self.parent is None or (self.parent.holds(self) and self.parent.counts())

    def holds(self, child: Node) -> bool:
        """Whether a node directly below is part of the value now."""
        return self._mode is State.VALUE and self.json_text is None

    @property
    def offers(self) -> tuple[State, ...]:
        """The states that the state menu offers."""
        if self.parent is None:
            return (State.VALUE,)
        null = (State.NULL,) if self.shape.nullable else ()
        empty = () if isinstance(self.empty, Absent) or self.json_text is not None else (State.EMPTY,)
        return (State.NOT_SET, *null, *empty, State.VALUE)

    def lineage(self) -> list[Node]:
        """The nodes from the root down to this one."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes shown below this one, in order; none while it is null, empty, or a JSON box."""
        return () if self._hides() else self.kept

    @property
    def kept(self) -> tuple[Node, ...]:
        """All nodes below this one, also those that are not shown now."""
        return ()

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order shown."""
        yield self
        for child in self.children:
            yield from child.walk()

    def child(self, token: str) -> Node | None:
        """The child shown at one token of a JSON Pointer."""
        return None if self._hides() else self._child(token)

    def _child(self, token: str) -> Node | None:
        return None

    def _hides(self) -> bool:
        return self.json_text is not None or self._mode in _HIDING

    # ---- what it reads as

    def read(self) -> Reading:
        """What the field holds: a value in which some places may be unread, or nothing."""
        if self._mode is State.NOT_SET:
            return ABSENT
        if self._mode is State.NULL:
            return None
        if self.json_text is not None:
            return self.read_once(self.json_text, read_json)
        return self._read_empty() if self._mode is State.EMPTY else self._read()

    def read_once(self, text: str, read: Callable[[str, int], Reading]) -> Reading:
        """What `read` makes of the text, kept until the text is another."""
        if self._parsed[:2] != (text, read):
            self._parsed = (text, read, read(text, self.id))
        return self._parsed[2]

    def _read(self) -> Reading:
        """What the kind's own control holds, once it is set."""
        return ABSENT

    def _read_empty(self) -> Draft:
        return "" if self.empty == "" else [] if self.empty == [] else {}

    # ---- what a person does

    def set_state(self, state: State) -> None:
        """Put the field into one of the states of `offers`. Text is kept and comes back with `VALUE`."""
        if state is State.NOT_READ or (state is State.EMPTY and isinstance(self.empty, Absent)):
            raise UsageError(f"A {self.kind} field cannot be put into the state “{state}”.")
        if self.parent is None and state is not State.VALUE:
            raise UsageError("The arguments as a whole are always an object.")
        with self.tree.batch():
            self._mode = state
            if state is State.VALUE:
                self._begin()
            self._edited(structure=True)

    def set_json_text(self, text: str) -> None:
        """What was typed into the JSON box; blank text is no value."""
        if self.json_text is None:
            raise UsageError("This field is not shown as JSON.")
        self.json_text = text
        self._mode = State.VALUE if text.strip() or self.parent is None else State.NOT_SET
        self._edited()

    def edit_as_json(self) -> None:
        """Show this field as a JSON box with what it holds now; nothing happens while something is unread."""
        reading = self.read()
        if self.json_text is None and not unread_in(reading):
            self.json_text = "" if isinstance(reading, Absent) else box_text(as_value(reading))
            self.tree.touched(self, structure=True)

    def edit_as_fields(self) -> bool:
        """Back to the kind's own control. False, and nothing happens, while that cannot hold the JSON."""
        reading = self.read()
        if self.json_text is None or self.shape.kind is Kind.JSON or unread_in(reading):
            return False
        if isinstance(reading, Absent):
            self.json_text = None
            self.tree.touched(self, structure=True)
        else:
            with self.tree.batch():
                self.take(as_value(reading))
        return self.kind is not Kind.JSON

    def load(self, value: JsonValue | Absent) -> None:
        """Hold exactly `value`, in a JSON box if the kind's own control cannot; ABSENT empties the field."""
        with self.tree.batch():
            self.take(value)
            self._edited()

    def take(self, value: JsonValue | Absent) -> None:
        """`load`, but what this field stands in is not set by it."""
        if self.shape.kind is not Kind.JSON:
            self.json_text = None
        if isinstance(value, Absent):
            self._reset()
            self._mode = State.NOT_SET
        elif value is None and not self._load(None):
            self._mode = State.NULL
        elif value is not None:
            self._mode = State.VALUE
            if not self._load(value):
                self.json_text = box_text(value)
        self.tree.touched(self, structure=True)

    def clear(self) -> None:
        """Nothing set, nothing typed; the arguments as a whole begin anew."""
        with self.tree.batch():
            self.take(ABSENT)
            if self.parent is None:
                self.begin_as_root()

    def begin_as_root(self) -> None:
        """The arguments as a whole are always set."""
        self._mode = State.VALUE
        self._begin()

    def begin_as_chosen(self) -> None:
        """Called when adding or picking this field says all that is needed to set it, as for a group."""

    def _begin(self) -> None:
        """Called when the field is set to `VALUE`."""

    def _load(self, value: JsonValue) -> bool:
        """Take `value` into the kind's own control, or say that it does not fit."""
        return False

    def _reset(self) -> None:
        """Forget what was typed."""
        if self.shape.kind is Kind.JSON:
            self.json_text = ""

    def include(self, child: Node) -> None:
        """A field below was set, so this one is set too."""
        if self._mode is not State.VALUE:
            self._mode = State.VALUE
            self.tree.touched(self, structure=True)

    def _edited(self, *, structure: bool = False) -> None:
        node = self
        while self._mode is not State.NOT_SET and node.parent is not None:
            node.parent.include(node)
            node = node.parent
        self.tree.touched(self, structure=structure)

    # ---- drafts

    def draft(self) -> dict[str, object]:
        """Everything typed, as JSON data."""
        found: dict[str, object] = {"kind": str(self.shape.kind), "mode": str(self._mode)}
        if self.json_text is not None:
            found["json"] = self.json_text
        return found | self._draft()

    def restore(self, draft: Mapping[str, object]) -> None:
        """Take back what `draft` gave, as far as this field can hold it."""
        with self.tree.batch():
            text = draft.get("text")
            if draft.get("kind") == str(self.shape.kind):
                self._restore(draft)
            elif not (isinstance(text, str) and self._restore_text(text)):
                return
            if isinstance(json_text := draft.get("json"), str):
                self.json_text = json_text
            if isinstance(mode := draft.get("mode"), str) and mode in _MODES:
                self._mode = State(mode)
            self.tree.touched(self, structure=True)

    def _draft(self) -> dict[str, object]:
        return {}

    def _restore(self, draft: Mapping[str, object]) -> None:
        """Take back what the same kind's `_draft` gave."""

    def _restore_text(self, text: str) -> bool:
        """Take back the text of a field that has become one of another kind, if it can be shown."""
        if self.json_text is None:
            return False
        self.json_text = text
        return True


_HIDING = {State.NULL, State.EMPTY}
_MODES = {State.NOT_SET, State.NULL, State.EMPTY, State.VALUE}

"""The form of one tool's arguments: a tree of fields, the JSON text of the same value, and what will be sent."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.json_pointer import tokens
from workbench.forms.analysis import Shapes
from workbench.forms.fields import ChoiceNode, NumberNode, TextNode
from workbench.forms.file_node import FileNode
from workbench.forms.list_node import ListNode
from workbench.forms.long_texts import LongTexts, shortened
from workbench.forms.node import Node
from workbench.forms.object_node import ObjectNode
from workbench.forms.parts import Part
from workbench.forms.preview import Mark, preview
from workbench.forms.problems import Problem, face_problem, find_problems
from workbench.forms.reading import (
    MAX_LEVELS,
    Absent,
    Draft,
    Unread,
    as_draft,
    as_value,
    readable,
    unread_in,
)
from workbench.forms.shapes import Kind, Shape
from workbench.forms.union_node import UnionNode
from workbench.forms.validation import Validation

_UNFOLDED_BY_ITSELF = 2_000  # fields; a schema that asks for more is unfolded by hand
_NO_ARGUMENTS: Mapping[str, object] = {"type": "object", "additionalProperties": False}
_DRAFT_VERSION = 1

_NODES: dict[Kind, type[Node]] = {
    Kind.TEXT: TextNode,
    Kind.NUMBER: NumberNode,
    Kind.BOOLEAN: ChoiceNode,
    Kind.CHOICE: ChoiceNode,
    Kind.LIST: ListNode,
    Kind.GROUP: ObjectNode,
    Kind.MAP: ObjectNode,
    Kind.UNION: UnionNode,
    Kind.FILE: FileNode,
    Kind.JSON: Node,
}


@dataclass(frozen=True, slots=True)
class Change:
    """Ids of fields whose state, text or choice may have changed, and of those whose children or kind did.

    Whoever shows a field in `structure` reads its `kind` and `children` again.
    """

    nodes: frozenset[int]
    structure: frozenset[int]


@dataclass(frozen=True, slots=True)
class Sent:
    """What will be sent. `json_text` are the exact characters, or None while `problems` block sending.

    `preview` is the same indented, of very long texts their beginning; `marks` are the places in it that cannot be
    read yet.
    """

    json_text: str | None
    preview: str
    marks: tuple[Mark, ...]
    problems: tuple[Problem, ...]


class Form:
    """The arguments of one tool as a form.

    `schema` is a JSON Schema of draft-07 or 2020-12; None is a tool without arguments. Building never
    fails: what cannot be a field is a JSON box, and `notes` of its shape say why.
    """

    def __init__(self, schema: Mapping[str, object] | None) -> None:
        self.schema = _NO_ARGUMENTS if schema is None else schema
        self.validation = Validation(self.schema)
        self._shapes = Shapes(self.validation.whole)
        self._nodes: dict[int, Node] = {}
        self._last_id = 0
        self._observers: list[Callable[[Change], None]] = []
        self._batches = 0
        self._changed: set[int] = set()
        self._structure: set[int] = set()
        self._long_texts = LongTexts()
        self._found: tuple[Problem, ...] | None = None
        self._face: str | None = None
        self._face_problem: Problem | None = None
        self._face_error: JsonError | None = None
        with self.batch():
            shape = self._shapes.root()
            self.root: Node = _NODES[shape.kind](self, None, None, shape, required=True)
            self._nodes[self.root.id] = self.root
            self.root.begin_as_root()

    # ---- finding

    def node(self, id: int) -> Node | None:
        """The field with this id, or None when it is gone."""
        return self._nodes.get(id)

    def at(self, path: str) -> Node:
        """The field nearest to a JSON Pointer into the arguments: itself, or the field that holds it."""
        node = self.root
        for token in tokens(path):
            child = node.child(token)
            if child is None:
                break
            node = child
        return node

    # ---- the three faces of the value

    def value(self) -> JsonValue:
        """The arguments as they stand, whether or not the schema accepts them.

        Raises UserError when something cannot be read yet.
        """
        if self._face_problem is not None:
            raise UserError("The JSON text cannot be read yet.", hint=self._face_problem.help)
        draft = self._draft()
        for unread in unread_in(draft):
            raise UserError(f"{self._nodes[unread.node_id].label} {unread.words}.", hint=unread.help)
        return as_value(draft)

    def readable_value(self) -> JsonValue:
        """`value` without the fields that cannot be read yet.

        Raises UserError when the JSON text as a whole cannot be.
        """
        if self._face_problem is not None:
            return self.value()
        draft = readable(self._draft())
        return {} if isinstance(draft, Unread) else as_value(draft)

    def load(self, value: JsonValue) -> None:
        """Hold exactly `value`: every JSON value can be held, if need be in a JSON box where it does not fit.

        Raises JsonError when it is no JSON value; then nothing changes.
        """
        exact = parse(dump(value))
        with self.batch():
            self._face = self._face_problem = None
            self.root.load(exact)

    def json_text(self) -> str:
        """The JSON face: as it was typed there while that stands, else the value indented."""
        return preview(self._draft()).text if self._face is None else self._face

    @property
    def face_error(self) -> JsonError | None:
        """Why the text in the JSON face cannot be read, with its place; None while it can."""
        return None if self._face_problem is None else self._face_error

    def load_json_text(self, text: str) -> None:
        """What was typed into the JSON face. While it cannot be read it is kept, and blocks sending."""
        with self.batch():
            try:
                value = parse(text)
            except JsonError as error:
                self._face_error = error
                self._face_problem = face_problem(self.root.id, error)
                self.touched(self.root)
            else:
                self.load(value)
            self._face = text

    def discard_json_text(self) -> None:
        """Give up what was typed into the JSON face; the fields count again."""
        with self.batch():
            self._face = self._face_problem = None
            self.touched(self.root)

    def sent(self) -> Sent:
        """Exactly what will be sent, or why nothing is."""
        problems = self.problems()
        if self._face is not None and self.face_error is not None:
            at = min(self.face_error.offset or 0, len(self._face))
            mark = Mark(at, min(at + 1, len(self._face)), self.root.id)
            return Sent(None, self._face, (mark,), problems)
        draft = self._draft()
        shown = preview(shortened(draft))
        text = None if problems else self._long_texts.dump(as_value(draft))
        return Sent(text, shown.text, shown.marks, problems)

    def problems(self) -> tuple[Problem, ...]:
        """All that blocks sending, in the order of the fields: what cannot be read, then what breaks a rule."""
        if self._found is None:
            # While the JSON text cannot be read, the fields hold what was there before: nothing to tell of.
            self._found = (
                find_problems(self.root, self._draft(), self.validation, self.at)
                if self._face_problem is None
                else (self._face_problem,)
            )
        return self._found

    def _draft(self) -> Draft:
        reading = self.root.read()
        return as_draft({}) if isinstance(reading, Absent) else reading

    # ---- drafts

    def to_draft(self) -> dict[str, object]:
        """Everything typed so far, also what cannot be read, as JSON data to keep over a crash."""
        face = {} if self._face_problem is None else {"jsonText": self._face}
        return {"version": _DRAFT_VERSION, "root": self.root.draft(), **face}

    @classmethod
    def from_draft(cls, schema: Mapping[str, object] | None, draft: Mapping[str, object]) -> Form:
        """A form with what `draft` holds, as far as `schema` still has the fields. It never fails."""
        form = cls(schema)
        root = draft.get("root")
        if draft.get("version") == _DRAFT_VERSION and isinstance(root, Mapping):
            form.root.restore(cast("Mapping[str, object]", root))
            face = draft.get("jsonText")
            if isinstance(face, str):
                form.load_json_text(face)
        return form

    # ---- being watched

    def subscribe(self, observer: Callable[[Change], None]) -> Callable[[], None]:
        """Call `observer` once after each edit; the returned function ends that."""
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    @contextmanager
    def batch(self) -> Generator[None]:
        """Edits made inside are told as one change."""
        self._batches += 1
        try:
            yield
        finally:
            self._batches -= 1
            if not self._batches:
                self._tell()

    def _tell(self) -> None:
        if not self._changed:
            return
        change = Change(frozenset(self._changed), frozenset(self._structure))
        self._changed, self._structure = set(), set()
        for observer in tuple(self._observers):
            observer(change)

    # ---- what the nodes ask for

    def touched(self, node: Node, *, structure: bool = False) -> None:
        """A field was edited: all above it may show another state."""
        self._found = None
        if self._face_problem is None:
            self._face = None
        if structure:
            self._structure.add(node.id)
        self._changed.update(each.id for each in node.lineage())
        if not self._batches:
            self._tell()

    def make(self, parent: Node, key: str | int | None, part: Part, *, required: bool) -> Node:
        """The field for a part of the schema."""
        shape = self._shapes.of(part)
        if parent.depth >= MAX_LEVELS and shape.kind is not Kind.JSON:
            shape = shape.as_json("The form goes no deeper here.")
        node = _NODES[shape.kind](self, parent, key, shape, required=required)
        self._nodes[node.id] = node
        return node

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def forget(self, node: Node) -> None:
        """The field is gone, with all below it."""
        self._nodes.pop(node.id, None)
        for each in node.kept:
            self.forget(each)

    def unfolds_by_itself(self, node: Node) -> bool:
        """Whether a required group shows its fields at once; not inside itself, and not without end."""
        above = node.parent.lineage() if node.parent else []
        known = any(each.shape.part.key[-1:] == node.shape.part.key[-1:] for each in above)
        return not known and len(self._nodes) < _UNFOLDED_BY_ITSELF

    def entry_part(self, shape: Shape, name: str) -> Part:
        return self._shapes.entry(shape, name)

"""All that blocks sending, each placed at the field where a person can mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.exact_json import JsonError, JsonValue
from workbench.base.json_pointer import look_up, tokens
from workbench.base.masker import marked_names
from workbench.domain.calls import ArgumentError
from workbench.forms.node import Node
from workbench.forms.reading import ABSENT, Absent, Draft, State, Unread, as_value, exchange, unread_in
from workbench.forms.shapes import Kind
from workbench.forms.union_node import UnionNode
from workbench.forms.validation import Validation


class ProblemKind(StrEnum):
    """Why a field blocks sending."""

    NOT_READ = "not read"
    REQUIRED = "required"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem at one field.

    `label` and `words` make a sentence for the list on top ("amount.value is not a number"); `help` stands
    under the field. `path` is a JSON Pointer into the arguments, `rule` the schema's keyword if there is one.
    """

    node_id: int
    path: str
    label: str
    kind: ProblemKind
    words: str
    help: str
    rule: str = ""


def find_problems(
    root: Node, draft: Draft, validation: Validation, at: Callable[[str], Node]
) -> tuple[Problem, ...]:
    """The problems of what the form holds, in the order of its fields.

    What is unread is left out before the rest is validated, and nothing is said twice about its place.
    """
    unread = {each.node_id: each for each in unread_in(draft)}
    found = [_of_unread(node, unread[node.id]) for node in root.walk() if node.id in unread] if unread else []
    value = _readable(draft)
    placer = _Placer(validation, at, set(unread))
    for error in validation.whole.validate(value):
        if not _stands_for_a_secret(_value_at(value, error.path)):
            placer.place(error, value, "")
    if not isinstance(value, dict):
        placer.found.append(_problem(root, ProblemKind.INVALID, "must be one JSON object", "Write { … }."))
    found += list(dict.fromkeys(placer.found))
    if len(found) > 1:
        order = {node.id: number for number, node in enumerate(root.walk())}
        found.sort(key=lambda problem: order[problem.node_id])
    return tuple(found)


def _stands_for_a_secret(value: JsonValue | Absent) -> bool:
    """Whether another value is put in when the call runs (V6); that one is checked then."""
    return isinstance(value, str) and bool(marked_names(value))


def face_problem(node_id: int, error: JsonError) -> Problem:
    """The JSON face holds a text that cannot be read: all that can be said while it does."""
    place = f"line {error.line}, column {error.column}"
    words = error.message.removesuffix(f" at {place}")
    words = words if words.startswith("JSON") else f"{words[:1].lower()}{words[1:]}"
    return Problem(
        node_id,
        "",
        f"JSON text, {place}",
        ProblemKind.NOT_READ,
        f"cannot be read: {words}",
        f"{error.message}.",
    )


def _of_unread(node: Node, unread: Unread) -> Problem:
    kind = ProblemKind.NOT_READ if unread.text else ProblemKind.REQUIRED
    return _problem(node, kind, unread.words, unread.help)


def _problem(node: Node, kind: ProblemKind, words: str, help: str, rule: str = "") -> Problem:
    return Problem(node.id, node.path, node.label or "arguments", kind, words, help, rule)


def _readable(draft: Draft) -> JsonValue:
    """The draft with null for what is unread; whatever that breaks is not told, see `_Placer`."""
    return as_value(exchange(draft, lambda _: None))


class _Placer:
    """Finds the field for each error, looking into the branch in use where a union as a whole is at fault."""

    def __init__(self, validation: Validation, at: Callable[[str], Node], unread: set[int]) -> None:
        self.found: list[Problem] = []
        self._validation = validation
        self._at = at
        self._unread = unread

    def place(self, error: ArgumentError, value: JsonValue, prefix: str, level: int = 0) -> None:
        """`value` is what the error's path leads into, at `prefix` of the arguments.

        `level` counts the branches at `prefix` itself that were looked into already.
        """
        path = prefix + error.path
        node = self._at(path)
        inner = _value_at(value, error.path) if error.rule in ("anyOf", "oneOf") else ABSENT
        level = 0 if error.path else level
        if not isinstance(inner, Absent) and node.path == path and self._place_by_branch(node, inner, level):
            return
        while isinstance(node, UnionNode) and node.children and node.children[0].kind is not Kind.GROUP:
            node = node.children[0]
        if any(each.id in self._unread for each in node.lineage()):
            return
        kind = ProblemKind.REQUIRED if error.rule == "required" else ProblemKind.INVALID
        words = "is required" if kind is ProblemKind.REQUIRED else error.message.removesuffix(".")
        if node.path != path:
            # It has no field of its own, as a key that the schema does not describe.
            words = f"{path.removeprefix(node.path)[1:]} {words}"
        said = f"{words[:1].upper()}{words[1:]}."
        self.found.append(_problem(node, kind, words, said, error.rule))

    def _place_by_branch(self, node: Node, value: JsonValue, level: int) -> bool:
        """Tell what the branch in use finds wrong, or that none is; False when the branch finds nothing."""
        if node.state is State.NOT_SET:
            if isinstance(node, UnionNode):
                labels = " or ".join(each.label for each in node.shape.branches)
                how = f"Choose {labels}."
                self.found.append(_problem(node, ProblemKind.REQUIRED, "is to be chosen", how))
            return isinstance(node, UnionNode)
        in_use = _in_use(node)[level : level + 1]
        errors = [each for pointer in in_use for each in self._validation.at(pointer, value)]
        for each in errors:
            self.place(each, value, node.path, level + 1)
        return bool(errors)


def _in_use(node: Node) -> list[str]:
    """The pointers of the branches that hold at a field, the outermost first: taken without asking, or picked."""
    found = list(node.shape.behind)
    if isinstance(node, UnionNode) and node.picked is not None and node.children:
        pointer = node.shape.branches[node.picked].pointer
        found += [pointer] if pointer else []
        found += _in_use(node.children[0])
    return found


def _value_at(value: JsonValue, path: str) -> JsonValue | Absent:
    """What lies at a path; ABSENT where the validator named a key by other digits (`0` for `00`)."""
    try:
        return look_up(value, tokens(path))
    except LookupError:
        return ABSENT

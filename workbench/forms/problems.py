"""All that blocks sending, each placed at the field where a person can mend it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from workbench.base.exact_json import JsonError, JsonValue
from workbench.domain.calls import ArgumentError
from workbench.forms.node import Node
from workbench.forms.reading import Draft, State, Unread, as_value, exchange, unread_in
from workbench.forms.shapes import Kind
from workbench.forms.union import UnionNode
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
        placer.place(error, value, "")
    if not isinstance(value, dict):
        placer.found.append(_problem(root, ProblemKind.INVALID, "must be one JSON object", "Write { … }."))
    found += list(dict.fromkeys(placer.found))
    if len(found) > 1:
        order = {node.id: number for number, node in enumerate(root.walk())}
        found.sort(key=lambda problem: order[problem.node_id])
    return tuple(found)


def face_problem(node_id: int, error: JsonError) -> Problem:
    """The JSON face holds a text that cannot be read."""
    return Problem(
        node_id, "", "", ProblemKind.NOT_READ, "The JSON text cannot be read yet", f"{error.message}."
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

    def place(self, error: ArgumentError, value: JsonValue, prefix: str) -> None:
        """`value` is what the error's path leads into, at `prefix` of the arguments."""
        path = prefix + error.path
        node = self._at(path)
        if error.rule in ("anyOf", "oneOf") and node.path == path:
            inner = _value_at(value, error.path)
            pointers = _in_use(node) if node.state is not State.NOT_SET else []
            behind = [each for pointer in pointers for each in self._validation.at(pointer, inner)]
            for each in behind:
                self.place(each, inner, path)
            if behind:
                return
            if isinstance(node, UnionNode) and node.state is State.NOT_SET:
                labels = " or ".join(each.label for each in node.shape.branches)
                self.found.append(
                    _problem(node, ProblemKind.REQUIRED, "is to be chosen", f"Choose {labels}.")
                )
                return
        while isinstance(node, UnionNode) and node.branch is not None and node.branch.kind is not Kind.GROUP:
            node = node.branch
        if any(each.id in self._unread for each in node.lineage()):
            return
        kind = ProblemKind.REQUIRED if error.rule == "required" else ProblemKind.INVALID
        words = "is required" if kind is ProblemKind.REQUIRED else error.message.removesuffix(".")
        if node.path != path:
            # It has no field of its own, as a key that the schema does not describe.
            words = f"{path.removeprefix(node.path)[1:]} {words}"
        said = f"{words[:1].upper()}{words[1:]}."
        self.found.append(_problem(node, kind, words, said, error.rule))


def _in_use(node: Node) -> list[str]:
    """The pointers of the branches that the field stands for, the outermost first."""
    if node.shape.behind:
        return list(node.shape.behind[:1])
    if isinstance(node, UnionNode) and node.picked is not None:
        pointer = node.shape.branches[node.picked].pointer
        return [pointer] if pointer else []
    return []


def _value_at(value: JsonValue, path: str) -> JsonValue:
    for token in path.split("/")[1:]:
        if isinstance(value, dict):
            value = value[token.replace("~1", "/").replace("~0", "~")]
        elif isinstance(value, list):
            value = value[int(token)]
    return value

"""Makes one value for a schema, from the outside in; what it cannot make is left out and noted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from typing import Final, NamedTuple, TypeAlias, cast

from workbench.app.inputs.sample_rules import (
    MOST_ITEMS,
    count,
    first_items,
    free_keys,
    given_values,
    in_order,
    items_of,
    joined,
    members_of,
    rule_of_any_key,
    rule_of_item,
    rule_of_key,
    type_of,
)
from workbench.app.inputs.sample_texts import first_valid, numbers, texts
from workbench.base.exact_json import JsonObject, JsonValue
from workbench.base.json_pointer import escaped, look_up, tokens
from workbench.schema import compile_schema, resolve

_DEEPEST = 48
"""Parts of the schema inside each other; a union counts twice."""
_MOST_NODES = 20_000
_SHARED = ("$defs", "definitions")
"""Where the parts stand that are referred to."""


class _Nothing(Enum):
    NOTHING = "nothing"


NOTHING: Final = _Nothing.NOTHING
Made: TypeAlias = "JsonValue | _Nothing"


class LeftOut(NamedTuple):
    """A place that has no sample: a JSON Pointer, and why, completing "<place> …"."""

    path: str
    why: str


class SampleMaker:
    """Makes values for one clean schema. `every` fills optional fields, too; `turn` begins unions at another branch.

    What was `typed` already leads: of a union a branch is taken that goes with it, and what it began is filled.
    """

    def __init__(self, root: JsonObject, *, every: bool, turn: int = 0, typed: JsonValue = None) -> None:
        self.left_out: list[LeftOut] = []
        self._root = root
        self._every = every
        self._turn = turn
        self._typed = typed
        self._nodes = 0

    def make(self) -> Made:
        """A value for the whole schema; arguments are one object, also where it does not say so."""
        whole = self._root if "$ref" in self._root else {"type": "object", **self._root}
        return self._make(whole, "", (), 0)

    def _make(self, schema: JsonValue, path: str, inside: tuple[int, ...], number: int) -> Made:
        """A value for a part of the schema; `inside` are the parts that it stands in."""
        if schema is False:
            return self._leave_out(path, "takes no value")
        part = self._whole(schema) if isinstance(schema, dict) else {}
        self._nodes += 1
        if len(inside) > _DEEPEST:
            return self._leave_out(path, "is nested too deep for a sample")
        if self._nodes > _MOST_NODES:
            return self._leave_out(path, "is more than a sample holds")
        typed = self._typed_at(path)
        for given in given_values(part) if not typed else ():
            if first_valid(part, iter([given])) is not None or given is None:
                return given
        chosen = self._by_branch(part, path, inside, number)
        if chosen is not None:
            return chosen
        kind = type_of(part)
        if kind == "object":
            return self._object(part, path, inside)
        if kind == "array":
            return self._array(part, path, inside)
        if kind == "null":
            return None
        found = first_valid(part, _plain_values(part, kind, _words(path), number))
        if found is not None:
            return found
        pattern = part.get("pattern")
        why = f"must match {pattern}" if pattern is not None else "has bounds that no sample was found for"
        return self._leave_out(path, why)

    def _leave_out(self, path: str, why: str) -> Made:
        self.left_out.append(LeftOut(path, why))
        return NOTHING

    def _whole(self, schema: JsonObject) -> JsonObject:
        """A part with its references followed and all of its `allOf` taken in."""
        whole = cast("JsonObject", dict(resolve(schema, self._root)))
        for _ in range(_DEEPEST):  # allOf may lead in circles
            rest = whole.pop("allOf", None)
            if not isinstance(rest, list):
                break
            for other in rest:
                if isinstance(other, dict):
                    whole = joined(whole, cast("JsonObject", dict(resolve(other, self._root))))
        return whole

    def _by_branch(self, part: JsonObject, path: str, inside: tuple[int, ...], number: int) -> Made | None:
        """A value by one branch of a union, the one that leaves out least; None when there is no union."""
        keyword = next((each for each in ("oneOf", "anyOf") if items_of(part.get(each))), None)
        if keyword is None:
            return None
        branches = self._going_with(self._typed_at(path), items_of(part[keyword]))
        rest = {key: rule for key, rule in part.items() if key != keyword}
        before = self.left_out
        found: list[tuple[Made, list[LeftOut]]] = []
        for branch in in_order(branches, self._turn, again=id(branches) in inside):
            self.left_out = []
            both = joined(rest, self._whole(branch)) if isinstance(branch, dict) else rest
            made = self._make(both, path, (*inside, id(branches), id(branch)), number)
            found.append((made, self.left_out))
            if not self.left_out or self._nodes > _MOST_NODES:
                break
        best, left_out = min(found, key=lambda each: len(each[1]))
        self.left_out = [*before, *left_out]
        return best

    def _typed_at(self, path: str) -> JsonValue:
        """The object or list that was typed at a place, None for anything else."""
        try:
            here = look_up(self._typed, tokens(path))
        except LookupError:
            return None
        return here if isinstance(here, dict | list) else None

    def _going_with(self, typed: JsonValue, branches: list[JsonValue]) -> list[JsonValue]:
        """The branches that what was typed is a beginning of; all of them when it is of none."""
        if not typed:
            return branches
        fitting: list[JsonValue] = []
        for branch in branches:
            if not isinstance(branch, dict):
                continue
            alone = {**self._whole(branch), **{key: self._root[key] for key in _SHARED if key in self._root}}
            if all(error.rule == "required" for error in compile_schema(alone).validate(typed)):
                fitting.append(branch)
        return fitting or branches

    def _object(self, part: JsonObject, path: str, inside: tuple[int, ...]) -> Made:
        value: JsonObject = {}
        required = [key for key in items_of(part.get("required")) if isinstance(key, str)]
        properties = members_of(part.get("properties"))
        for key in dict.fromkeys((*properties, *required)):
            schema = properties.get(key, rule_of_key(part, key))
            place = f"{path}/{escaped(key)}"
            asked = key in required or self._typed_at(place)
            if not asked and (not self._every or self._is_inside(schema, inside)):
                continue
            kept = len(self.left_out)
            made = self._make(schema, place, (*inside, self._identity(schema)), 0)
            if not isinstance(made, _Nothing):
                value[key] = made
            elif key not in required:
                del self.left_out[kept:]  # nobody asks for it
        self._add_keys(value, part, path, inside)
        return value

    def _add_keys(self, value: JsonObject, part: JsonObject, path: str, inside: tuple[int, ...]) -> None:
        """Keys of a map, as many as it needs; one to show how it is meant."""
        least = part.get("minProperties")
        wanted = int(least) if isinstance(least, int | Decimal) else 0
        is_map = not part.get("properties") and isinstance(rule_of_any_key(part), dict)
        wanted = max(wanted, 1 if self._every and is_map else 0)
        keys = free_keys(part)
        while len(value) < min(wanted, MOST_ITEMS) and (key := next(keys, None)) is not None:
            schema = rule_of_key(part, key)
            if key in value or schema is False or self._is_inside(schema, inside):
                continue
            kept = len(self.left_out)
            made = self._make(schema, f"{path}/{escaped(key)}", (*inside, self._identity(schema)), 0)
            if isinstance(made, _Nothing):
                del self.left_out[kept:]
                return
            value[key] = made

    def _array(self, part: JsonObject, path: str, inside: tuple[int, ...]) -> Made:
        least = count(part, "minItems", 0)
        if least > MOST_ITEMS:
            return self._leave_out(path, "needs more items than a sample has")
        wanted = max(least, 1, len(first_items(part))) if self._every else least
        typed = self._typed_at(path)
        wanted = max(wanted, len(typed) if isinstance(typed, list) else 0)
        items: list[JsonValue] = []
        for at in range(min(wanted, count(part, "maxItems", MOST_ITEMS))):
            schema = rule_of_item(part, at)
            if at >= least and (schema is False or self._is_inside(schema, inside)):
                break
            kept = len(self.left_out)
            made = self._make(schema, f"{path}/{at}", (*inside, self._identity(schema)), at)
            if isinstance(made, _Nothing):
                if at >= least:
                    del self.left_out[kept:]  # nobody asks for it
                break
            items.append(made)
        return items

    def _identity(self, schema: JsonValue) -> int:
        """The same for all references to one part, so that a walk in circles is seen."""
        return (
            id(resolve(schema, self._root))
            if isinstance(schema, dict) and "$ref" not in schema
            else _ref(schema)
        )

    def _is_inside(self, schema: JsonValue, inside: tuple[int, ...]) -> bool:
        return self._identity(schema) in inside


def _ref(schema: JsonValue) -> int:
    return (
        hash(schema["$ref"])
        if isinstance(schema, dict) and isinstance(schema.get("$ref"), str)
        else id(schema)
    )


def _plain_values(part: JsonObject, kind: str, words: str, number: int) -> Iterator[JsonValue]:
    """Candidates for a field that holds no others."""
    if kind == "boolean":
        return iter([True, False])
    if kind in ("integer", "number"):
        return numbers(part, number, whole=kind == "integer")
    return texts(part, words, number)


def _words(path: str) -> str:
    """`/billTo/zip_code` → `zip code`: a text that says where it went."""
    keys = [key for key in path.split("/") if key and not key.isdecimal()]
    last = keys[-1].replace("~1", " ").replace("~0", " ") if keys else ""
    return re.sub(r"[^A-Za-z0-9]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", last)).strip().lower()

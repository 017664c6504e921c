"""What the rules of one part of a schema ask for, read for whoever makes a value that keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from workbench.app.inputs.sample_texts import first_valid, texts
from workbench.base.exact_json import JsonObject, JsonValue

MOST_ITEMS = 200
"""Items and keys that a sample has at most."""
_LEAST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_BOUNDS = _LEAST | {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}


def given_values(part: JsonObject) -> Iterator[JsonValue]:
    """Values that the author wrote down, the most telling first."""
    if "const" in part:
        yield part["const"]
    yield from items_of(part.get("examples"))
    for keyword in ("example", "default"):
        if keyword in part and part[keyword] is not None:
            yield part[keyword]
    yield from sorted(items_of(part.get("enum")), key=lambda each: each is None)


def type_of(part: JsonObject) -> str:
    """The type to make a value of: the first that is named and not null, else what the other keywords tell."""
    named = part.get("type")
    types = [each for each in (named if isinstance(named, list) else [named]) if isinstance(each, str)]
    told = next((each for each in types if each != "null"), types[0] if types else None)
    if told is not None:
        return told
    for kind, keywords in _TELLING.items():
        if keywords & part.keys():
            return kind
    return "string"


_TELLING = {
    "object": {"properties", "required", "additionalProperties", "patternProperties", "propertyNames"},
    "array": {"items", "prefixItems", "minItems", "contains", "uniqueItems"},
    "string": {"pattern", "format", "minLength", "maxLength"},
    "number": {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"},
}


def joined(one: JsonObject, other: JsonObject) -> JsonObject:
    """Both sets of rules as one: what each of them asks for is asked for."""
    both = {**one, **other}
    for keyword in one.keys() & other.keys():
        left, right = one[keyword], other[keyword]
        if keyword == "required":
            both[keyword] = list(dict.fromkeys((*items_of(left), *items_of(right))))
        elif keyword == "allOf":
            both[keyword] = [*items_of(left), *items_of(right)]
        elif keyword == "properties":
            mine, others = members_of(left), members_of(right)
            shared: JsonObject = {
                key: {"allOf": [mine[key], others[key]]} for key in mine.keys() & others.keys()
            }
            both[keyword] = {**mine, **others, **shared}
        elif keyword == "enum":
            both[keyword] = [each for each in items_of(left) if each in items_of(right)]
        elif keyword in _BOUNDS and isinstance(left, int | Decimal) and isinstance(right, int | Decimal):
            both[keyword] = max(left, right) if keyword in _LEAST else min(left, right)
    return both


def rule_of_key(part: JsonObject, key: str) -> JsonValue:
    """The rule of a key that has none of its own."""
    for pattern, schema in members_of(part.get("patternProperties")).items():
        if first_valid({"type": "string", "pattern": pattern}, iter([key])) is not None:
            return schema
    return part.get("additionalProperties", True)


def rule_of_any_key(part: JsonObject) -> JsonValue:
    """A rule for keys that are not named, if there is one."""
    patterns = members_of(part.get("patternProperties"))
    return next(iter(patterns.values()), part.get("additionalProperties", True))


def free_keys(part: JsonObject) -> Iterator[str]:
    """Keys that a map takes."""
    names = members_of(part.get("propertyNames"))
    for pattern in members_of(part.get("patternProperties")):
        key = first_valid({"type": "string", "pattern": pattern}, texts({"pattern": pattern}, "key", 0))
        if isinstance(key, str):
            yield key
    for given in given_values(names):
        if isinstance(given, str):
            yield given
    for number in range(MOST_ITEMS):
        rules: JsonObject = {"type": "string", **names}
        key = "key" if number == 0 else f"key{number + 1}"
        fitting = first_valid(rules, iter([key])) or first_valid(rules, texts(rules, "key", number))
        if isinstance(fitting, str):
            yield fitting


def first_items(part: JsonObject) -> list[JsonValue]:
    """The rules of an array's first items, each its own; also as older drafts write them."""
    return items_of(part.get("prefixItems")) or items_of(part.get("items"))


def rule_of_item(part: JsonObject, at: int) -> JsonValue:
    """The rule of one item."""
    places = first_items(part)
    if at < len(places):
        return places[at]
    if "contains" in part and at < count(part, "minContains", 1):
        return part["contains"]
    rest = part.get("items", part.get("contains", True))
    return part.get("additionalItems", True) if isinstance(rest, list) else rest


def in_order(branches: list[JsonValue], turn: int, *, again: bool) -> list[JsonValue]:
    """Branches from the `turn`th on, null last: it says nothing about what a field takes.

    Inside itself a union comes to an end with the branch that asks for least.
    """
    turned = [branches[(at + turn) % len(branches)] for at in range(len(branches))]
    return sorted(turned, key=lambda each: (_is_null(each), _size(each) if again else 0))


def _is_null(branch: JsonValue) -> bool:
    return isinstance(branch, dict) and (branch.get("type") == "null" or branch.get("const", "") is None)


def _size(branch: JsonValue) -> int:
    """How much a branch asks for: nothing but itself, or so many keys."""
    if not isinstance(branch, dict):
        return 0
    is_leaf = "$ref" not in branch and type_of(branch) not in ("object", "array")
    return 0 if is_leaf else 1 + len(items_of(branch.get("required")))


def count(part: JsonObject, keyword: str, otherwise: int) -> int:
    """How many a keyword asks for."""
    found = part.get(keyword)
    return int(found) if isinstance(found, int | Decimal) and not isinstance(found, bool) else otherwise


def items_of(value: JsonValue) -> list[JsonValue]:
    """The items of an array; none of anything else."""
    return value if isinstance(value, list) else []


def members_of(value: JsonValue) -> JsonObject:
    """The members of an object; none of anything else."""
    return value if isinstance(value, dict) else {}

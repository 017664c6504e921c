"""What the tests of forms share: the kept cases, real tool definitions, and schemas made up at random."""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar, cast

from hypothesis import strategies as st

from workbench.base.exact_json import JsonValue, dump, parse
from workbench.forms import ChoiceNode, Form, ListNode, Node, NumberNode, ObjectNode, TextNode, UnionNode

N = TypeVar("N", bound=Node)

DATA = Path(__file__).parents[1] / "data"
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in cast("dict[str, Any]", parse((DATA / "schemas.json").read_text()))["cases"]
}
REAL_TOOLS: list[dict[str, Any]] = cast("dict[str, Any]", parse((DATA / "real-mcp-tools.json").read_text()))[
    "tools"
]


def canonical(value: object) -> str:
    """The value as JSON text that does not depend on the order of keys; numbers keep their digits."""
    if isinstance(value, dict):
        members = sorted(cast("dict[str, object]", value).items())
        return "{" + ",".join(f"{dump(key)}:{canonical(each)}" for key, each in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(each) for each in cast("list[object]", value)) + "]"
    return dump(value)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.one_of(
    st.integers(),
    st.integers(min_value=-(10**40), max_value=10**40),
    st.decimals(allow_nan=False, allow_infinity=False).filter(lambda each: -9_000 < each.adjusted() < 9_000),
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    cast("st.SearchStrategy[JsonValue]", scalars),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
"""Any JSON value."""

Pair = tuple[dict[str, Any], st.SearchStrategy[Any]]
"""A schema and the values that it accepts."""


def _keywords(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    extras = st.fixed_dictionaries(
        {}, optional={"title": texts, "description": texts, "default": json_values}
    )
    return extras.map(lambda more: {**more, **schema})


_PLAIN: list[Pair] = [
    ({"type": "string"}, texts),
    ({"type": "string", "format": "date"}, st.dates().map(str)),
    ({"type": "integer"}, st.integers()),
    ({"type": "number"}, numbers),
    ({"type": "number", "minimum": 0}, st.integers(min_value=0)),
    ({"type": "boolean"}, st.booleans()),
    ({"type": "null"}, st.none()),
    ({"type": ["string", "null"]}, st.none() | texts),
    ({"type": ["integer", "string"]}, st.integers() | texts),
    ({"enum": ["", False, None, 0, "0", "a"]}, st.sampled_from(["", False, None, 0, "0", "a"])),
    ({"const": Decimal("1.50")}, st.just(Decimal("1.50"))),
    ({}, json_values),
    ({"type": "object"}, st.dictionaries(names, json_values, max_size=3)),
    ({"type": "array"}, st.lists(json_values, max_size=3)),
    ({"type": "string", "contentEncoding": "base64"}, st.binary().map(lambda data: b64encode(data).decode())),
    ({"type": "string", "contentMediaType": "application/json"}, texts),
    ({"type": "string", "format": "date-time"}, st.datetimes().map(lambda when: f"{when.isoformat()}Z")),
    ({"type": "string", "format": "uuid"}, st.uuids().map(str)),
]


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    members = draw(st.dictionaries(names, inner, max_size=4))
    required = draw(st.sets(st.sampled_from(sorted(members)))) if members else set[str]()
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: pair[0] for name, pair in members.items()},
    }
    if required:
        schema["required"] = sorted(required)
    values = st.fixed_dictionaries(
        {name: pair[1] for name, pair in members.items() if name in required},
        optional={name: pair[1] for name, pair in members.items() if name not in required},
    )
    return schema, values


def _grown(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def union(pairs: list[Pair]) -> Pair:
        return {"anyOf": [pair[0] for pair in pairs]}, st.one_of(*(pair[1] for pair in pairs))

    return st.one_of(
        _objects(inner),
        inner.map(lambda pair: ({"type": "array", "items": pair[0]}, st.lists(pair[1], max_size=3))),
        inner.map(
            lambda pair: (
                {"type": "object", "additionalProperties": pair[0]},
                st.dictionaries(names, pair[1], max_size=3),
            )
        ),
        inner.map(lambda pair: ({"anyOf": [pair[0], {"type": "null"}]}, st.none() | pair[1])),
        st.tuples(st.lists(inner, min_size=1, max_size=3), inner | st.none()).map(_places),
        inner.map(
            lambda pair: (
                {"type": "object", "patternProperties": {"^x-": pair[0]}, "additionalProperties": False},
                st.dictionaries(names.map(lambda name: f"x-{name}"), pair[1], max_size=3),
            )
        ),
        st.tuples(inner, inner).map(_cases),
        inner.map(lambda pair: ({"allOf": [pair[0]]}, pair[1])),
        st.lists(inner, min_size=2, max_size=3).map(union),
    )


def _places(drawn: tuple[list[Pair], Pair | None]) -> Pair:
    """An array with places of its own, and more behind them if there is a rest."""
    pairs, rest = drawn
    schema = {
        "type": "array",
        "prefixItems": [pair[0] for pair in pairs],
        "items": False if rest is None else rest[0],
    }
    first = st.tuples(*(pair[1] for pair in pairs)).map(list)
    if rest is None:
        return schema, st.tuples(first, st.integers(0, len(pairs))).map(lambda each: each[0][: each[1]])
    return schema, st.tuples(first, st.lists(rest[1], max_size=2)).map(lambda each: each[0] + each[1])


def _cases(pairs: tuple[Pair, Pair]) -> Pair:
    """An object with a field whose schema depends on another."""
    schema = {
        "type": "object",
        "properties": {"on": {"type": "boolean"}},
        "required": ["on"],
        "if": {"properties": {"on": {"const": True}}},
        "then": {"properties": {"x": pairs[0][0]}},
        "else": {"properties": {"x": pairs[1][0]}},
    }
    return schema, st.one_of(
        st.fixed_dictionaries({"on": st.just(True)}, optional={"x": pairs[0][1]}),
        st.fixed_dictionaries({"on": st.just(False)}, optional={"x": pairs[1][1]}),
    )


def _decorated(pair: Pair) -> st.SearchStrategy[Pair]:
    return _keywords(pair[0]).map(lambda schema: (schema, pair[1]))


schemas: st.SearchStrategy[Pair] = _objects(
    st.recursive(st.sampled_from(_PLAIN).flatmap(_decorated), _grown, max_leaves=6)
)
"""Schemas of arguments, each with the values that it accepts."""


def text(form: Form, path: str) -> TextNode:
    return _as(form, path, TextNode)


def number(form: Form, path: str) -> NumberNode:
    return _as(form, path, NumberNode)


def choice(form: Form, path: str) -> ChoiceNode:
    return _as(form, path, ChoiceNode)


def array(form: Form, path: str) -> ListNode:
    return _as(form, path, ListNode)


def group(form: Form, path: str) -> ObjectNode:
    return _as(form, path, ObjectNode)


def union(form: Form, path: str) -> UnionNode:
    return _as(form, path, UnionNode)


def _as(form: Form, path: str, type: type[N]) -> N:
    """The field at exactly this path, of this class."""
    node = form.at(path)
    assert node.path == path
    assert isinstance(node, type)
    return node

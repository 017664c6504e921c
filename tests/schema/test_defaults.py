"""Declared defaults are filled in at every depth; references are found in every spelling."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema.cases import CASES, SCHEMAS
from workbench.base.exact_json import JsonValue
from workbench.schema import Defaults, clean_schema, compile_schema, fill_defaults, resolve, resolve_ref

SCHEMA: dict[str, Any] = {
    "properties": {
        "n": {"type": "integer", "default": 5},
        "wrong": {"type": "integer", "default": "5"},
        "none": {"type": ["string", "null"], "default": None},
        "one": {"$ref": "#/$defs/item"},
        "more": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        "pair": {
            "prefixItems": [{}, {"properties": {"second": {"default": 2}}}],
            "items": {"$ref": "#/$defs/item"},
        },
        "own": {"$ref": "#/$defs/item", "default": {"k": False}},
    },
    "allOf": [{"properties": {"late": {"default": [1]}, "n": {"default": 6}}}],
    "$defs": {
        "item": {"properties": {"k": {"type": "boolean", "default": True}, "inner": {"$ref": "#/$defs/item"}}}
    },
}


def test_absent_keys_get_their_defaults_and_present_ones_stay() -> None:
    value: JsonValue = {"n": 1, "one": {"inner": {}}, "more": [{}, 3, {"k": False}], "pair": [{}, {}, {}]}
    before = repr(value)
    assert fill_defaults(value, SCHEMA) == {
        "n": 1,
        "one": {"inner": {"k": True}, "k": True},
        "more": [{"k": True}, 3, {"k": False}],
        "pair": [{}, {"second": 2}, {"k": True}],
        "none": None,
        "own": {"k": False},
        "late": [1],
    }
    assert repr(value) == before


def test_filled_defaults_are_copies() -> None:
    defaults = Defaults(SCHEMA)
    first = defaults.fill({})
    assert isinstance(first, dict)
    late = first["late"]
    assert isinstance(late, list)
    late.append(2)
    assert SCHEMA["allOf"][0]["properties"]["late"]["default"] == [1]


def test_without_defaults_the_value_is_the_same_object() -> None:
    value: JsonValue = {"a": 1}
    assert fill_defaults(value, {"properties": {"a": {}}}) is value


def test_defaults_that_lead_in_circles_end() -> None:
    schema: dict[str, Any] = {
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/a"}], "properties": {"x": {"$ref": "#/$defs/a", "default": {}}}}
        },
        "$ref": "#/$defs/a",
    }
    assert fill_defaults({}, schema) == {"x": {}}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_a_value_that_fits_still_fits_with_its_defaults(case: dict[str, Any]) -> None:
    schema, _ = clean_schema(case["schema"])
    for value in case["accepts"]:
        assert compile_schema(schema).validate(fill_defaults(value, schema)) == ()


def test_references_are_found_in_every_spelling() -> None:
    root = {
        **SCHEMAS["S19"],
        "$defs": {"t": {"$anchor": "here"}, "list": {"anyOf": [{}, {"title": "second"}]}},
    }
    assert resolve_ref("#/definitions/a~1b~0c%20d", root) == {"type": "integer"}
    assert resolve_ref("#/definitions/@enum", root) == {"enum": ["a", "b"]}
    assert resolve_ref("#here", root) == {"$anchor": "here"}
    assert resolve_ref("#/$defs/list/anyOf/1", root) == {"title": "second"}
    assert resolve_ref("#", root) is root
    assert resolve_ref("#/definitions/gone", root) is None
    assert resolve_ref("https://schemas.invalid/x", root) is None


def test_what_stands_beside_a_reference_wins_and_circles_end() -> None:
    root: dict[str, Any] = {
        "$defs": {
            "a": {"$ref": "#/$defs/b", "title": "a"},
            "b": {"title": "b", "type": "null"},
            "c": {"$ref": "#/$defs/c"},
        }
    }
    assert resolve({"$ref": "#/$defs/a", "default": 1}, root) == {"title": "a", "type": "null", "default": 1}
    assert resolve({"$ref": "#/$defs/c", "title": "t"}, root) == {"title": "t"}

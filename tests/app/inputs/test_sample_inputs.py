"""Sample data is what the schema accepts, and what has no sample is left out and told."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forms.schemas import Pair, schemas
from tests.schema.cases import CASES, REAL_TOOLS
from workbench.app.inputs.sample import make_sample
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue, dump, parse
from workbench.schema import compile_schema


def sampled(schema: dict[str, Any], *, every: bool = True) -> JsonValue:
    sample = make_sample(schema, every=every)
    assert sample.left_out == ()
    value = parse(sample.arguments)
    assert compile_schema(schema).validate(value) == ()
    return value


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("case", [case for case in CASES if case["accepts"]], ids=lambda case: case["id"])
def test_every_kept_schema_that_accepts_anything_has_a_sample(case: dict[str, Any], *, every: bool) -> None:
    assert isinstance(sampled(case["schema"], every=every), dict)


@pytest.mark.parametrize("tool", REAL_TOOLS, ids=lambda tool: tool["name"])
def test_every_real_tool_has_a_sample_with_all_of_its_arguments(tool: dict[str, Any]) -> None:
    schema = tool["inputSchema"]
    value = sampled(schema)
    assert isinstance(value, dict)
    assert value.keys() == schema.get("properties", {}).keys()


@given(schemas, st.booleans())
def test_a_sample_is_valid_but_for_what_it_says_is_left_out(pair: Pair, every: bool) -> None:
    schema = {"type": "object", "properties": {"x": pair[0]}, "required": ["x"]}
    try:
        sample = make_sample(schema, every=every)
    except UserError:
        return
    told = {each.path for each in sample.left_out}
    errors = compile_schema(schema).validate(parse(sample.arguments))
    assert all(error.rule == "required" and error.path in told for error in errors)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"type": "string", "examples": ["CODE-9"], "pattern": "^CODE-[0-9]$"}, "CODE-9"),
        ({"type": "string", "default": "C4"}, "C4"),
        ({"enum": [None, "a"]}, "a"),
        ({"const": 7}, 7),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "maxLength": 4}, "1x"),
        ({"type": "integer", "minimum": 10, "multipleOf": 4}, 12),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, parse("0.5")),
        ({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "integer"}}, [1, 2, 3]),
        ({"type": "string", "pattern": "^[A-Z]{3}$"}, "EUR"),
        ({"type": "string", "pattern": "^[0-9a-f]{40}$"}, "1" * 40),
        ({"type": ["null", "boolean"]}, True),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"key": 1}),
        (
            {"type": "object", "propertyNames": {"enum": ["en", "fr"]}, "minProperties": 2},
            {"en": "sample en", "fr": "sample fr"},
        ),
    ],
)
def test_a_sample_takes_the_authors_own_values_first_and_keeps_every_rule(
    rule: dict[str, Any], expected: JsonValue
) -> None:
    assert sampled({"type": "object", "properties": {"x": rule}, "required": ["x"]}) == {"x": expected}


def test_a_text_says_which_field_it_is_for() -> None:
    schema = {"type": "object", "properties": {"billTo": {"properties": {"zip_code": {"type": "string"}}}}}
    assert sampled(schema) == {"billTo": {"zip_code": "sample zip code"}}


def test_only_what_is_required_is_filled_when_that_is_asked_for() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    }
    assert sampled(schema, every=False) == {"a": "sample a"}
    assert sampled(schema) == {"a": "sample a", "b": "sample b"}


def test_a_required_pattern_that_no_sample_matches_is_left_out_and_told() -> None:
    rule = {"type": "string", "pattern": "^ORD!-[0-9]+~$"}
    schema = {
        "type": "object",
        "required": ["order", "n"],
        "properties": {"order": rule, "n": {"type": "integer"}},
    }
    sample = make_sample(schema)
    assert sample.arguments == '{"n":1}'
    assert sample.left_out == (("/order", "must match ^ORD!-[0-9]+~$"),)


def test_a_schema_inside_itself_ends() -> None:
    schema = {
        "$ref": "#/$defs/t",
        "$defs": {"t": {"type": "object", "properties": {"next": {"$ref": "#/$defs/t"}}}},
    }
    assert sampled(schema) == {"next": {}}
    node = {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/node"}}}
    endless = {**node, "$defs": {"node": node}}
    assert [each.why for each in make_sample(endless).left_out] == ["is nested too deep for a sample"]


def test_a_union_inside_itself_ends_with_its_smallest_branch() -> None:
    node = {
        "oneOf": [
            {"type": "object", "required": ["l"], "properties": {"l": {"$ref": "#/$defs/n"}}},
            {"type": "string"},
        ]
    }
    schema = {
        "type": "object",
        "required": ["t"],
        "properties": {"t": {"$ref": "#/$defs/n"}},
        "$defs": {"n": node},
    }
    assert sampled(schema) == {"t": {"l": "sample l"}}


def test_what_another_argument_asks_for_is_filled_too_when_only_required_ones_were_wanted() -> None:
    schema = {
        "type": "object",
        "required": ["mode"],
        "properties": {"mode": {"enum": ["a", "b"]}, "key": {"type": "string"}},
        "if": {"properties": {"mode": {"const": "a"}}},
        "then": {"required": ["key"]},
    }
    assert sampled(schema, every=False) == {"mode": "a", "key": "sample key"}


@pytest.mark.parametrize("format", ["uuid", "date", "date-time", "time", "ipv4", "email", "uri"])
def test_items_that_must_differ_do(format: str) -> None:
    items = {
        "type": "array",
        "minItems": 60,
        "uniqueItems": True,
        "items": {"type": "string", "format": format},
    }
    sampled({"type": "object", "required": ["x"], "properties": {"x": items}})


def test_five_thousand_required_arguments_are_all_filled() -> None:
    names = [f"p{number}" for number in range(5_000)]
    schema = {"type": "object", "required": names, "properties": {name: {"type": "string"} for name in names}}
    value = sampled(schema)
    assert isinstance(value, dict)
    assert list(value) == names


def test_a_schema_that_nothing_meets_is_said_in_words() -> None:
    with pytest.raises(UserError, match="No sample data was found"):
        make_sample({"type": "object", "not": {}})


def test_what_was_typed_stays_where_it_fits_and_gives_way_where_it_does_not() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "n": {"type": "number"}},
        "additionalProperties": False,
    }
    assert make_sample(schema, typed='{"n": 1.50}').arguments == '{"a":"sample a","n":1.50}'
    made = make_sample(schema).arguments
    assert made == dump({"a": "sample a", "n": 1})
    assert make_sample(schema, typed='{"n": "x"}').arguments == made
    assert make_sample(schema, typed="{oops").arguments == made
    some = make_sample(schema, typed='{"n": "x", "a": "mine"}').arguments
    assert parse(some) == {"a": "mine", "n": 1}


SHAPES: dict[str, Any] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"oneOf": [{"$ref": "#/$defs/Box"}, {"$ref": "#/$defs/Tube"}]},
        "more": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Box"}, {"$ref": "#/$defs/Tube"}]}},
    },
    "$defs": {
        "Box": {
            "type": "object",
            "required": ["shape", "width"],
            "properties": {"shape": {"const": "box"}, "width": {"type": "integer"}},
            "additionalProperties": False,
        },
        "Tube": {
            "type": "object",
            "required": ["shape", "length", "across"],
            "properties": {
                "shape": {"const": "tube"},
                "length": {"type": "integer", "minimum": 5},
                "across": {"type": "integer", "minimum": 5},
            },
            "additionalProperties": False,
            "default": {"shape": "tube", "length": 5, "across": 7},
        },
    },
}


@pytest.mark.parametrize("every", [True, False])
def test_the_chosen_branch_of_a_union_is_kept_and_only_what_it_lacks_is_filled(*, every: bool) -> None:
    typed = {"size": {"shape": "tube", "length": 33}, "more": [{"shape": "tube"}, {"width": 2}]}
    made = parse(make_sample(SHAPES, every=every, typed=dump(cast("JsonValue", typed))).arguments)
    assert made == {
        "size": {"shape": "tube", "length": 33, "across": 5},
        "more": [{"shape": "tube", "length": 5, "across": 5}, {"shape": "box", "width": 2}],
    }

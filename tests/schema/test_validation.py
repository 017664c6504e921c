"""Values are checked exactly, and every problem says where, by which rule and what to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

import pytest

from tests.schema.cases import REAL_TOOLS, SCHEMAS, values
from workbench.base.exact_json import JsonValue, parse
from workbench.base.masker import Masker
from workbench.schema import compile_schema

pytestmark = pytest.mark.rule("C3")


@pytest.mark.parametrize(
    ("schema", "value"), [pytest.param(s, v, id=name) for name, s, v in values("accepts")]
)
def test_a_value_that_fits_has_no_problems(schema: Any, value: JsonValue) -> None:
    assert compile_schema(schema).validate(value) == ()


@pytest.mark.parametrize(
    ("schema", "value"), [pytest.param(s, v, id=name) for name, s, v in values("rejects")]
)
def test_a_value_that_does_not_fit_is_told_in_words(schema: Any, value: JsonValue) -> None:
    problems = compile_schema(schema).validate(value)
    assert problems
    for problem in problems:
        assert problem.path == "" or problem.path.startswith("/")
        assert problem.message[0].islower()


def _sensible(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    for union in ("oneOf", "anyOf"):
        if union in schema and "type" not in schema:
            return _sensible(schema[union][0])
    match schema.get("type"):
        case "object":
            return {name: _sensible(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [_sensible(schema.get("items", {}))] * schema.get("minItems", 1)
        case "number" | "integer":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return "text"


@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool["name"]) for tool in REAL_TOOLS])
def test_the_schemas_of_real_tools_are_taken_as_they_are(tool: dict[str, Any]) -> None:
    compiled = compile_schema(tool["inputSchema"])
    assert compiled.notes == ()
    assert compiled.schema is tool["inputSchema"]
    value = {
        name: _sensible(tool["inputSchema"]["properties"][name])
        for name in tool["inputSchema"].get("required", [])
    }
    assert compiled.validate(value) == ()
    for name in value:
        missing = {key: each for key, each in value.items() if key != name}
        assert f"/{name}" in [problem.path for problem in compiled.validate(missing)]


@pytest.mark.parametrize(
    ("schema", "text", "fits"),
    [
        ('{"multipleOf":0.01}', "0.07", True),
        ('{"multipleOf":0.01}', "0.075", False),
        ('{"multipleOf":0.01}', "9007199254740993.015", False),
        ('{"multipleOf":0.01}', "1e400", True),
        ('{"multipleOf":0.01}', "1e-9999", False),
        ('{"maximum":9007199254740992}', "9007199254740993", False),
        ('{"maximum":9007199254740992}', "9007199254740992.0000000001", False),
        ('{"const":9007199254740993}', "9007199254740992", False),
        ('{"const":9007199254740993}', "9007199254740993.0", True),
        ('{"enum":[0.1]}', "0.10", True),
        ('{"enum":[0.1]}', "0.1000000000000000055511151231257827", False),
        ('{"minimum":0.1}', "0.09999999999999999999999999999", False),
        ('{"exclusiveMaximum":1e400}', "1e400", False),
        ('{"type":"integer"}', "1.0", True),
        ('{"type":"integer"}', "1e400", True),
        ('{"type":"integer"}', "1e-400", False),
        ('{"type":"integer"}', "-0.0", True),
        ('{"type":"integer"}', "1" * 4000, True),
        ('{"type":"integer"}', "123456789012345678901234567890.5", False),
        ('{"uniqueItems":true}', "[9007199254740993,9007199254740992]", True),
        ('{"uniqueItems":true}', "[0.1,0.10]", False),
        ('{"enum":[0]}', "false", False),
        ('{"const":false}', "0", False),
        ('{"const":1}', "true", False),
    ],
)
def test_numbers_are_compared_exactly(schema: str, text: str, fits: bool) -> None:
    compiled = compile_schema(parse(schema))
    assert compiled.is_valid(parse(text)) is fits
    assert (compiled.validate(parse(text)) == ()) is fits


_ARGUMENTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": 1, "maximum": Decimal("9.50")},
        "mode": {"enum": ["read", "write"]},
        "nested": {
            "type": "object",
            "properties": {"a/b": {"type": "string", "format": "date"}},
            "required": ["a/b"],
            "additionalProperties": False,
        },
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 2},
    },
    "required": ["path", "count"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "path", "rule", "message", "seen"),
    [
        ({}, "/path", "required", "is required, but missing.", None),
        ({"path": 5}, "/path", "type", "must be a string, not a number.", "5"),
        ({"path": ""}, "/path", "minLength", "must not be empty.", '""'),
        ({"count": Decimal("1.50")}, "/count", "type", "must be an integer, without a fraction.", "1.50"),
        ({"count": 0}, "/count", "minimum", "must be at least 1.", "0"),
        ({"count": 10}, "/count", "maximum", "must be at most 9.50.", "10"),
        ({"mode": "raed"}, "/mode", "enum", 'must be "read" or "write". Did you mean "read"?', '"raed"'),
        ({"pth": "x"}, "/pth", "additionalProperties", 'is not known here. Did you mean "path"?', '"x"'),
        ({"nested": {}}, "/nested/a~1b", "required", "is required, but missing.", None),
        ({"nested": {"a/b": "x"}}, "/nested/a~1b", "format", "must be a date such as 2026-02-28.", '"x"'),
        ({"tags": ["a", "B"]}, "/tags/1", "pattern", "must match the pattern ^[a-z]+$", '"B"'),
        ({"tags": ["a", "b", "c"]}, "/tags", "maxItems", "must have at most 2 items.", "[3 items]"),
        ({"nested": {"zz": []}}, "/nested/zz", "additionalProperties", "is not known here; known are a/b.", "[]"),
        ({"nested": [1]}, "/nested", "type", "must be an object, not an array.", "[1 item]"),
    ],
)  # fmt: skip
def test_a_problem_names_its_place_its_rule_and_what_to_do(
    value: dict[str, JsonValue], path: str, rule: str, message: str, seen: str | None
) -> None:
    problems = compile_schema(_ARGUMENTS).validate(value)
    found = next(each for each in problems if each.path == path)
    assert (found.rule, found.message, found.seen) == (rule, message, seen)


def test_every_problem_is_listed_once() -> None:
    schema = {**_ARGUMENTS, "allOf": [{"required": ["path"]}]}
    problems = compile_schema(schema).validate({"mode": 1, "x": 1, "y": 2, "tags": [1, 2, 3]})
    assert sorted(problem.path for problem in problems) == [
        "/count", "/mode", "/path", "/tags", "/tags/0", "/tags/1", "/tags/2", "/x", "/y",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "value", "path", "message"),
    [
        ("S3", {"kind": "sms"}, "/phone", "is required, but missing."),
        ("S3", {"kind": "fax"}, "/kind", 'must be "email" or "sms".'),
        ("S5", {}, "", "must also have url, or b64."),
        ("S1", {"dir": "up"}, "/dir", 'must be "in" or "out".'),
        ("S1", {"dir": 5}, "/dir", "must be a string or null, not a number."),
        ("S18", {"where": {"and": [{"or": [{"eq": 1}]}]}}, "/where/and/0/or/0/eq", "must be a string, not a number."),
        ("S18", {"where": {"and": [], "more": 1}}, "/where/more", "is not known here; known are and."),
        ("S22", {"r": {"name": "n", "y": "1"}}, "/r/y", "must be an integer, not a string."),
        ("S23", {"t": {"k": "baz"}}, "/t/k", 'must be "foo" or "bar".'),
        ("S29", {"bar": "D"}, "/bar", 'must be "A", "B" or "C".'),
        ("S39", {"v": "2"}, "/v", "must be a number or an object, not a string."),
        ("S39", {"v": {"prefix": "a"}}, "/v/value", "is required, but missing."),
    ],
)  # fmt: skip
def test_of_alternatives_the_meant_one_is_told(case: str, value: JsonValue, path: str, message: str) -> None:
    assert (path, message) in [
        (each.path, each.message) for each in compile_schema(SCHEMAS[case]).validate(value)
    ]


def test_a_format_that_has_words_is_not_told_again_by_its_pattern() -> None:
    schema = compile_schema(
        {"properties": {"to": {"type": "string", "format": "email", "pattern": "^[a-z]+@"}}}
    )

    assert [each.message for each in schema.validate({"to": "no"})] == ["must be an e-mail address."]
    assert [each.rule for each in schema.validate({"to": "A@example.org"})] == ["pattern"]


def test_a_wrong_choice_among_several_values_does_not_hide_the_branch_that_holds_it() -> None:
    schema: dict[str, Any] = {
        "anyOf": [
            {"properties": {"mode": {"enum": ["a", "b"]}, "x": {}}, "required": ["mode", "x"]},
            {"properties": {"y": {}}, "required": ["y"]},
        ]
    }
    assert [each.path for each in compile_schema(schema).validate({"mode": "c", "x": 1})] == ["/mode"]


def test_alternatives_with_several_values_each_are_told_together() -> None:
    branches = [
        {"properties": {"k": {"enum": values}}, "required": ["k"]} for values in (["a", "b"], ["c", "a"])
    ]
    (problem,) = compile_schema({"oneOf": branches}).validate({"k": "x"})
    assert (problem.path, problem.message) == ("/k", 'must be "a", "b" or "c".')


def test_of_exactly_one_alternative_two_that_fit_are_named() -> None:
    (problem,) = compile_schema(SCHEMAS["S5"]).validate({"url": "", "b64": ""})
    assert "alternative 1 (with url) and alternative 2 (with b64)" in problem.message


def test_where_no_argument_is_known_each_one_is_named() -> None:
    problems = compile_schema({"type": "object", "additionalProperties": False}).validate({"a": 1, "b": 2})
    assert [(each.path, each.rule) for each in problems] == [
        ("/a", "additionalProperties"),
        ("/b", "additionalProperties"),
    ]


def test_secrets_are_masked_in_paths_words_and_values_before_these_are_cut() -> None:
    secret = "s3cret/~" * 12
    masker = Masker([("KEY", secret)])
    schema = {"properties": {"a": {"maxLength": 3}, "b": {"type": "null"}}, "additionalProperties": False}
    problems = compile_schema(schema).validate({"a": secret, "b": {secret: 1}, secret: 2}, mask=masker.mask)
    assert len(problems) == 3
    assert "s3cret" not in repr(problems)
    assert problems[0].seen is not None
    assert any(problem.seen == '"[[secret:KEY]]"' for problem in problems)


def test_thousands_of_unknown_keys_are_told_in_time() -> None:
    schema: dict[str, Any] = {
        "properties": {f"name{n}": {} for n in range(100)},
        "additionalProperties": False,
    }
    value: dict[str, JsonValue] = {"x" * 100_000: 1, **{f"nam{n}": 1 for n in range(5_000)}}
    started = time.process_time()
    assert len(compile_schema(schema).validate(value)) == 5_001
    assert time.process_time() - started < 10


def test_half_a_surrogate_pair_is_a_problem_and_no_crash() -> None:
    compiled = compile_schema({"maxLength": 5})
    assert [problem.rule for problem in compiled.validate("\ud83d")] == ["json"]
    assert not compiled.is_valid("\ud83d")


def test_what_is_nested_too_deep_is_refused_before_the_validator_recurses() -> None:
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}
    value: JsonValue = []
    for _ in range(50_000):
        value = [value]
    found: list[str] = []
    thread = threading.Thread(
        target=lambda: found.extend(each.rule for each in compile_schema(schema).validate(value))
    )
    thread.start()
    thread.join(20)
    assert found == ["depth"]
    assert not compile_schema(schema).is_valid(value)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "^(a|a)*$", r"(a*)*\1b", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"^(?=(a+)+$)b"]
)
def test_a_catastrophic_pattern_ends_at_once_with_a_problem(pattern: str) -> None:
    compiled = compile_schema({"pattern": pattern})
    started = time.process_time()
    problems = compiled.validate("a" * 50_000 + "!")
    assert [problem.rule for problem in problems] == ["pattern"]
    assert time.process_time() - started < 5


@pytest.mark.parametrize("case", ["S15", "S17", "S18"])
def test_schemas_that_refer_to_themselves_do_not_hang(case: str) -> None:
    compile_schema(SCHEMAS[case]).validate({"tree": {}, "a": 1, "where": {}})


def test_both_drafts_are_known() -> None:
    seventh = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}],
        "additionalItems": False,
    }
    assert compile_schema(seventh).notes == ()
    assert [each.path for each in compile_schema(seventh).validate([1, 2])] == ["/0", ""]
    latest = {"prefixItems": [{"type": "string"}], "items": False}
    assert [each.path for each in compile_schema(latest).validate([1, 2])] == ["/1", "/0"]


def test_large_values_are_checked_in_time_that_grows_with_them() -> None:
    schema = {
        "items": {
            "properties": {"a": {"type": "integer"}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
        }
    }
    good = cast("list[JsonValue]", [{"a": index, "b": "x"} for index in range(50_000)])
    bad = cast("list[JsonValue]", [{"a": "x", "b": index} for index in range(2_000)])
    compiled = compile_schema(schema)
    started = time.process_time()
    assert compiled.is_valid(good)
    assert len(compiled.validate(bad)) == 4_000
    assert time.process_time() - started < 20


@pytest.mark.rule("C3")
@pytest.mark.parametrize("key", ["7", "007", "0", "12"])
def test_a_key_of_digits_is_named_as_it_is_spelled(key: str) -> None:
    schema = compile_schema(
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "null"}}}
    )
    (problem,) = schema.validate({key: [None, 1]})
    assert problem.path == f"/{key}/1"
    assert problem.seen == "1"

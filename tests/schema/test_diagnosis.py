"""What a schema costs its author is told, and never stops a tool from loading."""

from __future__ import annotations

from typing import Any

import pytest

from tests.schema.cases import SCHEMAS
from workbench.domain.definitions import Severity
from workbench.schema import check_text, diagnose, fill_defaults, progress_notes

CLOSED: dict[str, Any] = {"type": "object", "additionalProperties": False}


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {**CLOSED, "properties": {"a": schema}}
    return schema


def _found(schema: dict[str, Any], code: str) -> list[str]:
    return [note.pointer for note in diagnose(schema) if note.code == code]


@pytest.mark.rule("D5")
def test_more_than_seven_levels_are_told_with_their_place() -> None:
    assert diagnose(_nested(7)) == ()
    assert _found(_nested(8), "too-deep") == ["/properties/a" * 8]
    lists: dict[str, Any] = {"type": "string"}
    for _ in range(8):
        lists = {"type": "array", "items": lists}
    assert _found(lists, "too-deep") == ["/items" * 8]


@pytest.mark.rule("D5")
@pytest.mark.parametrize("case", ["S15", "S18"])
def test_a_schema_that_holds_itself_is_too_deep(case: str) -> None:
    assert len(_found(SCHEMAS[case], "too-deep")) == 1


def test_a_reference_to_itself_alone_is_told() -> None:
    assert _found(SCHEMAS["S17"], "self-reference") == ["/properties/a/$ref"]
    assert _found(SCHEMAS["S17"], "too-deep") == []


@pytest.mark.rule("D5")
def test_references_that_branch_at_every_step_are_followed_in_time() -> None:
    parts: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 4} for n in range(60)}
    assert (
        _found({**CLOSED, "$defs": {**parts, "d60": {}}, "allOf": [{"$ref": "#/$defs/d0"}]}, "too-deep") == []
    )


@pytest.mark.rule("D5")
@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        ({}, "/properties/a"),
        (True, "/properties/a"),
        ({"description": "anything"}, "/properties/a"),
        ({"type": "array", "items": {}}, "/properties/a/items"),
        ({"type": "object", "additionalProperties": True}, "/properties/a/additionalProperties"),
        ({"type": "object", "additionalProperties": {}}, "/properties/a/additionalProperties"),
        ({**CLOSED, "patternProperties": {"^x": {"type": "null"}}}, "/properties/a/patternProperties"),
        ({**CLOSED, "propertyNames": {"maxLength": 3}}, "/properties/a/propertyNames"),
    ],
)
def test_an_open_shape_is_a_warning_that_says_who_refuses_it(part: object, pointer: str) -> None:
    notes = diagnose({**CLOSED, "properties": {"a": part}})
    assert [(note.code, note.severity, note.pointer) for note in notes] == [
        ("open-shape", Severity.WARNING, pointer)
    ]
    assert "OpenAI" in notes[0].hint


@pytest.mark.rule("D5")
def test_objects_that_do_not_close_themselves_share_one_remark() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {"type": "object"}, "b": {"properties": {}}},
    }
    notes = diagnose(schema)
    assert [(note.code, note.severity, note.pointer) for note in notes] == [("open-shape", Severity.INFO, "")]
    assert "and 2 more" in notes[0].message


def test_arguments_that_cannot_be_an_object_are_an_error() -> None:
    assert [(note.code, note.severity) for note in diagnose({"type": "string"})] == [
        ("not-an-object", Severity.ERROR)
    ]
    assert diagnose({}) == ()


def test_a_default_that_breaks_its_own_schema_is_told_and_never_filled_in() -> None:
    assert _found(SCHEMAS["S38"], "bad-default") == ["/properties/s/default"]
    assert fill_defaults({}, SCHEMAS["S38"]) == {}


_PROGRESS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "intent": {"type": "string"},
        "nullable": {"anyOf": [{"$ref": "#/$defs/text"}, {"type": "null"}]},
        "choice": {"enum": ["a", "b"]},
        "count": {"type": "integer"},
        "open": {},
    },
    "$defs": {"text": {"type": "string"}},
}


@pytest.mark.rule("D5")
@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("intent", []),
        ("nullable", ["progress-argument-late"]),
        ("choice", ["progress-argument-late"]),
        ("count", ["progress-argument-not-string", "progress-argument-late"]),
        ("open", ["progress-argument-not-string", "progress-argument-late"]),
        ("gone", ["progress-argument-unknown"]),
    ],
)
def test_a_progress_argument_must_be_a_string_and_should_be_first(name: str, codes: list[str]) -> None:
    notes = progress_notes(_PROGRESS, name)
    assert [note.code for note in notes] == codes
    assert all(note.severity is Severity.ERROR for note in notes if note.code == "progress-argument-unknown")


@pytest.mark.rule("V5")
@pytest.mark.parametrize(
    ("schema", "text", "problem"),
    [
        ({"type": "string", "minLength": 3}, "abc", None),
        ({"type": "string", "minLength": 3}, "12", "It must have at least 3 characters."),
        ({"type": "string", "pattern": "^[0-9]+$"}, "12", None),
        ({"type": "integer", "minimum": 5}, "12", None),
        ({"type": "integer", "minimum": 5}, "1", "It must be at least 5."),
        ({"type": "integer"}, "s3cret", "It must be an integer, not a string."),
        ({"type": "boolean"}, "true", None),
        ({"type": ["string", "null"]}, "null", None),
        ({"enum": ["a", "b"]}, "c", 'It must be "a" or "b".'),
        ({"type": "string", "format": "date"}, "s3cret", "It must be a date such as 2026-02-28."),
        ({"type": "object", "additionalProperties": False}, '{"s3cret": 1}', "It is not known here; nothing is."),
        ({"description": "any"}, "", None),
    ],
)  # fmt: skip
def test_a_variables_text_is_checked_in_words_that_do_not_quote_it(
    schema: dict[str, Any], text: str, problem: str | None
) -> None:
    assert check_text(schema, text) == problem
    assert "s3cret" not in (problem or "")

"""A schema with something wrong in it still serves; what was left out is told."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.cases import SCHEMAS
from workbench.domain.definitions import Severity
from workbench.schema import clean_schema, compile_schema
from workbench.schema.keywords import KNOWN

pytestmark = pytest.mark.rule("C3")


def _notes(schema: Any) -> list[tuple[str, str]]:
    return [(note.code, note.pointer) for note in clean_schema(schema)[1]]


def test_a_schema_without_a_fault_is_the_same_object() -> None:
    for schema in (SCHEMAS["S19"], {}, {"$ref": "#/$defs/a", "$defs": {"a": True}}):
        assert clean_schema(schema) == (schema, ())
        assert clean_schema(schema)[0] is schema


_PARTS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"anyOf": []}, "/anyOf", {}),
    ({"type": "strin", "title": "t"}, "/type", {"title": "t"}),
    ({"required": "a"}, "/required", {}),
    ({"properties": {"a": 5, "b": {}}}, "/properties/a", {"properties": {"a": {}, "b": {}}}),
    ({"properties": {"a": {"minimum": "1"}}}, "/properties/a/minimum", {"properties": {"a": {}}}),
    ({"properties": []}, "/properties", {}),
    ({"anyOf": [{}, 5]}, "/anyOf/1", {"anyOf": [{}]}),
    ({"prefixItems": [5, {}]}, "/prefixItems/0", {"prefixItems": [{}, {}]}),
    ({"items": [{}]}, "/items", {}),
    ({"pattern": "("}, "/pattern", {}),
    ({"pattern": "(a{1000}){1000}"}, "/pattern", {}),
    ({"patternProperties": {"(": {}, "a": {}}}, "/patternProperties/(", {"patternProperties": {"a": {}}}),
    ({"multipleOf": 0}, "/multipleOf", {}),
    ({"$ref": "#/$defs/gone", "title": "t"}, "/$ref", {"title": "t"}),
    (
        {"properties": {"a~/b": {"$ref": "#gone"}}},
        "/properties/a~0~1b/$ref",
        {"properties": {"a~/b": {}}},
    ),
    ({"items": {"not": {"enum": 1}}}, "/items/not/enum", {"items": {"not": {}}}),
]


@pytest.mark.parametrize(("schema", "pointer", "left"), _PARTS)
def test_an_invalid_part_is_left_out_of_a_copy(schema: dict[str, Any], pointer: str, left: object) -> None:
    before = repr(schema)
    cleaned, notes = clean_schema(schema)
    assert [(note.code, note.pointer) for note in notes] == [("schema-part-dropped", pointer)]
    assert cleaned == left
    assert repr(schema) == before
    assert clean_schema(cleaned) == (cleaned, ())


def test_many_faults_are_all_told_and_the_rest_still_checks() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "oneOf": [1, 2]}, "b": {"enum": 5}},
        "required": ["a", 5],
    }
    compiled = compile_schema(schema)
    assert sorted(note.pointer for note in compiled.notes) == [
        "/properties/a/oneOf", "/properties/a/oneOf/0", "/properties/a/oneOf/1", "/properties/b/enum", "/required",
    ]  # fmt: skip
    assert [problem.path for problem in compiled.validate({"a": "x"})] == ["/a"]


@pytest.mark.parametrize(
    "schema",
    [
        {"_def": {"typeName": "ZodObject"}},
        [],
        "object",
        None,
        {"type": "object", "default": {1, 2}},
        {"properties": {1, 2}, "type": 5},
        {"type": "object", "properties": {"a": {"enum": [b"x"]}}},
        {"type": "object", "properties": {5: {}}},
        {"type": "object", "description": "\ud83d", "required": 5},
    ],
    ids=[
        "no keyword",
        "list",
        "text",
        "nothing",
        "set",
        "set of properties",
        "bytes",
        "number as key",
        "surrogate",
    ],
)
def test_what_is_no_schema_at_all_is_an_error(schema: object) -> None:
    cleaned, notes = clean_schema(schema)
    assert [(note.code, note.severity) for note in notes] == [("not-a-schema", Severity.ERROR)]
    assert cleaned == {}


def test_a_schema_nested_without_end_is_an_error() -> None:
    schema: dict[str, Any] = {}
    for _ in range(50_000):
        schema = {"items": schema}
    assert _notes(schema) == [("not-a-schema", "")]


@pytest.mark.parametrize(
    "reference",
    ["http://schemas.invalid/a", "https://schemas.invalid/a#/b", "other.json", "urn:x:y", "file:///x"],
)
def test_a_remote_reference_is_refused_and_nothing_is_fetched(
    reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_socket(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", no_socket)
    schema = {"properties": {"a": {"$ref": reference, "type": "string"}, "b": {"type": "null"}}}
    compiled = compile_schema(schema)
    assert [(note.code, note.pointer) for note in compiled.notes] == [("remote-ref", "/properties/a/$ref")]
    assert [problem.path for problem in compiled.validate({"a": 1, "b": 1})] == ["/a", "/b"]


def test_references_by_address_and_anchor_within_the_schema_are_kept() -> None:
    schema = {
        "$id": "https://schemas.invalid/root",
        "$defs": {"b": {"$id": "b.json", "$anchor": "here", "type": "string"}},
        "properties": {
            "by id": {"$ref": "b.json"},
            "by anchor": {"$ref": "b.json#here"},
            "by pointer": {"$ref": "https://schemas.invalid/root#/$defs/b"},
            "gone": {"$ref": "c.json"},
        },
    }
    compiled = compile_schema(schema)
    assert [note.pointer for note in compiled.notes] == ["/properties/gone/$ref"]
    assert len(compiled.validate({"by id": 1, "by anchor": 1, "by pointer": 1})) == 3


def test_an_unknown_draft_is_told() -> None:
    assert _notes({"$schema": "https://schemas.invalid/mine", "type": "object"}) == [
        ("unknown-draft", "/$schema")
    ]
    assert _notes({"$schema": "https://json-schema.org/draft-07/schema", "type": "object"}) == []


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from(["string", "object", "#", "#/a", "(", "x:y"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(KNOWN)), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(sorted(KNOWN)), _json, max_size=6))
def test_any_mapping_of_known_keywords_can_be_made_to_serve(schema: dict[str, Any]) -> None:
    compiled = compile_schema(schema)
    assert "not-a-schema" not in [note.code for note in compiled.notes]
    compiled.validate({"a": [1, {}]})

"""The list of a tool's arguments names every one that a person can fill in."""

from __future__ import annotations

from workbench.forms.outline import outline


def test_nested_arguments_are_listed_with_the_paths_that_problems_name() -> None:
    lines = outline(
        {
            "type": "object",
            "required": ["order"],
            "properties": {
                "order": {
                    "type": "object",
                    "required": ["id"],
                    "properties": {"id": {"type": "string", "description": "Which order"}},
                },
                "items": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"sku": {"type": "string"}}},
                },
                "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
                "limit": {"type": "integer", "default": 20},
            },
        }
    )
    assert [(line.path, line.type, line.required) for line in lines] == [
        ("order", "object", True),
        ("order.id", "string", True),
        ("items", "array of object", False),
        ("items[].sku", "string", False),
        ("labels", "map of integer", False),
        ("labels.*", "integer", False),
        ("limit", "integer", False),
    ]
    assert lines[1].description == "Which order"
    assert lines[-1].default == "20"


def test_a_schema_that_contains_itself_is_listed_until_it_begins_again() -> None:
    lines = outline(
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/tree"}},
            "$defs": {
                "tree": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "child": {"$ref": "#/$defs/tree"}},
                }
            },
        }
    )
    assert [line.path for line in lines] == ["tree", "tree.name", "tree.child"]


def test_a_tool_without_arguments_has_no_lines() -> None:
    assert outline(None) == ()


def test_the_places_of_an_array_and_the_fields_of_some_cases_are_listed() -> None:
    lines = outline(
        {
            "type": "object",
            "properties": {
                "at": {"prefixItems": [{"type": "number"}, {"enum": ["m", "ft"]}], "items": False},
            },
            "dependentSchemas": {"at": {"properties": {"zoom": {"type": "integer"}}}},
        }
    )
    assert [(line.path, line.type) for line in lines] == [
        ("at", "array: number, choice of 2"),
        ("at[0]", "number"),
        ("at[1]", "choice of 2"),
        ("zoom", "integer"),
    ]

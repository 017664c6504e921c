"""Values that a schema accepts, made from the schema: what the definitions of real tools say, and no more."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import strategies as st

from tests.forms.schemas import json_values


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A strategy for values of `schema`; a rule that it does not know is left to the test to check."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return st.one_of([values_of({**_without(schema, union), **each}) for each in schema[union]])
    types = schema.get("type")
    if isinstance(types, list):
        return st.one_of([values_of({**schema, "type": each}) for each in cast("list[str]", types)])
    match types:
        case "string":
            characters = st.characters(exclude_categories=["Cs"])
            return st.text(
                characters, min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 20)
            )
        case "integer" | "number":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            least = schema.get("minItems", 0)
            return st.lists(values_of(schema.get("items", {})), min_size=least, max_size=least + 3)
        case "object":
            return _objects(schema)
        case _:
            return json_values


def _without(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != keyword}


def _objects(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    members = {name: values_of(each) for name, each in schema.get("properties", {}).items()}
    required = set(schema.get("required", []))
    return st.fixed_dictionaries(
        {name: members.get(name, json_values) for name in sorted(required)},
        optional={name: each for name, each in members.items() if name not in required},
    )

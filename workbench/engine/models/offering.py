"""How a tool is told to a model: the argument that names its progress comes first, so that it streams first (C8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.domain.definitions import JsonSchema


def with_first(schema: JsonSchema, argument: str | None) -> JsonSchema:
    """The schema with this property before the others; as it is when it has no such property."""
    properties = schema.get("properties")
    if argument is None or not isinstance(properties, Mapping) or argument not in properties:
        return schema
    members = cast(Mapping[str, object], properties)
    return {**schema, "properties": {argument: members[argument], **members}}

"""How a tool is told to a model: the argument that names its progress comes first, so that it streams first (C8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.domain.definitions import JsonSchema
from workbench.domain.model_requests import OfferedTool
from workbench.domain.tools import ToolDefinition

_NO_ARGUMENTS: JsonSchema = {"type": "object", "properties": {}, "additionalProperties": False}


def offered(tool: ToolDefinition) -> OfferedTool:
    """What a model is told of a tool; annotations are never part of it (D6)."""
    schema = tool.input_schema or _NO_ARGUMENTS
    return OfferedTool(
        name=tool.name,
        description=tool.description,
        input_schema=with_first(schema, tool.progress_argument),
        progress_argument=tool.progress_argument,
    )


def with_first(schema: JsonSchema, argument: str | None) -> JsonSchema:
    """The schema with this property before the others; as it is when it has no such property."""
    properties = schema.get("properties")
    if argument is None or not isinstance(properties, Mapping) or argument not in properties:
        return schema
    members = cast(Mapping[str, object], properties)
    ordered = {argument: members[argument], **members}
    return {**schema, "properties": ordered}

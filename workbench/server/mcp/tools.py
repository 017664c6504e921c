"""A project's tools as MCP clients are told of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types

from workbench.domain.definitions import JsonSchema
from workbench.domain.listing import Listing
from workbench.domain.tools import ToolDefinition

_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def served(listing: Listing) -> ToolDefinition | None:
    """The tool, if it is served: callable and the project's own. A client reaches other servers by itself."""
    tool = listing.tool
    is_own = listing.callable and listing.file.connection is None
    return tool if tool is not None and is_own and tool.script is None else None


def described(tool: ToolDefinition) -> mcp_types.Tool:
    """What a client is told of a tool. Annotations of its author are for display here and go nowhere (D6)."""
    return mcp_types.Tool(
        name=tool.qualified_name,
        description=tool.description,
        input_schema=input_schema(tool),
        output_schema=_output_schema(tool.output_schema),
        annotations=_hints(tool),
    )


def input_schema(tool: ToolDefinition) -> dict[str, Any]:
    """The schema of its arguments, which the protocol wants to say that they are an object."""
    return {"type": "object", **(_NO_ARGUMENTS if tool.input_schema is None else tool.input_schema)}


def _output_schema(schema: JsonSchema | None) -> dict[str, Any] | None:
    """Only objects can be promised: `structuredContent` is one."""
    return dict(schema) if schema is not None and schema.get("type") == "object" else None


def _hints(tool: ToolDefinition) -> mcp_types.ToolAnnotations | None:
    """What a client may conclude from the effect (C9); nothing, where each call has its own."""
    if tool.effect == "read":
        return mcp_types.ToolAnnotations(read_only_hint=True)
    if tool.effect == "idempotent":
        return mcp_types.ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)
    return mcp_types.ToolAnnotations(read_only_hint=False) if tool.effect == "write" else None

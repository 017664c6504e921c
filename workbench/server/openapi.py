"""What can be called, as an OpenAPI document made of the tools' own schemas."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import cast

from workbench.base.exact_json import dump
from workbench.domain.definitions import JsonSchema
from workbench.domain.listing import Listing
from workbench.domain.tools import ToolDefinition
from workbench.schema.keywords import walk
from workbench.server.answers import STATUS
from workbench.server.tools import FIELDS

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
"""Also the dot, which stands before and behind the code of each of these."""
_REFUSALS = (
    "invalid_tool_input",
    "unauthorized",
    "unknown_tool",
    "session_busy",
    "workspace_unavailable",
)

Json = dict[str, object]


def document(title: str, slug: str, listings: Iterable[Listing], *, auth: bool) -> str:
    """The document as JSON text; tools that cannot be called are not in it."""
    tools = [one.tool for one in listings if one.tool is not None and one.callable]
    schemas: Json = {"Refusal": _REFUSAL}
    paths: Json = {}
    for tool in tools:
        if tool.execution == "server" and tool.execution_mode == "local":
            path = f"/{slug}/v1/tools/{tool.qualified_name}"
            paths[path] = {"post": _operation(tool, schemas)}
    components: Json = {"schemas": schemas}
    made: Json = {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1"},
        "paths": paths,
        "components": components,
    }
    if auth:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
    return dump(made)


def _operation(tool: ToolDefinition, schemas: Json) -> Json:
    name = _NOT_IN_NAMES.sub(lambda sign: f".{ord(sign[0]):02X}.", tool.qualified_name)
    takes = _kept(tool.input_schema or {"type": "object"}, f"{name}.input", schemas)
    gives = {} if tool.output_schema is None else _kept(tool.output_schema, f"{name}.output", schemas)
    body: Json = {"type": "object", "additionalProperties": False, "properties": {**FIELDS, "input": takes}}
    if (tool.input_schema or {}).get("required"):
        body["required"] = ["input"]
    return {
        "operationId": tool.qualified_name,
        "summary": tool.description.strip().partition("\n")[0],
        "description": tool.description,
        "x-effect": tool.effect,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": _json("The record of the call, also of one whose result is an error.", _record(gives)),
            **_refusals(),
        },
    }


def _record(result: Mapping[str, object]) -> Json:
    properties: Json = {
        "ok": {"const": True},
        "toolName": {"type": "string"},
        "callId": {"type": "string"},
        "isError": {"type": "boolean"},
        "result": {**result, "description": "What the tool returned, or the error's text."},
        "durationMs": {"type": "integer"},
        "scratchWorkspace": {"const": True},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name != "scratchWorkspace"],
    }


def _refusals() -> Json:
    told: dict[str, list[str]] = {}
    for code in _REFUSALS:
        told.setdefault(str(STATUS[code]), []).append(code)
    refusal = {"$ref": "#/components/schemas/Refusal"}
    return {status: _json(", ".join(codes), refusal) for status, codes in told.items()}


def _json(words: str, schema: Mapping[str, object]) -> Json:
    return {"description": words, "content": {"application/json": {"schema": schema}}}


_REFUSAL: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "ok": {"const": False},
        "error": {
            "type": "object",
            "properties": {"code": {"enum": sorted(STATUS)}, "message": {"type": "string"}},
            "required": ["code", "message"],
        },
        "availableTools": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["ok", "error"],
}


def _kept(schema: JsonSchema, name: str, schemas: Json) -> Json:
    """A reference to a schema that is kept among the components; what it refers to within itself is found there."""
    place = f"#/components/schemas/{name}"
    moved = copy.deepcopy(dict(schema))
    for _, part in walk(moved):
        reference = part.get("$ref")
        if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
            cast("Json", part)["$ref"] = place + reference[1:]
    schemas[name] = moved
    return {"$ref": place}

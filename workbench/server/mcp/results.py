"""The result of a call as an MCP client gets it: text, structured content, and files as content (D7, D8)."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import mcp_types
from pydantic import TypeAdapter, ValidationError

from workbench.base.exact_json import dump
from workbench.domain.calls import AttachmentRef, ToolResult

LARGEST_FILE = 16 << 20
"""Bytes of a file that is sent; a larger one is only named."""

ReadFile = Callable[[str], Awaitable[bytes]]
"""Gives the bytes of a file of the call's thread."""

_BLOCK: TypeAdapter[mcp_types.ContentBlock] = TypeAdapter(mcp_types.ContentBlock)


async def sent(result: ToolResult, read: ReadFile) -> mcp_types.CallToolResult:
    """The whole of a result."""
    files = {ref.name: await _file(ref, read) for ref in result.attachments}
    content = [*_blocks(result, files), *files.values()]
    return mcp_types.CallToolResult(
        content=content, structured_content=_structured(result), is_error=result.is_error
    )


def failed(message: str) -> mcp_types.CallToolResult:
    """A call that was refused, in words that a model can act on."""
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(type="text", text=message)], is_error=True)


def _blocks(result: ToolResult, files: dict[str, mcp_types.ContentBlock]) -> list[mcp_types.ContentBlock]:
    """The blocks of an envelope, with the files that they name taken from `files`; else the text as one block."""
    if not result.content:
        text = [mcp_types.TextContent(type="text", text=result.text)] if result.text else []
        return list[mcp_types.ContentBlock](text)
    return [_block(block, files) for block in result.content]


def _block(block: Mapping[str, object], files: dict[str, mcp_types.ContentBlock]) -> mcp_types.ContentBlock:
    resource = block.get("resource")
    holder = cast("Mapping[str, object]", resource) if isinstance(resource, Mapping) else block
    name = holder.get("attachment")
    if isinstance(name, str) and name in files:
        return files.pop(name)
    try:
        return _BLOCK.validate_json(dump(dict(block)), by_name=False)
    except ValidationError:  # of a kind that the protocol does not have
        return mcp_types.TextContent(type="text", text=str(dict(block)))


def _structured(result: ToolResult) -> dict[str, Any] | None:
    """What the tool declared to be structured, or the object that it returned."""
    if result.structured_content is not None:
        text = dump(dict(result.structured_content))
    elif result.is_error or result.json_text is None or result.content:
        return None
    else:
        text = result.json_text
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):  # longer numbers, or nested deeper, than can be taken apart
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


async def _file(ref: AttachmentRef, read: ReadFile) -> mcp_types.ContentBlock:
    if ref.size > LARGEST_FILE:
        words = f"{ref.name} is too large to be sent ({ref.size >> 20} MB); it is kept with the call."
        return mcp_types.TextContent(type="text", text=words)
    data = base64.b64encode(await read(ref.path)).decode()
    kind = ref.mime_type.partition("/")[0]
    if kind == "image":
        return mcp_types.ImageContent(type="image", data=data, mime_type=ref.mime_type)
    if kind == "audio":
        return mcp_types.AudioContent(type="audio", data=data, mime_type=ref.mime_type)
    blob = mcp_types.BlobResourceContents(uri=f"attachment://{ref.path}", mime_type=ref.mime_type, blob=data)
    return mcp_types.EmbeddedResource(type="resource", resource=blob)

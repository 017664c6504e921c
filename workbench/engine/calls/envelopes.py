"""Envelopes of content blocks: what a model reads of them, and the files that they carry (D7, D8)."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple, cast
from urllib.parse import unquote, urlsplit

from workbench.base.exact_json import JsonValue, dump, parse_object
from workbench.domain.calls import FailureKind, ToolFailure, ToolResult
from workbench.engine.ports import ReturnedAttachment

_Block = Mapping[str, JsonValue]

_CARRIES_DATA = frozenset({"image", "audio"})


class Envelope(NamedTuple):
    """An envelope as a result; the files are no part of it any more, but their blocks name them."""

    result: ToolResult
    attachments: tuple[ReturnedAttachment, ...]


def read_envelope(data: bytes) -> Envelope:
    """The envelope in a JSON text. Raises JsonError."""
    value = parse_object(data)
    files: list[ReturnedAttachment] = []
    blocks = [_without_data(cast(_Block, block), files) for block in cast(list[object], value["content"])]
    structured = value.get("structuredContent")
    text = "\n".join(filter(None, map(_words, blocks)))
    if not blocks and structured is not None:
        text = dump(structured)
    is_error = value.get("isError") is True
    failure = ToolFailure(kind=FailureKind.TOOL_ERROR, message=text or "The tool failed.")
    kept = {**value, "content": cast(JsonValue, blocks)}
    result = ToolResult(
        is_error=is_error,
        text=text,
        json_text=dump(kept) if files else data.decode(),
        structured_content=cast(Mapping[str, object], structured) if isinstance(structured, dict) else None,
        content=tuple(blocks),
        failure=failure if is_error else None,
    )
    return Envelope(result, tuple(files))


def _words(block: _Block) -> str:
    """What a model reads of a block; a file is shown to it as an attachment."""
    kind = block.get("type")
    if kind == "resource_link":
        return f"{block.get('title') or block.get('name') or 'Resource'}: {block.get('uri', '')}"
    if kind == "resource" and isinstance(resource := block.get("resource"), dict):
        return str(resource.get("text", ""))
    return str(block.get("text", "")) if kind == "text" else ""


def _without_data(block: _Block, files: list[ReturnedAttachment]) -> _Block:
    """The block with the name of the file in the place of its bytes; the file is added to those found."""
    if block.get("type") in _CARRIES_DATA and isinstance(data := block.get("data"), str):
        mime_type = str(block.get("mimeType") or "application/octet-stream")
        name = _apart(f"{block['type']}{_suffix(mime_type)}", files)
        files.append(ReturnedAttachment(name, mime_type, data.encode()))
        return {**{key: value for key, value in block.items() if key != "data"}, "attachment": name}
    resource = block.get("resource")
    if block.get("type") == "resource" and isinstance(resource, dict):
        if not isinstance(blob := resource.get("blob"), str):
            return block
        mime_type = str(resource.get("mimeType") or "application/octet-stream")
        uri = urlsplit(str(resource.get("uri", "")))
        name = _apart(PurePosixPath(unquote(uri.path or uri.netloc)).name or "resource", files)
        files.append(ReturnedAttachment(name, mime_type, blob.encode()))
        kept = {key: value for key, value in resource.items() if key != "blob"}
        return {**block, "resource": {**kept, "attachment": name}}
    return block


def _suffix(mime_type: str) -> str:
    subtype = "".join(filter(str.isalnum, mime_type.rpartition("/")[2]))
    return mimetypes.guess_extension(mime_type) or f".{subtype}"


def _apart(name: str, files: list[ReturnedAttachment]) -> str:
    """The name, or one like it that no other file of the envelope has."""
    taken = {file.name for file in files}
    path, number = PurePosixPath(name), 1
    while name in taken:
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"
    return name

"""What the engine answers, as the values that an author's code gets."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, cast

from workbench.authoring import AttachmentRef, Record, ToolResult
from workbench.worker.exact_json import from_json


def records(value: Any) -> Any:
    """The value with each mapping in it as a Record."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return Record({key: records(item) for key, item in fields.items()})
    if isinstance(value, list):
        return [records(item) for item in cast("list[Any]", value)]
    return value


def optional_json(text: str | None) -> Any:
    return None if text is None else from_json(text.encode())


def optional_bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def base64_of(data: bytes | str) -> str:
    """How bytes travel; a text goes as UTF-8."""
    return base64.b64encode(data.encode() if isinstance(data, str) else bytes(data)).decode("ascii")


def tool_result(value: Mapping[str, Any]) -> ToolResult:
    return ToolResult(
        value["status"],
        result=value.get("result"),
        error=value.get("error"),
        stack=value.get("stack"),
        attachments=[_attachment(item) for item in value.get("attachments") or ()],
    )


def _attachment(fields: Mapping[str, Any]) -> AttachmentRef:
    names = {
        "path": "path",
        "name": "name",
        "mimeType": "mime_type",
        "id": "id",
        "size": "size",
        "width": "width",
        "height": "height",
        "description": "description",
    }
    return AttachmentRef(**{ours: fields[theirs] for theirs, ours in names.items() if theirs in fields})

"""What a function returned, told apart by its shape and made ready to send (D7, D8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from workbench.authoring import AttachmentRef, ToolAttachment, ToolResult
from workbench.worker.exact_json import NotJsonError, to_json
from workbench.worker.frames import Header

_RESULT_KEYS = frozenset({"status", "result", "error", "stack", "attachments"})
_ENVELOPE_KEYS = {"isError": "is_error", "structuredContent": "structured_content"}

Answer = tuple[Header, list[bytes]]


def returned(value: Any, dialect: str) -> Answer:
    """Header and parts for a returned value. Raises NotJsonError for what is no JSON, TypeError for a wrong result."""
    if value is None:
        return _answer("none")
    if isinstance(value, ToolResult):
        return _tool_result(vars(value) | {"error": value.error})
    if isinstance(value, str):
        return _answer("text", [_text(value)])
    if isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        if dialect == "standard-agents" and _is_result(mapping):
            return _tool_result(mapping)
        if _is_envelope(mapping):
            return _envelope(mapping)
    return _answer("json", [to_json(value)])


def _answer(shape: str, parts: list[bytes] | None = None, **fields: Any) -> Answer:
    return {"answer": "returned", "shape": shape, **fields}, parts or []


def _is_result(value: Mapping[Any, Any]) -> bool:
    return value.get("status") in ("success", "error") and value.keys() <= _RESULT_KEYS


def _is_envelope(value: Mapping[Any, Any]) -> bool:
    content = value.get("content")
    if not isinstance(content, (list, tuple)):
        return False
    if not content:
        return set(value) <= {"content", *_ENVELOPE_KEYS, *_ENVELOPE_KEYS.values()}
    return all(_is_block(block) for block in cast("Sequence[Any]", content))


def _is_block(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(cast("Mapping[Any, Any]", value).get("type"), str)


def _envelope(value: Mapping[Any, Any]) -> Answer:
    envelope = dict(value)
    for camel_case, snake_case in _ENVELOPE_KEYS.items():
        if snake_case in envelope:
            envelope.setdefault(camel_case, envelope.pop(snake_case))
    return _answer("envelope", [to_json(envelope)], isError=envelope.get("isError") is True)


def _tool_result(fields: Mapping[str, Any]) -> Answer:
    is_error = fields["status"] == "error"
    text = fields.get("error" if is_error else "result")
    stack = fields.get("stack")
    for name, given in (("error" if is_error else "result", text), ("stack", stack)):
        if given is not None and not isinstance(given, str):
            raise TypeError(
                f"ToolResult.{name} must be text, not {type(given).__name__}. Write json.dumps(…) around it."
            )
    if is_error and text is None:
        text = fields.get("result")
    listed, parts = _attachments(fields.get("attachments") or ())
    return _answer(
        "tool_result",
        [_text(text or ""), *parts],
        isError=is_error,
        stack=_text(stack or "").decode(),
        attachments=listed,
    )


def _attachments(attachments: Any) -> tuple[list[Header], list[bytes]]:
    listed: list[Header] = []
    parts: list[bytes] = []
    for index, attachment in enumerate(attachments):
        place = f"attachments[{index}]"
        if isinstance(attachment, (ToolAttachment, AttachmentRef)):
            fields: Mapping[str, Any] = vars(attachment)
        elif isinstance(attachment, Mapping):
            fields = cast("Mapping[str, Any]", attachment)
        else:
            raise TypeError(
                f"{place} must be a ToolAttachment or an AttachmentRef, not {type(attachment).__name__}."
            )
        header = {
            "name": _required(fields, "name", place),
            "mimeType": _required(fields, "mime_type", place, "mimeType"),
            "width": fields.get("width"),
            "height": fields.get("height"),
        }
        if isinstance(fields.get("data"), str):
            parts.append(_text(fields["data"]))
        elif isinstance(fields.get("data"), (bytes, bytearray)):
            raise TypeError(
                f"{place}.data must be base64 text. ToolAttachment.from_bytes(…) makes it from bytes."
            )
        else:
            header["path"] = _required(fields, "path", place)
        listed.append(header)
    return listed, parts


def _required(fields: Mapping[str, Any], name: str, place: str, alias: str = "") -> str:
    value = fields.get(name, fields.get(alias))
    if not isinstance(value, str) or not value:
        raise TypeError(f"{place} needs {alias or name} as text.")
    return _text(value).decode()


def _text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotJsonError(
            f"The text holds {text[error.start]!r} at {error.start}, half of a surrogate pair, which cannot be stored."
        ) from None

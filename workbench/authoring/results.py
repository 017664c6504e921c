"""What a tool gives back beside its text: success or error in one value, and the files that go with it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Union, overload


@dataclass(frozen=True)
class ToolAttachment:
    """A new file (D8). `data` is base64 text; sizes in pixels are read from an image when not given."""

    name: str
    mime_type: str
    data: str
    width: int | None = None
    height: int | None = None

    @classmethod
    def from_bytes(cls, name: str, mime_type: str, content: bytes) -> ToolAttachment:
        """An attachment of raw bytes."""
        return cls(name, mime_type, base64.b64encode(content).decode("ascii"))


@dataclass(frozen=True)
class AttachmentRef:
    """A file that the thread's file system already holds, e.g. `/attachments/chart.png` (D8)."""

    path: str
    name: str
    mime_type: str
    id: str = ""
    type: Literal["file"] = "file"
    size: int | None = None
    width: int | None = None
    height: int | None = None
    description: str | None = None


Attachment = Union[ToolAttachment, AttachmentRef]


class _MakesError(Protocol):
    def __call__(
        self, error: str, *, stack: str | None = None, attachments: Sequence[Attachment] = ()
    ) -> ToolResult: ...


class _Error:
    """`ToolResult.error(text)` makes an error result; `result.error` is its text."""

    @overload
    def __get__(self, instance: None, owner: type[ToolResult]) -> _MakesError: ...
    @overload
    def __get__(self, instance: ToolResult, owner: type[ToolResult]) -> str | None: ...
    def __get__(self, instance: ToolResult | None, owner: type[ToolResult]) -> _MakesError | str | None:
        if instance is not None:
            return instance.error_text

        def make(
            error: str, *, stack: str | None = None, attachments: Sequence[Attachment] = ()
        ) -> ToolResult:
            return owner("error", error=error, stack=stack, attachments=attachments)

        return make


class ToolResult:
    """What a tool of `agents/tools` returns (D7): a status, and one text for the model to read.

    Structured output is serialised by the tool itself. `error` and `stack` belong to status `error`.
    """

    error = _Error()

    def __init__(
        self,
        status: Literal["success", "error"],
        result: str | None = None,
        error: str | None = None,
        stack: str | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> None:
        self.status: Literal["success", "error"] = status
        self.result = result
        self.error_text = error
        self.stack = stack
        self.attachments = tuple(attachments)

    @classmethod
    def success(cls, result: str = "", *, attachments: Sequence[Attachment] = ()) -> ToolResult:
        return cls("success", result=result, attachments=attachments)

    def __repr__(self) -> str:
        text = self.result if self.status == "success" else self.error_text
        return f"ToolResult({self.status!r}, {text!r}, attachments={len(self.attachments)})"

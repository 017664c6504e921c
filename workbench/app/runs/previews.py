"""A file of a thread as something to look at: text as text, pictures as pictures, all else by what it is."""

from __future__ import annotations

from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.engine.ports import StoredFile

LOOKED_AT = 20_000_000
"""Bytes up to which a file is read to be looked at; a larger one can be saved."""


def reference(file: StoredFile) -> AttachmentRef:
    """The file as results refer to one."""
    return AttachmentRef(
        id=file.path,
        path=file.path,
        name=file.path.rpartition("/")[2],
        mime_type=file.mime_type,
        size=file.size,
        width=file.width,
        height=file.height,
    )


def preview(file: StoredFile, data: bytes) -> ToolResult | None:
    """What viewers of results show of it; None for what is neither text nor a picture."""
    if file.mime_type.startswith("image/") and "svg" not in file.mime_type:
        return ToolResult(attachments=(reference(file),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else ToolResult(text=text)

"""Files that a model makes: kept as attachments of the message that it answers with (D8)."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.base.ids import ThreadId, uuid7
from workbench.domain.calls import AttachmentRef
from workbench.domain.model_requests import AssistantPart, FilePart, TextPart
from workbench.domain.writes import WriteFile
from workbench.engine.calls.thread_files import image_size
from workbench.engine.services import Services


class MadeFiles(NamedTuple):
    """The files among an answer's parts, and what is to be written of them."""

    refs: tuple[AttachmentRef, ...]
    writes: tuple[WriteFile, ...]
    parts: tuple[AssistantPart, ...]
    """All parts in order; a file's has no bytes and is named by its path, so that these are kept once."""


async def made_files(services: Services, thread_id: ThreadId, parts: Sequence[AssistantPart]) -> MadeFiles:
    """Give each file of an answer its place in the thread."""
    if not any(isinstance(part, FilePart) for part in parts):
        return MadeFiles((), (), tuple(parts))
    stored = {file.path for file in await services.store.files(thread_id)}
    refs: list[AttachmentRef] = []
    writes: list[WriteFile] = []
    kept: list[AssistantPart] = []
    for part in parts:
        if not isinstance(part, FilePart):
            kept.append(part)
            continue
        path = services.attachment_names.take(thread_id, _name(part), stored)
        width, height = image_size(part.mime_type, part.data)
        writes.append(WriteFile(thread_id, path, part.data, part.mime_type, width, height))
        refs.append(
            AttachmentRef(
                id=uuid7(),
                path=path,
                name=path.rpartition("/")[2],
                mime_type=part.mime_type,
                size=len(part.data),
                width=width,
                height=height,
            )
        )
        kept.append(part.model_copy(update={"data": b"", "name": path}))
    return MadeFiles(tuple(refs), tuple(writes), tuple(kept))


def _name(part: FilePart) -> str:
    kind = "image" if part.mime_type.startswith("image/") else "file"
    return part.name or f"{kind}{mimetypes.guess_extension(part.mime_type) or ''}"


def told(ref: AttachmentRef) -> TextPart:
    """A file in words, with its path, so that a tool can read it."""
    return TextPart(text=f"[{ref.name}: {ref.mime_type}, {ref.size:,} bytes, at {ref.path}]")


def shown_again(
    parts: Sequence[AssistantPart], refs: Sequence[AttachmentRef], files: Mapping[str, bytes]
) -> list[AssistantPart]:
    """Kept parts as a model is sent them: a file with its bytes where they are at hand, else in words."""
    by_path = {ref.path: ref for ref in refs}
    shown: list[AssistantPart] = []
    for part in parts:
        if not isinstance(part, FilePart):
            shown.append(part)
        elif part.name in files:
            shown.append(part.model_copy(update={"data": files[part.name]}))
        elif part.name in by_path:
            shown.append(told(by_path[part.name]))
    return shown

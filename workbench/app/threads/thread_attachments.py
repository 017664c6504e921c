"""Files that a person gives along with a message: read from the disk, kept in the thread (D8)."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Iterable, Sequence
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.calls import AttachmentRef
from workbench.domain.writes import WriteFile
from workbench.engine.calls.attachments import MAX_BYTES, image_size
from workbench.engine.services import Services


async def read_files(files: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Name and bytes of each. Raises UserError for one that cannot be read or is too large."""
    return [(file.name, await asyncio.to_thread(_bytes_of, file)) for file in files]


def _bytes_of(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise UserError(f"The file {file} is larger than {MAX_BYTES // 1024**2} MB.")
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"The file {file} cannot be read: {error.strerror}.") from error


async def keep_files(
    services: Services, thread_id: ThreadId, files: Iterable[tuple[str, bytes]]
) -> tuple[AttachmentRef, ...]:
    """Keep files under `/attachments/` of the thread, each by a name that no other has, secrets hidden (V6)."""
    masker = services.variables.masker
    stored = {file.path for file in await services.store.files(thread_id)}
    refs: list[AttachmentRef] = []
    for given, held in files:
        name, data = masker.mask(given), await asyncio.to_thread(masker.mask_bytes, held)
        mime_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        width, height = image_size(mime_type, data)
        path = services.attachment_names.take(thread_id, name, stored)
        await services.store.commit(WriteFile(thread_id, path, data, mime_type, width, height))
        refs.append(
            AttachmentRef(
                id=uuid7(),
                path=path,
                name=name,
                mime_type=mime_type,
                size=len(data),
                width=width,
                height=height,
            )
        )
    return tuple(refs)

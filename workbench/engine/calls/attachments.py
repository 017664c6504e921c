"""Copying attachments in: decoded, named apart, stored in the thread's file system (D8).

Secrets are masked in names, types and bytes (V6).
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import mimetypes
from pathlib import PurePosixPath

from workbench.base.ids import uuid7
from workbench.domain.calls import AttachmentRef, FailureKind
from workbench.domain.writes import WriteFile
from workbench.engine.calls.running import RunningCall, fail
from workbench.engine.calls.thread_files import PathRefused, clean_path, image_size
from workbench.engine.ports import Returned, ReturnedAttachment
from workbench.engine.services import Services

MAX_BYTES = 512 * 1024 * 1024
"""The largest attachment that is kept, in bytes."""


async def keep_attachments(services: Services, call: RunningCall) -> None:
    """Store what the tool attached; bad base64 or a path that climbs out makes the result an error."""
    answer = call.answer
    if not isinstance(answer, Returned) or not answer.attachments:
        return
    stored = {file.path for file in await services.store.files(call.thread.id)}
    refs: list[AttachmentRef] = []
    for attachment in answer.attachments:
        if attachment.data is None:
            refs.append(await _reference(services, call, attachment))
        else:
            refs.append(await _keep(services, call, attachment, attachment.data, stored))
    call.result = call.result.model_copy(update={"attachments": tuple(refs)})


async def _keep(
    services: Services, call: RunningCall, attachment: ReturnedAttachment, text: bytes, stored: set[str]
) -> AttachmentRef:
    masker = services.variables.masker
    # Before the folders are cut off: a secret with a slash in it is one no more afterwards.
    name = PurePosixPath(masker.mask(attachment.name).replace("\\", "/")).name.replace("\0", "")
    if name in ("", ".", ".."):
        raise fail(FailureKind.TOOL_ERROR, f"An attachment has no usable name: {attachment.name!r}.")
    mime_type = masker.mask(attachment.mime_type)
    data = await asyncio.to_thread(lambda: masker.mask_bytes(_decode(name, text)))
    width, height = attachment.width, attachment.height
    if width is None or height is None:
        width, height = image_size(mime_type, data)
    path = services.attachment_names.take(call.thread.id, name, stored)
    call.unsaved.append(WriteFile(call.thread.id, path, data, mime_type, width, height))
    return AttachmentRef(
        id=uuid7(),
        path=path,
        name=name,
        mime_type=mime_type,
        size=len(data),
        width=width,
        height=height,
    )


def _decode(name: str, text: bytes) -> bytes:
    if len(text) // 4 * 3 > MAX_BYTES:
        raise fail(
            FailureKind.TOOL_ERROR,
            f"The attachment {name} is larger than {MAX_BYTES // 1024**2} MB.",
            hint="Write it to the workspace folder and return its path as text.",
        )
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise fail(
            FailureKind.TOOL_ERROR,
            f"The data of the attachment {name} is not valid base64: {error}.",
            hint="Encode the bytes with base64.b64encode(data).decode().",
        ) from error


async def _reference(services: Services, call: RunningCall, attachment: ReturnedAttachment) -> AttachmentRef:
    try:
        path = clean_path(services.variables.masker.mask(attachment.path or ""))
    except PathRefused as error:
        raise fail(FailureKind.TOOL_ERROR, f"The attachment {attachment.name}: {error}") from error
    stored = {file.path: file for file in await services.store.files(call.thread.id)}
    waiting = {write.path: write for write in call.unsaved if isinstance(write, WriteFile)}
    if path in stored:
        size, mime_type = stored[path].size, stored[path].mime_type
    elif path in waiting:
        size, mime_type = len(waiting[path].data), waiting[path].mime_type
    else:
        raise fail(FailureKind.TOOL_ERROR, f"The attachment {path} is no file of this thread.")
    mask = services.variables.masker.mask
    return AttachmentRef(
        id=uuid7(),
        path=path,
        name=mask(attachment.name) or PurePosixPath(path).name,
        mime_type=mask(attachment.mime_type) or mime_type or mimetypes.guess_type(path)[0] or "",
        size=size,
        width=attachment.width,
        height=attachment.height,
    )

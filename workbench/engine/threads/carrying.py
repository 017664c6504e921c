"""Files that messages carry: named by a path of the own thread, or copied over from another one (T6)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.calls import AttachmentRef
from workbench.domain.writes import WriteFile
from workbench.engine.ports import StoredFile
from workbench.engine.services import Services
from workbench.engine.threads.stops import paths_in


async def own_attachments(
    services: Services, thread_id: ThreadId, named: Iterable[JsonValue]
) -> tuple[AttachmentRef, ...]:
    """References to the thread's own files that arguments name; what is not there is left out."""
    stored = {file.path: file for file in await services.store.files(thread_id)}
    paths = [path for value in named for path in paths_in(value)]
    return tuple(_ref(stored[path], path) for path in dict.fromkeys(paths) if path in stored)


async def carried(
    services: Services, source: ThreadId, target: ThreadId, paths: Iterable[str]
) -> tuple[AttachmentRef, ...]:
    """Copies of one thread's files in another, under `/attachments/` there, as references that hold there (T6)."""
    there = {file.path: file for file in await services.store.files(source)}
    taken = {file.path for file in await services.store.files(target)}
    refs: list[AttachmentRef] = []
    for path in dict.fromkeys(paths):
        file, data = there.get(path), await services.store.read_file(source, path)
        if file is None or data is None:
            continue
        name = PurePosixPath(path).name
        copy = services.attachment_names.take(target, name, taken)
        small = await services.store.read_thumbnail(source, path)
        size = (file.width, file.height)
        written = WriteFile(target, copy, data, file.mime_type, *size, file.metadata, small)
        await services.store.commit(written, flush=False)
        refs.append(_ref(file, copy))
    return tuple(refs)


def _ref(file: StoredFile, path: str) -> AttachmentRef:
    return AttachmentRef(
        id=uuid7(),
        path=path,
        name=PurePosixPath(path).name,
        mime_type=file.mime_type,
        size=file.size,
        width=file.width,
        height=file.height,
    )

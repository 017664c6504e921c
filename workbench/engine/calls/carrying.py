"""Files that calls name and messages carry: named by a path of the own thread, or copied over from another one (T6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.calls import AttachmentRef
from workbench.domain.writes import WriteFile
from workbench.engine.ports import StoredFile
from workbench.engine.services import Services


def paths_in(value: JsonValue) -> tuple[str, ...]:
    """The paths that an argument for attachments names: one, a list, or references with a `path`."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, dict):
        return paths_in(value.get("path"))
    if isinstance(value, list):
        return tuple(path for item in cast(list[JsonValue], value) for path in paths_in(item))
    return ()


async def own_attachments(
    services: Services, thread_id: ThreadId, named: Iterable[JsonValue]
) -> tuple[AttachmentRef, ...]:
    """References to the thread's own files that arguments name; what is not there is left out."""
    stored = {file.path: file for file in await services.store.files(thread_id)}
    paths = [path for value in named for path in paths_in(value)]
    return tuple(_ref(stored[path], path) for path in dict.fromkeys(paths) if path in stored)


@dataclass(frozen=True, slots=True)
class Carried:
    """Copies of files: what writes them, and the references that hold when that is done."""

    refs: tuple[AttachmentRef, ...]
    writes: tuple[WriteFile, ...]


async def carried(services: Services, source: ThreadId, target: ThreadId, paths: Iterable[str]) -> Carried:
    """One thread's files for another, under `/attachments/` there (T6). To be written with what names them."""
    there = {file.path: file for file in await services.store.files(source)}
    taken = {file.path for file in await services.store.files(target)}
    refs: list[AttachmentRef] = []
    writes: list[WriteFile] = []
    for path in dict.fromkeys(paths):
        file, data = there.get(path), await services.store.read_file(source, path)
        if file is None or data is None:
            continue
        name = PurePosixPath(path).name
        copy = services.attachment_names.take(target, name, taken)
        small = await services.store.read_thumbnail(source, path)
        size = (file.width, file.height)
        writes.append(WriteFile(target, copy, data, file.mime_type, *size, file.metadata, small))
        refs.append(_ref(file, copy))
    return Carried(tuple(refs), tuple(writes))


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

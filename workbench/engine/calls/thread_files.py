"""The thread's own file system as an author's `state` sees it: paths that cannot climb out, and the file methods."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import mimetypes
import posixpath
from collections.abc import Mapping

from workbench.base.ids import ThreadId
from workbench.domain.writes import RemoveFile, WriteFile
from workbench.engine.ports import StateError, Store, StoredFile

DIRECTORY = "inode/directory"
"""The type of the entry that keeps an empty directory."""


class PathRefused(ValueError):
    """A path that would leave the thread's file system, or is none."""


def clean_path(path: str) -> str:
    """The absolute, normal form of a path (`/attachments/a.png`); raises PathRefused."""
    if not path or "\0" in path:
        raise PathRefused(f"{path!r} is not a path.")
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                raise PathRefused(f"{path} climbs out of the thread's files.")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


class ThreadFiles:
    """Serves the file methods of `state` for one thread. Every method raises StateError to refuse."""

    def __init__(self, store: Store, thread_id: ThreadId) -> None:
        self._store = store
        self._thread_id = thread_id

    async def write(self, params: Mapping[str, object]) -> object:
        """`writeFile{path, data, mimeType?}`; data is base64."""
        path = _path(params)
        if path == "/":
            raise StateError("ValueError", "/ is a directory.")
        try:
            data = base64.b64decode(str(params["data"]), validate=True)
        except binascii.Error as error:
            raise StateError("ValueError", f"The data of {path} is not base64.") from error
        given = params.get("mimeType")
        mime_type = str(given) if given else mimetypes.guess_type(path)[0] or "application/octet-stream"
        await self._store.commit(WriteFile(self._thread_id, path, data, mime_type))
        return await self._at(path)

    async def read(self, params: Mapping[str, object]) -> object:
        """`readFile{path}`: base64, or None when there is no such file."""
        data = await self._store.read_file(self._thread_id, _path(params))
        return None if data is None else base64.b64encode(data).decode()

    async def stat(self, params: Mapping[str, object]) -> object:
        """`statFile{path}`: what is known of a file or directory, or None."""
        return await self._at(_path(params))

    async def readdir(self, params: Mapping[str, object]) -> object:
        """`readdirFile{path}`: the `entries` of a directory, by name."""
        folder = _path(params).rstrip("/") + "/"
        entries: dict[str, dict[str, object]] = {}
        for file in await self._all():
            name, _, deeper = file.path.removeprefix(folder).partition("/")
            if not file.path.startswith(folder):
                continue
            if not deeper:
                entries[name] = _described(file)
            elif name not in entries:
                entries[name] = _directory(folder + name)
        return {"entries": [entries[name] for name in sorted(entries)]}

    async def unlink(self, params: Mapping[str, object]) -> object:
        """`unlinkFile{path}`: no matter whether there is such a file."""
        path = _path(params)
        if any(file.path == path and file.mime_type != DIRECTORY for file in await self._all()):
            await self._store.commit(RemoveFile(self._thread_id, path))
        return None

    async def mkdir(self, params: Mapping[str, object]) -> object:
        """`mkdirFile{path}`: what is known of the directory."""
        path = _path(params)
        if any(file.path == path and file.mime_type != DIRECTORY for file in await self._all()):
            raise StateError("FileExistsError", f"{path} is a file.")
        if path != "/":
            await self._store.commit(WriteFile(self._thread_id, path, b"", DIRECTORY))
        return await self._at(path)

    async def rmdir(self, params: Mapping[str, object]) -> object:
        """`rmdirFile{path}`: only an empty directory goes."""
        path = _path(params)
        files = await self._all()
        if any(file.path.startswith(path.rstrip("/") + "/") for file in files):
            raise StateError("OSError", f"{path} is not empty.")
        if any(file.path == path and file.mime_type == DIRECTORY for file in files):
            await self._store.commit(RemoveFile(self._thread_id, path))
        return None

    async def stats(self, params: Mapping[str, object]) -> object:
        """`getFileStats{}`: how many bytes in how many files."""
        files = [file for file in await self._all() if file.mime_type != DIRECTORY]
        return {"totalSize": sum(file.size for file in files), "fileCount": len(files)}

    async def find(self, params: Mapping[str, object]) -> object:
        """`findFiles{pattern}`: the files that a shell pattern matches, by their path or their name."""
        pattern = str(params.get("pattern", "*"))
        return [
            _described(file)
            for file in await self._all()
            if fnmatch.fnmatchcase(file.path, pattern)
            or fnmatch.fnmatchcase(posixpath.basename(file.path), pattern)
        ]

    async def grep(self, params: Mapping[str, object]) -> object:
        """`grepFiles{path}`: the files at or below a path. Who asks reads and matches them, in his own process."""
        under = _path(params).rstrip("/") + "/"
        return [
            _described(file)
            for file in await self._all()
            if file.mime_type != DIRECTORY and (file.path + "/").startswith(under)
        ]

    async def _all(self) -> list[StoredFile]:
        return list(await self._store.files(self._thread_id))

    async def _at(self, path: str) -> dict[str, object] | None:
        is_folder = path == "/"
        for file in await self._all():
            if file.path == path:
                return _described(file)
            is_folder = is_folder or file.path.startswith(path + "/")
        return _directory(path) if is_folder else None


def _path(params: Mapping[str, object]) -> str:
    try:
        return clean_path(str(params.get("path", "")))
    except PathRefused as error:
        raise StateError("ValueError", str(error)) from error


def _described(file: StoredFile) -> dict[str, object]:
    return {
        "path": file.path,
        "name": posixpath.basename(file.path),
        "mimeType": file.mime_type,
        "size": file.size,
        "isDirectory": file.mime_type == DIRECTORY,
        "createdAt": file.created_at,
        "width": file.width,
        "height": file.height,
    }


def _directory(path: str) -> dict[str, object]:
    """A directory that is there because files lie in it."""
    name = posixpath.basename(path)
    return {"path": path, "name": name, "mimeType": DIRECTORY, "size": 0, "isDirectory": True}

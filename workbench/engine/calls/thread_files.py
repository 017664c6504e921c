"""The thread's own file system as an author's `state` sees it: paths that cannot climb out, and the file methods."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import mimetypes
import posixpath
import re
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
        return {"path": path, "size": len(data), "mimeType": mime_type}

    async def read(self, params: Mapping[str, object]) -> object:
        """`readFile{path}`: base64, or None when there is no such file."""
        data = await self._store.read_file(self._thread_id, _path(params))
        return None if data is None else base64.b64encode(data).decode()

    async def stat(self, params: Mapping[str, object]) -> object:
        """`statFile{path}`: what is known of a file or directory, or None."""
        path = _path(params)
        for file in await self._all():
            if file.path == path:
                return _described(file)
            if file.path.startswith(path.rstrip("/") + "/"):
                return {"path": path, "type": "directory", "size": 0}
        return {"path": path, "type": "directory", "size": 0} if path == "/" else None

    async def readdir(self, params: Mapping[str, object]) -> object:
        """`readdirFile{path}`: the entries of a directory, by name."""
        folder = _path(params).rstrip("/") + "/"
        entries: dict[str, dict[str, object]] = {}
        for file in await self._all():
            if not file.path.startswith(folder):
                continue
            name, _, deeper = file.path[len(folder) :].partition("/")
            if deeper:
                entries[name] = {"name": name, "path": folder + name, "type": "directory", "size": 0}
            else:
                entries.setdefault(name, {"name": name, **_described(file)})
        return [entries[name] for name in sorted(entries)]

    async def unlink(self, params: Mapping[str, object]) -> object:
        """`unlinkFile{path}`: False when there was no such file."""
        path = _path(params)
        if all(file.path != path or file.mime_type == DIRECTORY for file in await self._all()):
            return False
        await self._store.commit(RemoveFile(self._thread_id, path))
        return True

    async def mkdir(self, params: Mapping[str, object]) -> object:
        """`mkdirFile{path}`."""
        path = _path(params)
        if any(file.path == path and file.mime_type != DIRECTORY for file in await self._all()):
            raise StateError("FileExistsError", f"{path} is a file.")
        if path != "/":
            await self._store.commit(WriteFile(self._thread_id, path, b"", DIRECTORY))
        return {"path": path}

    async def rmdir(self, params: Mapping[str, object]) -> object:
        """`rmdirFile{path}`: only an empty directory goes."""
        path = _path(params)
        files = await self._all()
        if any(file.path.startswith(path.rstrip("/") + "/") for file in files):
            raise StateError("OSError", f"{path} is not empty.")
        if not any(file.path == path and file.mime_type == DIRECTORY for file in files):
            return False
        await self._store.commit(RemoveFile(self._thread_id, path))
        return True

    async def stats(self, params: Mapping[str, object]) -> object:
        """`getFileStats{}`: how many files, how many bytes."""
        files = [file for file in await self._all() if file.mime_type != DIRECTORY]
        return {"files": len(files), "bytes": sum(file.size for file in files)}

    async def find(self, params: Mapping[str, object]) -> object:
        """`findFiles{pattern}`: the paths that a shell pattern matches, in whole or by their name."""
        pattern = str(params.get("pattern", "*"))
        return [
            _described(file)
            for file in await self._all()
            if fnmatch.fnmatchcase(file.path, pattern)
            or fnmatch.fnmatchcase(posixpath.basename(file.path), pattern)
        ]

    async def grep(self, params: Mapping[str, object]) -> object:
        """`grepFiles{pattern, path?}`: lines of text files that a regular expression matches."""
        try:
            pattern = re.compile(str(params["pattern"]))
        except re.error as error:
            raise StateError("ValueError", f"The pattern cannot be read: {error}.") from error
        under = clean_path(str(params.get("path") or "/")).rstrip("/") + "/"
        found: list[dict[str, object]] = []
        for file in await self._all():
            if file.mime_type == DIRECTORY or not (file.path + "/").startswith(under):
                continue
            data = await self._store.read_file(self._thread_id, file.path) or b""
            if b"\0" in data:
                continue
            for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
                if pattern.search(line):
                    found.append({"path": file.path, "line": number, "text": line})
        return found

    async def _all(self) -> list[StoredFile]:
        return list(await self._store.files(self._thread_id))


def _path(params: Mapping[str, object]) -> str:
    try:
        return clean_path(str(params.get("path", "")))
    except PathRefused as error:
        raise StateError("ValueError", str(error)) from error


def _described(file: StoredFile) -> dict[str, object]:
    kind = "directory" if file.mime_type == DIRECTORY else "file"
    return {
        "path": file.path,
        "type": kind,
        "size": file.size,
        "mimeType": file.mime_type,
        "createdAt": file.created_at,
        "width": file.width,
        "height": file.height,
    }

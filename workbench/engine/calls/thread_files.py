"""The thread's own file system as an author's `state` sees it: paths that cannot climb out, and the file methods."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import io
import mimetypes
import posixpath
from collections.abc import Mapping
from typing import cast

import imagesize

from workbench.base.exact_json import parse
from workbench.base.ids import ThreadId
from workbench.domain.writes import RemoveFile, WriteFile
from workbench.engine.ports import StateError, Store, StoredFile

THUMBNAIL_BYTES = 256 * 1024
"""The largest thumbnail that is kept."""

SMALL_PICTURE_BYTES = 64 * 1024
"""A picture up to this size is its own thumbnail."""

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
        """`writeFile{path, data, mimeType?, width?, height?, metadata?, thumbnail?}`; data and thumbnail are base64.

        `metadata` is JSON text. A picture's size is read from its bytes when it is not given (D8).
        """
        path = _path(params)
        if path == "/":
            raise StateError("ValueError", "/ is a directory.")
        data = _decoded(params["data"], f"The data of {path}")
        given = params.get("mimeType")
        mime_type = str(given) if given else mimetypes.guess_type(path)[0] or "application/octet-stream"
        width, height = _number(params, "width"), _number(params, "height")
        if width is None or height is None:
            width, height = image_size(mime_type, data)
        thumbnail, metadata = params.get("thumbnail"), params.get("metadata")
        small = _decoded(thumbnail, f"The thumbnail of {path}") if thumbnail is not None else None
        if small is not None and len(small) > THUMBNAIL_BYTES:
            most = f"{THUMBNAIL_BYTES // 1024} KiB"
            raise StateError("ValueError", f"The thumbnail of {path} is larger than {most}.")
        about = str(metadata) if metadata is not None else None
        await self._store.commit(
            WriteFile(self._thread_id, path, data, mime_type, width, height, about, small)
        )
        return await self._at(path)

    async def read(self, params: Mapping[str, object]) -> object:
        """`readFile{path}`: base64, or None when there is no such file."""
        data = await self._store.read_file(self._thread_id, _path(params))
        return None if data is None else base64.b64encode(data).decode()

    async def read_part(self, params: Mapping[str, object]) -> object:
        """`readFilePart{path, index, version?}`: a piece with its place, or None when there is no such file (D8).

        With the `version` of an earlier piece it is refused when the file is another one now.
        """
        path, version = _path(params), params.get("version")
        part = await self._store.read_part(self._thread_id, path, _number(params, "index") or 0)
        if version is not None and (part is None or part.version != version):
            raise StateError("RuntimeError", f"{path} was changed while it was read.")
        if part is None:
            return None
        data = base64.b64encode(part.data).decode()
        return {"data": data, "index": part.index, "count": part.count, "version": part.version}

    async def thumbnail(self, params: Mapping[str, object]) -> object:
        """`getFileThumbnail{path}`: base64 of what was written with it, or of the picture itself when that is small."""
        path = _path(params)
        data = await self._store.read_thumbnail(self._thread_id, path)
        if data is None:
            file = next((one for one in await self._all() if one.path == path), None)
            is_small_picture = file is not None and file.mime_type.startswith("image/")
            if file is not None and is_small_picture and file.size <= SMALL_PICTURE_BYTES:
                data = await self._store.read_file(self._thread_id, path)
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
        """`findFiles{pattern, type?, limit?}`: what a shell pattern matches, by its path or its name.

        `type` is `file`, `directory` or `all`; `file` when it is not given.
        """
        pattern, kind = str(params.get("pattern", "*")), str(params.get("type") or "file")
        found = [
            file
            for file in await self._entries(kind)
            if fnmatch.fnmatchcase(str(file["path"]), pattern)
            or fnmatch.fnmatchcase(str(file["name"]), pattern)
        ]
        return found[: _number(params, "limit")]

    async def _entries(self, kind: str) -> list[dict[str, object]]:
        """Files, directories (kept, or there because files lie in them) or both, by path."""
        if kind not in ("file", "directory", "all"):
            raise StateError(
                "ValueError", f"The type of what is found is file, directory or all, not {kind!r}."
            )
        files = await self._all()
        entries = {file.path: _described(file) for file in files}
        for file in files:
            above = posixpath.dirname(file.path)
            while above != "/" and above not in entries:
                entries[above] = _directory(above)
                above = posixpath.dirname(above)
        wanted = {"file": (False,), "directory": (True,), "all": (False, True)}[kind]
        return [entries[path] for path in sorted(entries) if entries[path]["isDirectory"] in wanted]

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


def _decoded(data: object, what: str) -> bytes:
    try:
        return base64.b64decode(str(data), validate=True)
    except binascii.Error as error:
        raise StateError("ValueError", f"{what} is not base64.") from error


def _number(params: Mapping[str, object], name: str) -> int | None:
    value = params.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def image_size(mime_type: str, data: bytes) -> tuple[int | None, int | None]:
    """Width and height of a picture; None for what is none, or cannot be read."""
    if not mime_type.startswith("image/"):
        return None, None
    try:
        width, height = cast(tuple[float, float], imagesize.get(io.BytesIO(data)))  # pyright: ignore[reportUnknownMemberType]
    except (ValueError, OSError):
        return None, None
    return (int(width), int(height)) if width > 0 and height > 0 else (None, None)


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
        "metadata": {} if file.metadata is None else parse(file.metadata),
    }


def _directory(path: str) -> dict[str, object]:
    """A directory that is there because files lie in it."""
    name = posixpath.basename(path)
    return {"path": path, "name": name, "mimeType": DIRECTORY, "size": 0, "isDirectory": True}

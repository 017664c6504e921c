"""Reads an archive that may be anything: nothing of it is believed that was not checked, and what is wrong is said."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self, TypeVar, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from pydantic import ValidationError

from workbench.app.handover.archive import (
    FORMAT,
    LONGEST_LINE,
    MANIFEST,
    VERSION,
    Manifest,
    Member,
    blob_name,
    is_member_name,
    lines_name,
)
from workbench.app.handover.pace import Pace
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, parse_object
from workbench.domain.handed_over import KINDS, Handed
from workbench.domain.value import Value
from workbench.store.blobs import CHUNK_BYTES

_LARGEST_MANIFEST = 64 * 1024 * 1024
_ENCRYPTED = 0x1
_AGAIN = "Export the history again, or fetch the file again."

_NO_WHOLE_ZIP = (
    *(BadZipFile, LargeZipFile, zlib.error, struct.error, EOFError, NotImplementedError),
    *(ValueError, OverflowError),  # a place that is none, a name that is no text
)

NAMES = {kind: name for name, kind in KINDS.items()}

H = TypeVar("H", bound=Handed)
Rewrite = Callable[[bytes], bytes]


class ArchiveRefused(UserError):
    """The file is no history, or not one that can be taken in."""


class Archive:
    """An open file. Opening it looks at its table of contents; `check` reads all of it. For any one thread."""

    def __init__(self, path: Path) -> None:
        """Raises ArchiveRefused."""
        self.path = path
        with _reading(path):
            self._file = path.open("rb")
        try:
            with _reading(path):
                self._zip = ZipFile(self._file)
            self.manifest = self._read_manifest()
            self._compare_contents()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._file.close()

    @property
    def unpacked(self) -> int:
        """Bytes of all that it holds."""
        return sum(member.size for member in self.manifest.members.values())

    def refused(self, what: str, hint: str = _AGAIN) -> ArchiveRefused:
        """What is said of a file that is not taken in."""
        return ArchiveRefused(f"{self.path.name} cannot be imported: {what}", hint=hint)

    # --- what it says of itself

    def _read_manifest(self) -> Manifest:
        names = self._zip.namelist()
        if MANIFEST not in names:
            raise self.refused(
                "it is a zip file, but no history of Workbench.",
                hint="`workbench thread export` makes one, and so does Export… in the menu of a thread.",
            )
        (name, times), *_ = Counter(names).most_common(1)
        if times > 1:
            raise self.refused(f"it holds {name!r} twice.")
        info = self._zip.getinfo(MANIFEST)
        if info.file_size > _LARGEST_MANIFEST:
            raise self.refused("its manifest is too large.")
        self._refuse_unreadable(info)
        with _reading(self.path):
            data = self._zip.read(info)
        try:
            found = parse_object(data)
        except JsonError as error:
            raise self.refused(f"its manifest is no JSON: {error}") from error
        if found.get("format") != FORMAT:
            raise self.refused("it is a zip file, but no history of Workbench.")
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            made_by = found.get("workbench")
            raise self.refused(
                f"a newer Workbench ({made_by}) has written it.",
                hint="Update Workbench, then import it again.",
            )
        try:
            return Manifest.model_validate(found)
        except ValidationError as error:
            raise self.refused(f"its manifest is not what it should be: {_first(error)}") from error

    def _compare_contents(self) -> None:
        """The table of contents and the manifest tell the same, and nothing that could not be."""
        members = self.manifest.members
        infos = {info.filename: info for info in self._zip.infolist() if info.filename != MANIFEST}
        for name in (*infos, *members):
            if not is_member_name(name):
                raise self.refused(f"it holds {name!r}, which no history has.")
            if name not in members:
                raise self.refused(f"it holds {name!r}, of which its manifest knows nothing.")
            if name not in infos:
                raise self.refused(f"{name!r} is missing in it.")
        missing = next((name for name in map(lines_name, KINDS) if name not in members), None)
        if missing is not None:
            raise self.refused(f"{missing!r} is missing in it.")
        for name, info in infos.items():
            self._refuse_unreadable(info)
            if info.file_size != members[name].size:
                raise self.refused(f"{name!r} is not as large as its manifest says.")
        with _reading(self.path):
            held = self.path.stat().st_size
        if sum(info.compress_size for info in self._zip.infolist()) > held:
            raise self.refused("its members lie over one another.")

    def _refuse_unreadable(self, info: ZipInfo) -> None:
        if info.flag_bits & _ENCRYPTED:
            raise self.refused("it is encrypted.", hint="Decrypt it first.")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise self.refused(f"{info.filename!r} is compressed in a way that Workbench does not use.")

    # --- what is in it

    def rows(self, kind: type[H], rewrite: Rewrite | None = None) -> Iterator[H]:
        """The rows of a kind; `rewrite` changes each line before it is read."""
        for number, line in enumerate(self._lines(kind), 1):
            yield self._row(kind, number, rewrite(line) if rewrite is not None else line)

    def check_lines(self, kind: type[H], pace: Pace) -> Iterator[tuple[int, H]]:
        """The rows of a kind with their numbers; at their end they were as many as the manifest says, and unchanged."""
        digest, count, name = hashlib.sha256(), 0, NAMES[kind]
        for line in self._lines(kind):
            digest.update(line)
            count += 1
            yield count, self._row(kind, count, line)
            pace.step(len(line))
        self._compare(lines_name(name), digest.hexdigest())
        if count != self.manifest.counts.get(name):
            raise self.refused(f"it holds {count} {name}, not as many as its manifest says.")

    def check_blobs(self, pace: Pace) -> None:
        """Read every file in it: each has the bytes that its name tells of."""
        for name, member in self.manifest.members.items():
            if name != blob_name(member.sha256):
                continue
            digest = hashlib.sha256()
            for part in self.parts(member.sha256):
                digest.update(part)
                pace.step(len(part))
            self._compare(name, digest.hexdigest())

    def parts(self, sha256: str) -> Generator[bytes]:
        """The bytes of a file, CHUNK_BYTES at a time."""
        with _reading(self.path), self._zip.open(blob_name(sha256)) as stream:
            while part := stream.read(CHUNK_BYTES):
                yield part

    def thumbnail(self, sha256: str) -> bytes:
        """A small picture by its hash; see LARGEST_THUMBNAIL."""
        return b"".join(self.parts(sha256))

    def blob(self, sha256: str) -> Member | None:
        """What is known of the bytes of that hash; None when they are not in it."""
        return self.manifest.members.get(blob_name(sha256))

    def _lines(self, kind: type[Handed]) -> Iterator[bytes]:
        name = lines_name(NAMES[kind])
        with _reading(self.path), self._zip.open(name) as stream:
            while line := cast("BinaryIO", stream).readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise self.refused(f"a line of {name} is longer than {LONGEST_LINE >> 20} MB.")
                yield line

    def _row(self, kind: type[H], number: int, line: bytes) -> H:
        try:
            return kind.model_validate_json(line)
        except ValidationError as error:
            first = error
        try:  # half a surrogate pair, which only Python's own parser reads, and text in UTF-8 as all lines are
            row = kind.model_validate(json.loads(line.decode()))
            row.to_json()  # it reads more levels than can be written again
        except (ValueError, RecursionError):  # a ValidationError is a ValueError
            where = f"line {number} of {lines_name(NAMES[kind])}"
            raise self.refused(f"{where} is not what it should be: {_first(first)}") from None
        return row

    def _compare(self, name: str, sha256: str) -> None:
        if sha256 != self.manifest.members[name].sha256:
            raise self.refused(f"{name!r} was changed or damaged since it was exported.")


def values_in(value: Value) -> Iterator[Value]:
    """A value and all in its fields."""
    yield value
    for name in type(value).model_fields:
        field: object = getattr(value, name)
        for one in cast("tuple[object, ...]", field) if isinstance(field, tuple) else (field,):
            if isinstance(one, Value):
                yield from values_in(one)


def _first(error: ValidationError) -> str:
    """The first of what is wrong, where and in words."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {problem['msg']}" if where else problem["msg"]


@contextmanager
def _reading(path: Path) -> Generator[None]:
    """What the zip reader raises of a file, in words."""
    try:
        yield
    except _NO_WHOLE_ZIP as error:
        raise ArchiveRefused(
            f"{path.name} cannot be imported: it is no whole zip file.", hint=_AGAIN, detail=str(error)
        ) from error
    except OSError as error:
        raise ArchiveRefused(
            f"{path} cannot be read: {error.strerror or error}.",
            hint="Check where it lies, and that you may read it.",
        ) from error

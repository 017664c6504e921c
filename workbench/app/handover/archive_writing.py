"""Writes an archive row by row: no more of the history is in memory at once than one value, or one piece of a file."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from workbench.app.handover.archive import (
    LONGEST_LINE,
    MANIFEST,
    HandedThread,
    Manifest,
    Member,
    blob_name,
    lines_name,
)
from workbench.app.handover.imported import with_origin
from workbench.app.handover.masking import masked, masked_bytes
from workbench.app.handover.pace import Pace
from workbench.base.errors import UserError
from workbench.base.masker import Masker
from workbench.domain.calls import Call
from workbench.domain.handed_over import KINDS, Handed, HandedFile
from workbench.domain.threads import Thread
from workbench.domain.value import Value
from workbench.store.blobs import CHUNK_BYTES
from workbench.store.handing_out import StoredHistory

_NO_DATE = (1980, 1, 1, 0, 0, 0)
_SAMPLE = 64 * 1024
"""Bytes of a file by which it is told whether packing makes it smaller: pictures and archives only take time."""


class ArchiveWriter:
    """Writes one archive into a file; `write` is for a thread of the store's."""

    def __init__(self, stream: BinaryIO, masker: Masker, pace: Pace) -> None:
        self._stream = stream
        self._masker = masker
        self._pace = pace
        self._members: dict[str, Member] = {}
        self._counts: dict[str, int] = {}

    def write(self, history: StoredHistory, about: Manifest) -> Manifest:
        """Write what was chosen; `about` is the manifest as far as it is known before, the answer all of it.

        Raises UserError for a value that is too large to be handed over, RunError when it is not wanted any more.
        """
        self._pace.expect(history.count())
        files = tuple(history.rows(HandedFile))
        self._pace.expect(sum(_steps(file.size) for file in files))
        with ZipFile(self._stream, "w", ZIP_DEFLATED) as archive:
            for name, kind in KINDS.items():
                if kind is not HandedFile:
                    self._write_lines(archive, name, (self._own(row) for row in history.rows(kind)))
            self._write_lines(archive, "files", tuple(self._write_files(archive, history, files)))
            whole = masked(about, self._masker).model_copy(
                update={
                    "threads": tuple(_chosen(history, self._masker)),
                    "calls": history.bench_calls,
                    "counts": self._counts,
                    "members": self._members,
                }
            )
            archive.writestr(_info(MANIFEST), json.dumps(whole.to_json(), indent=1))
        return whole

    def _own(self, row: Handed) -> Handed:
        """A row as it leaves: without secrets, a word of where it came from before, and the key by which whoever knows
        it finds a channel's session."""
        row = masked(row, self._masker)
        match row:
            case Thread():
                return row.model_copy(update={"imported": None, "channel_key": ""})
            case Call():
                return with_origin(row, None)
            case _:
                return row

    def _write_lines(self, archive: ZipFile, kind: str, rows: Iterable[Handed]) -> None:
        digest, size, count = hashlib.sha256(), 0, 0
        name = lines_name(kind)
        with archive.open(_info(name), "w", force_zip64=True) as member:
            for row in rows:
                line = _line(row) + b"\n"
                if len(line) > LONGEST_LINE:
                    raise UserError(
                        f"One of the {kind} is larger than {LONGEST_LINE >> 20} MB: it cannot be handed over.",
                        hint="Save its result in a file, delete the call, and export again.",
                    )
                digest.update(line)
                member.write(line)
                size, count = size + len(line), count + 1
                self._pace.step()
        self._members[name] = Member(size=size, sha256=digest.hexdigest())
        self._counts[kind] = count

    def _write_files(
        self, archive: ZipFile, history: StoredHistory, files: Iterable[HandedFile]
    ) -> Iterator[HandedFile]:
        for file in files:
            row = masked(file, self._masker)
            found = self._measured(history.parts(file))
            self._write_blob(archive, found, history.parts(file))
            thumbnail = history.thumbnail(file)
            small: Member | None = None
            if thumbnail is not None:
                small = self._measured([thumbnail])
                self._write_blob(archive, small, [thumbnail])
            yield row.model_copy(
                update={
                    "sha256": found.sha256,
                    "size": found.size,
                    "thumbnail": None if small is None else small.sha256,
                }
            )

    def _measured(self, parts: Iterable[bytes]) -> Member:
        """What the bytes come to without secrets: a member's name has to be known before it is written."""
        digest, size = hashlib.sha256(), 0
        for part in masked_bytes(parts, self._masker):
            digest.update(part)
            size += len(part)
            self._pace.step()
        return Member(size=size, sha256=digest.hexdigest())

    def _write_blob(self, archive: ZipFile, blob: Member, parts: Iterable[bytes]) -> None:
        name = blob_name(blob.sha256)
        if name in self._members:
            return
        pieces = masked_bytes(parts, self._masker)
        first = next(pieces, b"")
        info = _info(name)
        info.compress_type = ZIP_DEFLATED if _shrinks(first[:_SAMPLE]) else ZIP_STORED
        with archive.open(info, "w", force_zip64=True) as member:
            for part in chain([first], pieces):
                member.write(part)
                self._pace.step()
        self._members[name] = blob


def _chosen(history: StoredHistory, masker: Masker) -> Iterator[HandedThread]:
    """Those that no other one is above."""
    ids = {thread.id for thread in history.threads}
    for thread in history.threads:
        if thread.parent_id not in ids:
            yield masked(HandedThread(id=thread.id, agent=thread.agent, name=thread.name), masker)


def _shrinks(sample: bytes) -> bool:
    return len(zlib.compress(sample, 1)) < 0.9 * len(sample)


def _steps(size: int) -> int:
    """About how many pieces a file is read and written in."""
    return 2 * (1 + size // CHUNK_BYTES)


def _info(name: str) -> ZipInfo:
    info = ZipInfo(name, _NO_DATE)
    info.compress_type = ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info


def _line(value: Value) -> bytes:
    try:
        return value.model_dump_json(by_alias=True).encode()
    except ValueError:  # half a surrogate pair: JSON can spell it as an escape, UTF-8 cannot
        return json.dumps(value.to_json()).encode()

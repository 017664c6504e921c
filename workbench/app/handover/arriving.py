"""Makes the rows of an archive those of this project: ids that are free, its own bench, and where they came from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from workbench.app.handover.archive_reading import Archive
from workbench.app.handover.checking import Contents, unfit
from workbench.app.handover.imported import with_origin
from workbench.app.handover.masking import masked
from workbench.app.handover.pace import Pace
from workbench.base.ids import CallId, ThreadId
from workbench.base.masker import Masker
from workbench.domain.calls import AttachmentRef, Call, ToolResult
from workbench.domain.effects import FINAL, EffectRun, EffectState
from workbench.domain.events import CallFinished
from workbench.domain.handed_over import KINDS, Handed, HandedEvent, HandedFile
from workbench.domain.threads import Imported, Message, Thread, ThreadKind
from workbench.store.taking_in import Arrival

_UUID = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])")
_SPELLED_OUT = re.compile(rb"\\(?:u00(2[dD]|3[0-9]|6[1-6])|.)", re.DOTALL)
"""An escape in JSON text; the group is the code of one that stands for a digit of an id, or its dash."""
_NOT_HERE = "It was still to come when the history was handed over; it does not run here."


@dataclass(slots=True)
class Taken:
    """What is there now: the threads that were chosen when it was exported, under the ids that they have here."""

    threads: tuple[ThreadId, ...] = ()
    calls: tuple[CallId, ...] = ()
    """Those of the bench."""
    all_threads: tuple[ThreadId, ...] = ()
    renamed: bool = False
    """Something of it was here already, so that it has ids of its own."""


@dataclass(slots=True)
class Arriving:
    """Puts one archive that was checked; `put` is for the writer's thread, in a transaction."""

    archive: Archive
    contents: Contents
    masker: Masker
    pace: Pace
    _fresh: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    """What ids become, by their 32 hexadecimal digits."""
    _paths: dict[str, str] = field(default_factory=dict[str, str])
    """What the bench's files are called here, where that is taken."""
    _calls: list[CallId] = field(default_factory=list[CallId])
    _all: tuple[ThreadId, ...] = ()
    _bench: ThreadId | None = None

    def put(self, arrival: Arrival) -> Taken:
        """Put everything. Raises UserError for what cannot be kept."""
        bench = arrival.bench() if self.contents.bench is not None else None
        renamed = self._make_fresh(arrival, bench)
        self._all = tuple(map(self._here, self.contents.threads))
        self._name_files(arrival)
        try:
            for kind in KINDS.values():
                arrival.put(self._rows(arrival, kind, bench), self.archive.thumbnail)
        except (OverflowError, ValueError) as error:
            # Numbers that are too large, a text that is none, more levels than can be written.
            raise unfit(self.archive, error) from error
        chosen = (thread.id for thread in self.archive.manifest.threads)
        return Taken(
            threads=tuple(map(self._here, chosen)),
            calls=tuple(self._calls),
            all_threads=self._all,
            renamed=renamed,
        )

    def _make_fresh(self, arrival: Arrival, bench: Thread | None) -> bool:
        """Find an id for everything whose own is taken; of two copies of a history all ids differ."""
        own = self.contents.ids - {self.contents.bench or ""}
        renamed = bool(arrival.taken(own))
        if renamed:
            self._fresh = {_key(one): _twin(_key(one)) for one in own}
        if self.contents.bench is not None:
            taken_bench = arrival.taken({self.contents.bench})
            if bench is not None:
                self._fresh[_key(self.contents.bench)] = _key(bench.id)
            elif taken_bench:
                self._fresh[_key(self.contents.bench)] = _twin(_key(self.contents.bench))
            self._bench = self._here(self.contents.bench)
        return renamed

    def _name_files(self, arrival: Arrival) -> None:
        """The bench may have files of these names."""
        if self._bench is None:
            return
        taken = set(arrival.paths(self._bench))
        for file in self.archive.rows(HandedFile, self._renewed):
            if file.thread_id == self._bench:
                path = _free_path(file.path, taken)
                taken.add(path)
                if path != file.path:
                    self._paths[file.path] = path

    def _rows(self, arrival: Arrival, kind: type[Handed], bench: Thread | None) -> Iterator[Handed]:
        for row in self.archive.rows(kind, self._renewed):
            self.pace.step(0)
            if isinstance(row, Thread) and row.kind is ThreadKind.BENCH and bench is not None:
                continue
            yield self._fitted(masked(row, self.masker), arrival.now_us)

    def _renewed(self, line: bytes) -> bytes:
        """A line whose ids, and whatever refers to them in its texts, are those that they have here."""
        if not self._fresh:
            return line

        def fresh(match: re.Match[bytes]) -> bytes:
            key = self._fresh.get(match[0].replace(b"-", b""))
            return match[0] if key is None else _dashed(key) if b"-" in match[0] else key

        # No export spells an id so; whoever does would have a row take the place of one that is here.
        plain = _SPELLED_OUT.sub(_as_itself, line) if b"\\u00" in line else line
        return _UUID.sub(fresh, plain)

    def _here(self, id: ThreadId) -> ThreadId:
        return ThreadId(self._renewed(id.encode()).decode())

    def _fitted(self, row: Handed, now_us: int) -> Handed:
        match row:
            case Thread():
                return self._thread(row, now_us)
            case Call() if row.thread_id == self._bench:
                self._calls.append(row.id)
                origin = Imported(at=now_us, project=self.archive.manifest.project)
                return with_origin(row.model_copy(update={"result": self._result(row.result)}), origin)
            case Call():  # its thread says where it came from
                return with_origin(row, None)
            case Message() if row.thread_id == self._bench:
                return row.model_copy(update={"attachments": self._attachments(row.attachments)})
            case HandedEvent(event=CallFinished() as event) if event.thread_id == self._bench:
                finished = event.model_copy(update={"result": self._result(event.result)})
                return row.model_copy(update={"event": finished})
            case HandedFile() if row.thread_id == self._bench:
                return row.model_copy(update={"path": self._paths.get(row.path, row.path)})
            case EffectRun() if row.state not in FINAL:
                return row.model_copy(
                    update={"state": EffectState.USER_CANCELED, "error": _NOT_HERE, "completed_at": now_us}
                )
            case _:
                return row

    def _thread(self, thread: Thread, now_us: int) -> Thread:
        """It is nobody's session here, and a child only of what came with it; of a bench only its calls come."""
        if thread.kind is ThreadKind.BENCH:
            return Thread(id=thread.id, kind=thread.kind, created_at=now_us, updated_at=now_us)
        changes: dict[str, object] = {
            "imported": Imported(at=now_us, project=self.archive.manifest.project),
            "channel_key": "",
        }
        if thread.parent_id not in self._all:
            changes |= {"parent_id": None, "made_by": None}
        return thread.model_copy(update=changes)

    def _result(self, result: ToolResult | None) -> ToolResult | None:
        if result is None or not self._paths:
            return result
        return result.model_copy(update={"attachments": self._attachments(result.attachments)})

    def _attachments(self, attachments: tuple[AttachmentRef, ...]) -> tuple[AttachmentRef, ...]:
        return tuple(
            one.model_copy(update={"path": self._paths.get(one.path, one.path)}) for one in attachments
        )


def _as_itself(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape[1] is None else bytes.fromhex(escape[1].decode())


def _key(id: str) -> bytes:
    return id.replace("-", "")[-32:].encode()


def _dashed(key: bytes) -> bytes:
    return b"-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))


def _twin(key: bytes) -> bytes:
    """Another id of the same moment, so that both sort alike."""
    random = int.from_bytes(os.urandom(8)) >> 2 | 1 << 63
    return key[:16] + f"{random:016x}".encode()


def _free_path(path: str, taken: set[str]) -> str:
    name, number, found = PurePosixPath(path), 1, path
    while found in taken:
        number += 1
        found = str(name.with_name(f"{name.stem}-{number}{name.suffix}"))
    return found

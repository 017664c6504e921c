"""A history that came from elsewhere is put into the store in one transaction, with nothing in it under way."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable

from workbench.base.errors import RunError, UserError
from workbench.base.ids import ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun
from workbench.domain.handed_over import (
    Handed,
    HandedDefinition,
    HandedEvent,
    HandedFile,
    HandedParameters,
    HandedRequest,
    HandedTurn,
    HandedValue,
    HandedVariable,
)
from workbench.domain.threads import Message, Thread
from workbench.domain.variables import Scope, VariableRow, VariableType
from workbench.domain.writes import (
    AppendEvent,
    PutCall,
    PutEffect,
    PutMessage,
    PutThread,
    PutVariable,
    SetValue,
    Write,
)
from workbench.store import blobs, deletion, reads, running
from workbench.store.closing import close_call
from workbench.store.thread_closing import close_thread
from workbench.store.writes import Recorder

_CAUSE = "its history was handed over"
_UNDER_IT = "Its history was handed over while it was at work. Continue it, or write to it."
_AT_ONCE = 256
_IDENTIFIED = ("thread", "message", "call", "request", "effect", "inbox")

_TAKEN = "SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(?))"

_DEFINITION = "INSERT OR IGNORE INTO definition (version, name, path, source, schema) VALUES (?, ?, ?, ?, ?)"

_FILE = """
INSERT INTO file (thread_id, path, mime_type, size, width, height, created_at, blob, metadata, thumbnail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class Arrival:
    """What is put by its methods is there together, or not at all. It belongs to the writer's thread.

    Ids must be free (see `taken`), a file's bytes in the store (see `Transfers.put_part`).
    """

    def __init__(self, recorder: Recorder, now_us: int) -> None:
        self._recorder = recorder
        self._connection = recorder.connection
        self._hashes: dict[tuple[ThreadId, str], str] = {}
        """Which hash a turn or parameters have here, by the one that they came with."""
        self._threads: list[Thread] = []
        self._calls: list[Call] = []
        self.now_us = now_us

    def taken(self, ids: Collection[str]) -> frozenset[str]:
        """Which of these ids something in the store has already."""
        wanted = json.dumps(list(ids))
        return frozenset(
            row[0]
            for table in _IDENTIFIED
            for row in self._connection.execute(_TAKEN.format(table=table), (wanted,))
        )

    def bench(self) -> Thread | None:
        """The thread of this project's manual calls, if there is one yet."""
        return reads.bench_thread(self._connection)

    def paths(self, thread_id: ThreadId) -> frozenset[str]:
        """The files that a thread has already."""
        rows = self._connection.execute("SELECT path FROM file WHERE thread_id = ?", (thread_id,))
        return frozenset(path for (path,) in rows)

    def put(self, rows: Iterable[Handed], thumbnail: Callable[[str], bytes]) -> None:
        """Put rows of one kind; threads come before what is in them, turns before the requests that sent them.

        `thumbnail` gives the bytes of a file's small picture by their hash. Raises UserError for a row that names
        something which did not come before.
        """
        waiting: list[Write] = []
        for row in rows:
            match row:
                case HandedParameters() | HandedTurn() | HandedRequest() | HandedFile():
                    self._put_row(row, thumbnail)
                case HandedDefinition():
                    made = (row.version, row.name, row.path, row.source, row.schema_text)
                    self._connection.execute(_DEFINITION, made)
                case _:
                    waiting.append(self._write_of(row))
            if len(waiting) == _AT_ONCE:
                self._recorder.write(waiting)
                waiting.clear()
        self._recorder.write(waiting)

    def close(self) -> None:
        """Nothing of it is under way: open calls end as interrupted, threads at work as stopped (C7, T9)."""
        for call in self._calls:
            close_call(self._recorder, call, self.now_us, _CAUSE)
        for thread in self._threads:
            close_thread(self._recorder, thread, self.now_us, _UNDER_IT, _CAUSE)

    def _write_of(self, row: Handed) -> Write:
        match row:
            case Thread():
                if row.status.is_under_way:
                    self._threads.append(row)
                return PutThread(row)
            case Message():
                return PutMessage(row)
            case Call():
                if not row.state.is_final:
                    self._calls.append(row)
                return PutCall(row)
            case HandedEvent():
                return AppendEvent(row.event)
            case HandedValue():
                return SetValue(row.thread_id, row.key, row.json_text)
            case HandedVariable():
                own = VariableRow(
                    scope=Scope.THREAD,
                    name=row.name,
                    type=VariableType.TEXT,
                    value=row.value,
                    thread_id=row.thread_id,
                )
                return PutVariable(own)
            case EffectRun():
                return PutEffect(row)
            case _:
                raise AssertionError(f"{type(row).__name__} has a row of its own")

    def _put_row(
        self,
        row: HandedParameters | HandedTurn | HandedRequest | HandedFile,
        thumbnail: Callable[[str], bytes],
    ) -> None:
        match row:
            case HandedParameters():
                here = running.put_parameters(self._connection, row.thread_id, row.parameters)
                self._hashes[row.thread_id, row.hash] = here
            case HandedTurn():
                self._hashes[row.thread_id, row.hash] = self._put_turn(row)
            case HandedRequest():
                thread_id = row.request.thread_id
                head = self._here(thread_id, row.turns) if row.turns else row.turns
                parameters = self._here(thread_id, row.parameters) if row.parameters else None
                running.put_request(self._connection, row.request, head, parameters)
            case HandedFile():
                self._put_file(row, None if row.thumbnail is None else thumbnail(row.thumbnail))

    def _put_turn(self, row: HandedTurn) -> str:
        before = self._here(row.thread_id, row.before) if row.before else ""
        if row.turn is not None:
            return running.put_turn(self._connection, row.thread_id, before, row.turn, row.message_id)
        running.put_deleted_turn(self._connection, row.thread_id, before, row.hash, row.message_id)
        return row.hash

    def _here(self, thread_id: ThreadId, digest: str) -> str:
        found = self._hashes.get((thread_id, digest))
        if found is None:
            raise UserError(f"It names what a request sent, {digest[:12]}…, which is not in it.")
        return found

    def _put_file(self, file: HandedFile, thumbnail: bytes | None) -> None:
        holder = deletion.file_holder(file.thread_id, file.path)
        if not blobs.adopt(self._connection, file.sha256, file.size, holder):
            raise RunError("The history changed while the file was taken in.", hint="Import it again.")
        size = (file.width, file.height)
        row = (file.thread_id, file.path, file.mime_type, file.size, *size, file.created_at)
        self._connection.execute(_FILE, (*row, file.sha256, file.metadata, thumbnail))

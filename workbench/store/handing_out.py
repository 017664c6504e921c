"""Whole histories read row by row, all of one moment, for whoever writes them into a file of their own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun
from workbench.domain.events import read_event
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
    Selection,
)
from workbench.domain.model_requests import ModelRequest
from workbench.domain.requests import Request
from workbench.domain.threads import Message, Thread
from workbench.domain.value import Value
from workbench.store import blobs, reads, thread_lists
from workbench.store.payloads import unpack, unpack_json
from workbench.store.running import SentTurn

V = TypeVar("V", bound=Value)
H = TypeVar("H", bound=Handed)

_CHOSEN = {
    "of_threads": "thread_id IN (SELECT value FROM json_each(:threads))",
    "of_calls": "IN (SELECT value FROM json_each(:calls))",
}
"""What the queries have in common: whether a row is of a chosen thread, whether an id is one of a chosen call."""

_DEFINITIONS = """
SELECT version, name, path, source, schema FROM definition WHERE version IN
 (SELECT json_extract(payload, '$.data.definition') FROM call WHERE {of_threads} OR id {of_calls}) ORDER BY version"""
_MESSAGES = """
SELECT payload, spilled FROM message WHERE {of_threads} OR tool_call_id {of_calls} ORDER BY seq"""
_CALLS = "SELECT payload, spilled FROM call WHERE {of_threads} OR id {of_calls} ORDER BY seq"
_BENCH_CALLS = "SELECT payload, spilled FROM call WHERE id {of_calls} ORDER BY seq"
_PARAMETERS = """
SELECT thread_id, hash, payload, spilled FROM parameters WHERE {of_threads} ORDER BY rowid"""
_TURNS = """
SELECT thread_id, hash, before, message_id, payload, spilled FROM turn WHERE {of_threads} ORDER BY rowid"""
_REQUESTS = "SELECT turns, parameters, payload, spilled FROM request WHERE {of_threads} ORDER BY seq"
_EVENTS = "SELECT payload, spilled FROM event WHERE {of_threads} OR call_id {of_calls} ORDER BY seq"
_VALUES = "SELECT thread_id, key, json FROM value WHERE {of_threads} ORDER BY thread_id, key"
_VARIABLES = """
SELECT thread_id, name, value FROM variable WHERE scope = 'thread' AND type = 'text' AND value IS NOT NULL
 AND {of_threads} ORDER BY thread_id, name"""
_EFFECTS = "SELECT payload, spilled FROM effect WHERE {of_threads} ORDER BY seq"
_FILES = """
SELECT thread_id, path, mime_type, size, created_at, blob, width, height, metadata, thumbnail FROM file
 WHERE {of_threads} ORDER BY thread_id, path"""
_FILE = """
SELECT thread_id, path, mime_type, size, created_at, blob, width, height, metadata, thumbnail FROM file
 WHERE thread_id = ? AND path = ?"""
_COUNT = """
SELECT (SELECT count(*) FROM message WHERE {of_threads} OR tool_call_id {of_calls})
 + (SELECT count(*) FROM call WHERE {of_threads} OR id {of_calls})
 + (SELECT count(*) FROM event WHERE {of_threads} OR call_id {of_calls})
 + (SELECT count(*) FROM turn WHERE {of_threads}) + (SELECT count(*) FROM request WHERE {of_threads})"""

_NESTED = """
WITH RECURSIVE made (id) AS (
    SELECT value FROM json_each(?) UNION SELECT call.id FROM made JOIN call ON call.parent_call_id = made.id)
SELECT id FROM made"""

_STRAY = """
SELECT value, call.thread_id FROM json_each(?) LEFT JOIN call ON call.id = value
WHERE call.thread_id IS NULL OR call.thread_id IS NOT ? LIMIT 1"""


class StoredHistory:
    """What was chosen, for one thread of a lane, while it is read there."""

    def __init__(self, connection: sqlite3.Connection, selection: Selection) -> None:
        self._connection = connection
        self._fetch = reads.fetcher(connection)
        trees = (thread_lists.tree(connection, root) for root in selection.threads)
        ids = tuple(dict.fromkeys(thread_id for tree in trees for thread_id in tree))
        found = connection.execute(_NESTED, (json.dumps(selection.calls),)).fetchall()
        self._chosen = {"threads": json.dumps(ids), "calls": json.dumps([call_id for (call_id,) in found])}
        self.threads = tuple(thread for one in ids if (thread := reads.thread(connection, one)) is not None)
        """Agents' threads, a child after its parent."""
        bench = reads.bench_thread(connection) if found else None
        stray = (json.dumps(selection.calls), bench and bench.id)
        self.bench = bench
        """The thread of the chosen calls, if there are any."""
        self.bench_calls = len(found)
        self.stray: tuple[CallId, ThreadId | None] | None = connection.execute(_STRAY, stray).fetchone()
        """A chosen call that is none of the bench, with the thread that it is of, if there is such a call at all."""
        self._readers: dict[type[Handed], Callable[[], Iterator[Handed]]] = {
            HandedDefinition: self._definitions,
            Thread: self._all_threads,
            Message: self._messages,
            Call: self._calls,
            HandedParameters: self._parameters,
            HandedTurn: self._turns,
            HandedRequest: self._requests,
            HandedEvent: self._events,
            HandedValue: self._values,
            HandedVariable: self._variables,
            EffectRun: self._effects,
            HandedFile: self._files,
        }

    def count(self) -> int:
        """About how many rows there are, for telling how far the reading is."""
        return next(self._rows(_COUNT))[0]

    def rows(self, kind: type[H]) -> Iterator[H]:
        """Everything of one kind."""
        return cast("Iterator[H]", self._readers[kind]())

    def messages(self, thread_id: ThreadId) -> Iterator[Message]:
        """The messages of one thread in their order, of any depth."""
        sql = "SELECT payload, spilled FROM message WHERE thread_id = ? ORDER BY seq"
        for row in self._connection.execute(sql, (thread_id,)):
            yield unpack(Message, row, self._fetch)

    def call(self, call_id: CallId) -> Call | None:
        return reads.call(self._connection, call_id)

    def file(self, thread_id: ThreadId, path: str) -> HandedFile | None:
        """A file of a thread, without its bytes."""
        row = self._connection.execute(_FILE, (thread_id, path)).fetchone()
        return None if row is None else _file(row)

    def thumbnail(self, file: HandedFile) -> bytes | None:
        return reads.read_thumbnail(self._connection, file.thread_id, file.path)

    def parts(self, file: HandedFile) -> Iterator[bytes]:
        """A file's bytes, some at a time; nothing where the store has lost them."""
        sql = "SELECT data FROM chunk WHERE hash = ? ORDER BY number"
        for (data,) in self._connection.execute(sql, (self._blob(file),)):
            yield data

    def _blob(self, file: HandedFile) -> str:
        sql = "SELECT blob FROM file WHERE thread_id = ? AND path = ?"
        return self._connection.execute(sql, (file.thread_id, file.path)).fetchone()[0]

    # --- by kind

    def _rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        return self._connection.execute(sql.format(**_CHOSEN), self._chosen)

    def _payloads(self, kind: type[V], sql: str) -> Iterator[V]:
        for payload, spilled in self._rows(sql):
            yield unpack(kind, (payload, spilled), self._fetch)

    def _definitions(self) -> Iterator[HandedDefinition]:
        for version, name, path, source, schema in self._rows(_DEFINITIONS):
            yield HandedDefinition(version=version, name=name, path=path, source=source, schema_text=schema)

    def _all_threads(self) -> Iterator[Thread]:
        yield from self.threads
        if self.bench is not None:
            yield self.bench

    def _messages(self) -> Iterator[Message]:
        return self._payloads(Message, _MESSAGES)

    def _calls(self) -> Iterator[Call]:
        return self._payloads(Call, _CALLS)

    def _parameters(self) -> Iterator[HandedParameters]:
        for thread_id, digest, payload, spilled in self._rows(_PARAMETERS):
            rest = unpack(ModelRequest, (payload, spilled), self._fetch)
            yield HandedParameters(thread_id=thread_id, hash=digest, parameters=rest)

    def _turns(self) -> Iterator[HandedTurn]:
        for thread_id, digest, before, message_id, payload, spilled in self._rows(_TURNS):
            turn = None if payload is None else unpack(SentTurn, (payload, spilled), self._fetch).content
            yield HandedTurn(
                thread_id=thread_id, hash=digest, before=before, message_id=message_id, turn=turn
            )

    def _requests(self) -> Iterator[HandedRequest]:
        for turns, parameters, payload, spilled in self._rows(_REQUESTS):
            request = unpack(Request, (payload, spilled), self._fetch)
            yield HandedRequest(request=request, turns=turns, parameters=parameters)

    def _events(self) -> Iterator[HandedEvent]:
        for payload, spilled in self._rows(_EVENTS):
            event = read_event(unpack_json((payload, spilled), self._fetch))
            if event is not None:  # one that only a newer Workbench knows
                yield HandedEvent(event=event)

    def _values(self) -> Iterator[HandedValue]:
        for thread_id, key, text in self._rows(_VALUES):
            yield HandedValue(thread_id=thread_id, key=key, json_text=text)

    def _variables(self) -> Iterator[HandedVariable]:
        for thread_id, name, value in self._rows(_VARIABLES):
            yield HandedVariable(thread_id=thread_id, name=name, value=value)

    def _effects(self) -> Iterator[EffectRun]:
        return self._payloads(EffectRun, _EFFECTS)

    def _files(self) -> Iterator[HandedFile]:
        yield from map(_file, self._rows(_FILES))
        if self.bench is None:
            return
        attached = (
            file.path
            for call in self._payloads(Call, _BENCH_CALLS)
            if call.result is not None
            for file in call.result.attachments
        )
        for path in dict.fromkeys(attached):
            found = self.file(self.bench.id, path)
            if found is not None:
                yield found


def _file(row: Sequence[object]) -> HandedFile:
    thread_id, path, mime_type, size, created_at, digest, width, height, metadata, thumbnail = row
    return HandedFile.model_validate(
        {
            "thread_id": thread_id,
            "path": path,
            "mime_type": mime_type,
            "size": size,
            "created_at": created_at,
            "sha256": digest,
            "width": width,
            "height": height,
            "metadata": metadata,
            "thumbnail": None if thumbnail is None else blobs.Blob.of(cast("bytes", thumbnail)).hash,
        }
    )

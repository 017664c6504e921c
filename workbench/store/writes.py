"""Each kind of write as prepared SQL, on the writer's connection, inside a transaction that somebody else holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import Any

from workbench.base.clock import Clock
from workbench.base.errors import BugError
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState, ToolResult
from workbench.domain.events import Event
from workbench.domain.threads import Message
from workbench.domain.variables import VariableType
from workbench.domain.writes import (
    AppendEvent,
    CopyRest,
    DeleteCall,
    DeleteMessage,
    DeleteThread,
    DeleteVariable,
    PlaceMessage,
    PutCall,
    PutDefinition,
    PutEffect,
    PutInbound,
    PutMessage,
    PutRequest,
    PutThread,
    PutVariable,
    RemoveFile,
    SetValue,
    TakeInbound,
    Write,
    WriteFile,
)
from workbench.store import blobs, copying, deletion, running
from workbench.store.blobs import INLINE_BYTES, Blob, Chunk
from workbench.store.connection import WriterConnection
from workbench.store.payloads import Packed, has_long_text, pack

PREVIEW_CHARACTERS = 200

_ENDED = frozenset(state for state in CallState if state.is_final)
_UNSEARCHED = frozenset({CallState.QUEUED, CallState.RUNNING})

_THREAD = """
INSERT INTO thread (id, kind, created_at, channel, channel_key, updated_at, status, parent_id, owner, payload, spilled)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, updated_at = excluded.updated_at, status = excluded.status,
    owner = iif(excluded.owner IS NULL AND thread.status NOT IN ('running', 'waiting'), thread.owner, excluded.owner),
    payload = excluded.payload, spilled = excluded.spilled
WHERE thread.owner IS NULL OR thread.owner = ?"""
"""A thread that parks is let go; one that is held at rest stays so whatever is written of it. What another opening
holds is that one's: whoever found it at rest and writes of it too late changes nothing (T17)."""

_APART = frozenset({PutThread, PutRequest, PutDefinition})
"""Writes that have nothing to do with what is gathered but that a thread comes before what lies in it."""

_ROWS_AT_ONCE = 16
"""Rows that one statement writes at most: many rows in one cost a third of as many statements."""

# Of a message or a call only what changes in its life is set again: an index is touched only for a named column.
_MESSAGE = """
INSERT INTO message (id, thread_id, depth, silent, tool_call_id, payload, spilled) VALUES {rows}
ON CONFLICT (id) DO UPDATE SET silent = excluded.silent, payload = excluded.payload, spilled = excluded.spilled"""

_CALL = """
INSERT INTO call (id, thread_id, tool, origin, state, created_at, started_at, finished_at, is_error, failure,
    parent_call_id, owner, arguments_preview, result_preview, payload, spilled) VALUES {rows}
ON CONFLICT (id) DO UPDATE SET state = excluded.state, started_at = excluded.started_at,
    finished_at = excluded.finished_at, is_error = excluded.is_error, failure = excluded.failure,
    owner = excluded.owner, arguments_preview = excluded.arguments_preview,
    result_preview = excluded.result_preview, payload = excluded.payload, spilled = excluded.spilled"""

_UNINDEXED_MESSAGE = """
INSERT INTO unindexed (document) SELECT seq * 2 + 1 FROM message WHERE id IN (VALUES {rows})
ON CONFLICT DO UPDATE SET stamp = stamp + 1"""

_UNINDEXED_CALL = """
INSERT INTO unindexed (document) SELECT seq * 2 FROM call WHERE id IN (VALUES {rows})
ON CONFLICT DO UPDATE SET stamp = stamp + 1"""

_EVENT = "INSERT INTO event (thread_id, number, call_id, payload, spilled) VALUES {rows}"

_LAST_EVENT = """
SELECT max(coalesce((SELECT max(number) FROM event WHERE thread_id = ?1), 0),
           coalesce((SELECT deleted_events FROM thread WHERE id = ?1), 0))"""

_DEFINITION = """
INSERT INTO definition (version, name, path, source, schema) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (version) DO UPDATE SET name = excluded.name, path = excluded.path, source = excluded.source,
    schema = excluded.schema"""
"""What this project says of a version of its own counts more than what a history that was taken in said of it."""

_VALUE = """
INSERT INTO value (thread_id, key, json) VALUES (?, ?, ?)
ON CONFLICT (thread_id, key) DO UPDATE SET json = excluded.json"""

_VARIABLE = """
INSERT INTO variable (scope, thread_id, name, type, place, value) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (scope, coalesce(thread_id, ''), name)
DO UPDATE SET type = excluded.type, place = excluded.place, value = excluded.value"""

_FILE = """
INSERT INTO file (thread_id, path, mime_type, size, width, height, created_at, blob, metadata, thumbnail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (thread_id, path) DO UPDATE SET mime_type = excluded.mime_type, size = excluded.size,
    width = excluded.width, height = excluded.height, created_at = excluded.created_at, blob = excluded.blob,
    metadata = excluded.metadata, thumbnail = excluded.thumbnail"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A big write whose packing and hashing was done outside the writer's thread."""

    write: PutCall | PutMessage | AppendEvent | WriteFile
    packed: Packed
    """For a file just its one blob."""


StoreWrite = Write | Prepared | Chunk


def is_big(write: Write) -> bool:
    """Whether the write carries something that goes into a blob of its own."""
    if isinstance(write, AppendEvent):
        return has_long_text(write.event)
    if isinstance(write, PutMessage):
        return has_long_text(write.message)
    if isinstance(write, PutCall):
        return has_long_text(write.call)
    return isinstance(write, WriteFile) and len(write.data) > INLINE_BYTES


def prepare(write: Write) -> StoreWrite:
    """Pack and hash a big write; any other stays as it is. Any thread may do this."""
    if not is_big(write):
        return write
    match write:
        case PutCall(value) | PutMessage(value) | AppendEvent(value):
            return Prepared(write, pack(value))
        case WriteFile(data=data):
            return Prepared(write, Packed("", None, (Blob.of(data),)))
        case _:
            return write


class Recorder:
    """Applies writes. `owner` marks this opening of the store on the calls that it runs."""

    def __init__(self, connection: WriterConnection, owner: str, clock: Clock) -> None:
        self.connection = connection
        self._execute = connection.execute
        self._owner = owner
        self._clock = clock
        self._by_type: dict[type, Callable[[Any], None]] = {
            PutThread: self._put_thread,
            PlaceMessage: partial(running.place_message, connection),
            DeleteMessage: self._delete_message,
            PutDefinition: self._put_definition,
            SetValue: self._set_value,
            PutVariable: self._put_variable,
            DeleteVariable: self._delete_variable,
            WriteFile: self._write_file,
            RemoveFile: self._remove_file,
            DeleteCall: self._delete_call,
            DeleteThread: self._delete_thread,
            Prepared: self._put_prepared,
            Chunk: self._put_chunk,
            PutRequest: running.AskedTurns(connection).put,
            PutInbound: partial(running.put_inbound, connection),
            TakeInbound: partial(running.take_inbound, connection),
            PutEffect: partial(running.put_effect, connection),
            CopyRest: partial(copying.copy_rest, connection),
        }

    def write(self, writes: Iterable[StoreWrite]) -> None:
        """Apply writes in their order; but messages, calls and events that follow one another go table by table, and
        of the rows of one call only the last."""
        messages: list[Message] = []
        calls: dict[CallId, Call] = {}
        events: list[Event] = []

        def put_gathered() -> None:
            self._put_messages([(message, pack(message)) for message in messages])
            self._put_calls([(call, pack(call)) for call in calls.values()])
            self._append_events([(event, pack(event)) for event in events])
            messages.clear()
            calls.clear()
            events.clear()

        for write in writes:
            if isinstance(write, AppendEvent):
                events.append(write.event)
            elif isinstance(write, PutMessage):
                messages.append(write.message)
            elif isinstance(write, PutCall):
                calls[write.call.id] = write.call
            else:
                if type(write) not in _APART:
                    put_gathered()
                self._by_type[type(write)](write)
        put_gathered()

    def _put_rows(self, sql: str, rows: Sequence[tuple[object, ...]]) -> None:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            self._execute(_for_rows(sql, len(some), len(some[0])), tuple(chain.from_iterable(some)))

    def _put_thread(self, write: PutThread) -> None:
        thread = write.thread
        packed = pack(thread)
        owner = self._owner if thread.status.is_under_way else None
        row = (thread.id, thread.kind.value, thread.created_at, thread.channel, thread.channel_key)
        state = (thread.updated_at, thread.status.value, thread.parent_id, owner)
        self._execute(_THREAD, (*row, *state, packed.payload, packed.spilled, self._owner))
        self._hold(packed, thread.id)

    def _put_messages(self, messages: Sequence[tuple[Message, Packed]]) -> None:
        rows = [
            (
                message.id,
                message.thread_id,
                message.depth,
                message.silent,
                message.tool_call_id,
                packed.payload,
                packed.spilled,
            )
            for message, packed in messages
        ]
        self._put_rows(_MESSAGE, rows)
        # What a call gave is found with the call.
        unindexed = [(message.id,) for message, _ in messages if message.content and not message.tool_call_id]
        self._put_rows(_UNINDEXED_MESSAGE, unindexed)
        for message, packed in messages:
            self._hold(packed, message.id)

    def _put_calls(self, calls: Sequence[tuple[Call, Packed]]) -> None:
        self._put_rows(_CALL, [self._call_row(call, packed) for call, packed in calls])
        # One that is about to run, or runs, ends soon, with more to find.
        unindexed = [(call.id,) for call, _ in calls if call.state not in _UNSEARCHED]
        self._put_rows(_UNINDEXED_CALL, unindexed)
        for call, packed in calls:
            self._hold(packed, call.id)

    def _call_row(self, call: Call, packed: Packed) -> tuple[object, ...]:
        result = call.result
        return (
            call.id,
            call.thread_id,
            call.tool,
            call.origin.value,
            call.state.value,
            call.created_at,
            call.started_at,
            call.finished_at,
            result is not None and result.is_error,
            result.failure.kind.value if result is not None and result.failure is not None else None,
            call.parent_call_id,
            None if call.state in _ENDED else self._owner,
            preview(call.arguments_run or call.arguments),
            preview(result_text(result)),
            packed.payload,
            packed.spilled,
        )

    def _append_events(self, events: Sequence[tuple[Event, Packed]]) -> None:
        rows: list[tuple[object, ...]] = []
        last: dict[ThreadId, int] = {}
        for event, packed in events:
            thread_id, call_id = event.thread_id, getattr(event, "call_id", None)
            if thread_id not in last:
                last[thread_id] = self._execute(_LAST_EVENT, (thread_id,)).fetchone()[0]
            last[thread_id] += 1
            rows.append((thread_id, last[thread_id], call_id, packed.payload, packed.spilled))
            self._hold(packed, call_id or thread_id)
        self._put_rows(_EVENT, rows)

    def _put_definition(self, write: PutDefinition) -> None:
        self._execute(_DEFINITION, (write.version, write.name, write.path, write.source, write.schema))

    def _set_value(self, write: SetValue) -> None:
        if write.json_text is None:
            self._execute("DELETE FROM value WHERE thread_id = ? AND key = ?", (write.thread_id, write.key))
        else:
            self._execute(_VALUE, (write.thread_id, write.key, write.json_text))

    def _put_variable(self, write: PutVariable) -> None:
        row = write.row
        if row.type is VariableType.SECRET and row.value is not None:
            raise BugError(f"The value of the secret {row.name} was about to be stored in plain.")
        kind, place = row.type.value, row.place.value
        self._execute(_VARIABLE, (row.scope.value, row.thread_id, row.name, kind, place, row.value))

    def _delete_variable(self, write: DeleteVariable) -> None:
        sql = "DELETE FROM variable WHERE scope = ? AND thread_id IS ? AND name = ?"
        self._execute(sql, (write.scope.value, write.thread_id, write.name))

    def _write_file(self, write: WriteFile, packed: Packed | None = None) -> None:
        blob = packed.blobs[0] if packed else Blob.of(write.data)
        self._remove_file(RemoveFile(write.thread_id, write.path))
        blobs.hold(self.connection, blob, deletion.file_holder(write.thread_id, write.path))
        size = (write.width, write.height)
        row = (write.thread_id, write.path, write.mime_type, len(write.data), *size, self._clock.now_us())
        self._execute(_FILE, (*row, blob.hash, write.metadata, write.thumbnail))

    def _remove_file(self, write: RemoveFile) -> None:
        deletion.delete_file(self.connection, write.thread_id, write.path)

    def _delete_message(self, write: DeleteMessage) -> None:
        deletion.delete_message(self.connection, write.message_id)

    def _delete_call(self, write: DeleteCall) -> None:
        deletion.delete_call(self.connection, write.call_id)

    def _delete_thread(self, write: DeleteThread) -> None:
        deletion.delete_thread(self.connection, write.thread_id)

    def _put_prepared(self, prepared: Prepared) -> None:
        match prepared.write:
            case PutCall(call):
                self._put_calls([(call, prepared.packed)])
            case PutMessage(message):
                self._put_messages([(message, prepared.packed)])
            case AppendEvent(event):
                self._append_events([(event, prepared.packed)])
            case WriteFile():
                self._write_file(prepared.write, prepared.packed)

    def _put_chunk(self, chunk: Chunk) -> None:
        blobs.put_chunk(self.connection, chunk)

    def _hold(self, packed: Packed, holder: str) -> None:
        for blob in packed.blobs:
            blobs.hold(self.connection, blob, holder)


@cache
def _for_rows(sql: str, rows: int, columns: int) -> str:
    """The statement for so many rows."""
    row = f"({', '.join('?' * columns)})"
    return sql.format(rows=", ".join([row] * rows))


def preview(text: str) -> str:
    """The start of a text, as a list shows it; always fit for UTF-8."""
    start = text[:PREVIEW_CHARACTERS]
    return start if start.isascii() else start.encode("utf-8", "replace").decode()


def result_text(result: ToolResult | None) -> str:
    """What a person reads first of a result."""
    if result is None:
        return ""
    if not result.text and result.failure is not None:
        return result.failure.message
    return result.text or result.json_text or ""

"""Each kind of write as prepared SQL, on the writer's connection, inside a transaction that somebody else holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.clock import Clock
from workbench.base.errors import BugError
from workbench.domain.calls import Call, CallState, ToolResult
from workbench.domain.events import CallEmitted, CallFinished, CallLogged, Event
from workbench.domain.threads import Message
from workbench.domain.variables import VariableType
from workbench.domain.writes import (
    AppendEvent,
    DeleteCall,
    DeleteMessage,
    DeleteThread,
    DeleteVariable,
    PutCall,
    PutDefinition,
    PutMessage,
    PutThread,
    PutVariable,
    RemoveFile,
    SetValue,
    Write,
    WriteFile,
)
from workbench.store import blobs, deletion
from workbench.store.blobs import INLINE_BYTES, Blob, Chunk
from workbench.store.payloads import Packed, pack

PREVIEW_CHARACTERS = 200

_ENDED = frozenset(state for state in CallState if state.is_final)

_THREAD = """
INSERT INTO thread (id, kind, created_at, payload, spilled) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, payload = excluded.payload, spilled = excluded.spilled"""

_MESSAGE = """
INSERT INTO message (id, thread_id, depth, silent, tool_call_id, payload, spilled) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET depth = excluded.depth, silent = excluded.silent,
    tool_call_id = excluded.tool_call_id, payload = excluded.payload, spilled = excluded.spilled"""

# Only what changes in the life of a call is set again: an index is touched only for a column that is named.
_CALL = """
INSERT INTO call (id, thread_id, tool, origin, state, created_at, started_at, finished_at, is_error, failure,
    parent_call_id, owner, arguments_preview, result_preview, payload, spilled)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, started_at = excluded.started_at,
    finished_at = excluded.finished_at, is_error = excluded.is_error, failure = excluded.failure,
    owner = excluded.owner, arguments_preview = excluded.arguments_preview,
    result_preview = excluded.result_preview, payload = excluded.payload, spilled = excluded.spilled"""

_UNINDEXED_MESSAGE = """
INSERT INTO unindexed (document) SELECT seq * 2 + 1 FROM message WHERE id = ?
ON CONFLICT DO UPDATE SET stamp = stamp + 1"""

_UNINDEXED_CALL = """
INSERT INTO unindexed (document) SELECT seq * 2 FROM call WHERE id = ?
ON CONFLICT DO UPDATE SET stamp = stamp + 1"""

_EVENT = """
INSERT INTO event (thread_id, number, call_id, payload, spilled)
SELECT ?1, 1 + max(coalesce((SELECT max(number) FROM event WHERE thread_id = ?1), 0),
                   coalesce((SELECT deleted_events FROM thread WHERE id = ?1), 0)), ?2, ?3, ?4"""

_DEFINITION = "INSERT OR IGNORE INTO definition (version, name, path, source, schema) VALUES (?, ?, ?, ?, ?)"

_VALUE = """
INSERT INTO value (thread_id, key, json) VALUES (?, ?, ?)
ON CONFLICT (thread_id, key) DO UPDATE SET json = excluded.json"""

_VARIABLE = """
INSERT INTO variable (scope, thread_id, name, type, place, value) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (scope, coalesce(thread_id, ''), name)
DO UPDATE SET type = excluded.type, place = excluded.place, value = excluded.value"""

_FILE = """
INSERT INTO file (thread_id, path, mime_type, size, width, height, created_at, blob)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (thread_id, path) DO UPDATE SET mime_type = excluded.mime_type, size = excluded.size,
    width = excluded.width, height = excluded.height, created_at = excluded.created_at, blob = excluded.blob"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A big write whose packing and hashing was done outside the writer's thread."""

    write: PutCall | PutMessage | AppendEvent | WriteFile
    packed: Packed
    """For a file just its one blob."""


StoreWrite = Write | Prepared | Chunk


def is_big(write: Write) -> bool:
    """Whether the write carries something that goes into a blob of its own."""
    if isinstance(write, WriteFile):
        return len(write.data) > INLINE_BYTES
    return any(text is not None and len(text) > INLINE_BYTES for text in _texts_of(write))


def prepare(write: Write) -> StoreWrite:
    """Pack and hash a big write; any other stays as it is. Any thread may do this."""
    if not is_big(write):
        return write
    match write:
        case PutCall(call):
            return Prepared(write, pack(call, _texts_of(write)))
        case PutMessage(message):
            return Prepared(write, pack(message, _texts_of(write)))
        case AppendEvent(event):
            return Prepared(write, pack(event, _texts_of(write)))
        case WriteFile(data=data):
            return Prepared(write, Packed("", None, (Blob.of(data),)))
        case _:
            return write


class Recorder:
    """Applies writes. `owner` marks this opening of the store on the calls that it runs."""

    def __init__(self, connection: sqlite3.Connection, owner: str, clock: Clock) -> None:
        self.connection = connection
        self._execute = connection.execute
        self._owner = owner
        self._clock = clock
        self._by_type: dict[type, Callable[[Any], None]] = {
            PutThread: self._put_thread,
            PutMessage: self._put_message,
            DeleteMessage: self._delete_message,
            PutCall: self._put_call,
            AppendEvent: self._append_event,
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
        }

    def apply(self, write: StoreWrite) -> None:
        self._by_type[type(write)](write)

    def _put_thread(self, write: PutThread) -> None:
        thread = write.thread
        packed = pack(thread)
        row = (thread.id, thread.kind.value, thread.created_at, packed.payload, packed.spilled)
        self._execute(_THREAD, row)
        self._hold(packed, thread.id)

    def _put_message(self, write: PutMessage, packed: Packed | None = None) -> None:
        message = write.message
        packed = packed or pack(message, (message.content,))
        row = (message.id, message.thread_id, message.depth, message.silent, message.tool_call_id)
        self._execute(_MESSAGE, (*row, packed.payload, packed.spilled))
        if message.content:
            self._execute(_UNINDEXED_MESSAGE, (message.id,))
        self._hold(packed, message.id)

    def _put_call(self, write: PutCall, packed: Packed | None = None) -> None:
        call = write.call
        result = call.result
        packed = packed or pack(call, _texts_of_call(call))
        row = (
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
        self._execute(_CALL, row)
        if call.state is not CallState.RUNNING:  # it ends soon, with more to find
            self._execute(_UNINDEXED_CALL, (call.id,))
        self._hold(packed, call.id)

    def _append_event(self, write: AppendEvent, packed: Packed | None = None) -> None:
        event = write.event
        packed = packed or pack(event, _texts_of_event(event))
        call_id = getattr(event, "call_id", None)
        self._execute(_EVENT, (event.thread_id, call_id, packed.payload, packed.spilled))
        self._hold(packed, call_id or event.thread_id)

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
        self._execute(_FILE, (*row, blob.hash))

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
            case PutCall():
                self._put_call(prepared.write, prepared.packed)
            case PutMessage():
                self._put_message(prepared.write, prepared.packed)
            case AppendEvent():
                self._append_event(prepared.write, prepared.packed)
            case WriteFile():
                self._write_file(prepared.write, prepared.packed)

    def _put_chunk(self, chunk: Chunk) -> None:
        blobs.put_chunk(self.connection, chunk)

    def _hold(self, packed: Packed, holder: str) -> None:
        for blob in packed.blobs:
            blobs.hold(self.connection, blob, holder)


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


def _texts_of(write: Write) -> Sequence[str | None]:
    match write:
        case PutCall(call):
            return _texts_of_call(call)
        case PutMessage(message):
            return _texts_of_message(message)
        case AppendEvent(event):
            return _texts_of_event(event)
        case _:
            return ()


def _texts_of_call(call: Call) -> Sequence[str | None]:
    result = call.result
    if result is None:
        return (call.arguments, call.arguments_run, call.log)
    return (call.arguments, call.arguments_run, call.log, result.text, result.json_text)


def _texts_of_message(message: Message) -> Sequence[str | None]:
    return (message.content,)


def _texts_of_event(event: Event) -> Sequence[str | None]:
    match event:
        case CallLogged():
            return (event.text,)
        case CallEmitted():
            return (event.data,)
        case CallFinished():
            return (event.result.text, event.result.json_text)
        case _:
            return ()

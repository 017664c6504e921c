"""Deletion for good: rows, what hangs on them, blobs nobody else holds, and every trace in the file itself."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from functools import partial
from time import monotonic

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import AttachmentRef, Call, Origin
from workbench.domain.threads import Message
from workbench.store import blobs, running
from workbench.store.connection import WriterConnection, transaction
from workbench.store.faults import BUSY_SECONDS
from workbench.store.payloads import pack, unpack

PARTS = 1 << 16
"""How many rows of the search index one document may have."""

_MERGE_PAGES = 64
_FREED_PAGES = 256
_STEP_SECONDS = 0.02
_LOG_WAIT_MS = 200

_DOCUMENTS = """
SELECT seq * 2 FROM call WHERE thread_id = ?1
UNION ALL SELECT seq * 2 + 1 FROM message WHERE thread_id = ?1"""

_HOLDERS = """
SELECT id FROM call WHERE thread_id = ?1
UNION SELECT call_id FROM event WHERE thread_id = ?1 AND call_id IS NOT NULL
UNION SELECT id FROM message WHERE thread_id = ?1
UNION SELECT thread_id || path FROM file WHERE thread_id = ?1
UNION SELECT thread_id || '#' || hash FROM turn WHERE thread_id = ?1
UNION SELECT thread_id || '#' || hash FROM parameters WHERE thread_id = ?1
UNION SELECT id FROM request WHERE thread_id = ?1
UNION SELECT id FROM inbox WHERE thread_id = ?1
UNION SELECT id FROM effect WHERE thread_id = ?1
UNION SELECT ?1"""


def delete_call(connection: sqlite3.Connection, call_id: CallId) -> None:
    """A call, the calls it invoked, its result message and its part of the asking one, its events and attachments."""
    row = connection.execute(
        "SELECT seq, thread_id, payload, spilled FROM call WHERE id = ?", (call_id,)
    ).fetchone()
    if row is None:
        return
    seq, thread_id, payload, spilled = row
    call = unpack(Call, (payload, spilled), lambda _hash: None)
    invoked = "SELECT id FROM call WHERE parent_call_id = ? AND origin = ?"
    for (child,) in connection.execute(invoked, (call_id, Origin.INVOKE.value)).fetchall():
        delete_call(connection, child)
    results = "SELECT id FROM message WHERE tool_call_id = ? OR id IS ?"
    for (message_id,) in connection.execute(results, (call_id, call.result_message_id)).fetchall():
        _delete_message(connection, message_id)
    if call.message_id is not None:
        _forget_sent_call(connection, call.message_id, call_id)
    _delete_attachments(connection, thread_id, call.result.attachments if call.result else (), but=call_id)
    connection.execute(
        "UPDATE thread SET deleted_events = max(deleted_events,"
        " coalesce((SELECT max(number) FROM event WHERE call_id = ?), 0)) WHERE id = ?",
        (call_id, thread_id),
    )
    connection.execute("DELETE FROM event WHERE call_id = ?", (call_id,))
    connection.execute("DELETE FROM call WHERE seq = ?", (seq,))
    _forget_document(connection, seq * 2)
    blobs.release(connection, call_id)
    note_traces(connection)


def delete_message(connection: sqlite3.Connection, message_id: MessageId) -> None:
    """A message with the attachments that nothing else carries."""
    sql = "SELECT payload, spilled FROM message WHERE id = ?"
    row = connection.execute(sql, (message_id,)).fetchone()
    if row is None:
        return
    message = unpack(Message, (row[0], row[1]), lambda _hash: None)
    _delete_message(connection, message_id)
    _delete_attachments(connection, message.thread_id, message.attachments)
    note_traces(connection)


def delete_thread(connection: sqlite3.Connection, thread_id: ThreadId) -> None:
    """A thread with its calls, messages, events, values, variables and files."""
    of_thread = (thread_id,)
    for (document,) in connection.execute(_DOCUMENTS, of_thread).fetchall():
        _forget_document(connection, document)
    for (holder,) in connection.execute(_HOLDERS, of_thread).fetchall():
        blobs.release(connection, holder)
    connection.execute("DELETE FROM thread WHERE id = ?", (thread_id,))
    note_traces(connection)


def delete_file(connection: sqlite3.Connection, thread_id: ThreadId, path: str) -> None:
    connection.execute("DELETE FROM file WHERE thread_id = ? AND path = ?", (thread_id, path))
    blobs.release(connection, file_holder(thread_id, path))


def file_holder(thread_id: ThreadId, path: str) -> str:
    """The name under which a thread's file holds its blob."""
    return f"{thread_id}{path}"


def note_traces(connection: sqlite3.Connection) -> None:
    """Remember, in the transaction that deletes, that the file is to be tidied; also after a crash."""
    connection.execute("INSERT INTO meta VALUES ('traces', 'new') ON CONFLICT DO UPDATE SET value = 'new'")


def tidy(connection: WriterConnection) -> bool:
    """One step, some milliseconds long, of removing what deletions left in the file; False when there is no more to do.

    The index keeps deleted words until its segments are merged, free pages at the end of the file go back to
    the disk, and the log keeps old pages until it is emptied. While somebody else reads an older state the log
    cannot be: the traces stay noted and go when the next tidying comes.
    """
    row = connection.execute("SELECT value FROM meta WHERE key = 'traces'").fetchone()
    if row is None:
        return False
    with transaction(connection):
        if row[0] == "new":
            _merge(connection, -_MERGE_PAGES)  # negative: begin a merge of everything
            connection.execute("UPDATE meta SET value = 'merging' WHERE key = 'traces'")
        until = monotonic() + _STEP_SECONDS
        while more := _merge(connection, _MERGE_PAGES) or _give_back(connection):
            if monotonic() > until:
                break
    if more:
        return True
    if _empty_the_log(connection):
        with transaction(connection):
            connection.execute("DELETE FROM meta WHERE key = 'traces' AND value = 'merging'")
    return False


def _merge(connection: sqlite3.Connection, pages: int) -> bool:
    """Merge segments of the index for about so many pages; whether there was anything to merge."""
    before = connection.total_changes
    connection.execute("INSERT INTO search (search, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes - before >= 2


def _give_back(connection: sqlite3.Connection) -> bool:
    """Cut free pages off the end of the file; whether there were any."""
    free: int = connection.execute("PRAGMA freelist_count").fetchone()[0]
    connection.execute(f"PRAGMA incremental_vacuum({_FREED_PAGES})").fetchall()
    return connection.execute("PRAGMA freelist_count").fetchone()[0] < free


def _empty_the_log(connection: sqlite3.Connection) -> bool:
    connection.execute(f"PRAGMA busy_timeout={_LOG_WAIT_MS}")
    try:
        return connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    finally:
        connection.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")


def _delete_message(connection: sqlite3.Connection, message_id: str) -> None:
    row = connection.execute("DELETE FROM message WHERE id = ? RETURNING seq", (message_id,)).fetchone()
    if row is not None:
        _forget_document(connection, row[0] * 2 + 1)
        blobs.release(connection, message_id)
        running.forget_turns(connection, message_id)


def _forget_sent_call(connection: sqlite3.Connection, message_id: str, call_id: CallId) -> None:
    """Take a call out of the message that asked for it; a message that says nothing else goes."""
    sql = "SELECT payload, spilled, seq FROM message WHERE id = ?"
    row = connection.execute(sql, (message_id,)).fetchone()
    if row is None:
        return
    message = unpack(Message, (row[0], row[1]), partial(blobs.read, connection))
    kept = tuple(sent for sent in message.tool_calls if sent.id != call_id)
    if not kept and not message.content:
        _delete_message(connection, message_id)
        return
    packed = pack(message.model_copy(update={"tool_calls": kept}))
    blobs.release(connection, message_id)
    running.forget_turns(connection, message_id)
    for blob in packed.blobs:
        blobs.hold(connection, blob, message_id)
    update = "UPDATE message SET payload = ?, spilled = ? WHERE id = ?"
    connection.execute(update, (packed.payload, packed.spilled, message_id))


def _delete_attachments(
    connection: sqlite3.Connection, thread_id: ThreadId, attachments: Iterable[AttachmentRef], but: str = ""
) -> None:
    """The attached files that no message and no other call (`but` the one that goes) carries, too."""
    for attachment in attachments:
        path = attachment.path
        if path.startswith("/attachments/") and not _is_referred_to(connection, thread_id, path, but):
            delete_file(connection, thread_id, path)


def _is_referred_to(connection: sqlite3.Connection, thread_id: ThreadId, path: str, but: str) -> bool:
    """Whether another call or message of the thread carries the file."""
    carries = "(instr(payload, ?2) OR instr(payload, ?3))"  # JSON has two spellings of what is not ASCII
    found = connection.execute(
        f"SELECT 1 FROM message WHERE thread_id = ?1 AND {carries}"  # noqa: S608
        f" UNION ALL SELECT 1 FROM call WHERE thread_id = ?1 AND id <> ?4 AND {carries} LIMIT 1",
        (thread_id, json.dumps(path), json.dumps(path, ensure_ascii=False), but),
    )
    return found.fetchone() is not None


def _forget_document(connection: sqlite3.Connection, document: int) -> None:
    """The indexer takes it out: a long one step by step."""
    connection.execute(
        "INSERT INTO unindexed (document) VALUES (?) ON CONFLICT DO UPDATE SET stamp = stamp + 1", (document,)
    )

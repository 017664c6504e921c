"""What lists and views ask, as queries on a read-only connection; each is exhausted before it answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import Call, CallState, FailureKind, Origin
from workbench.domain.pages import CallFilter, CallPage, CallSummary, Hit
from workbench.domain.threads import Message, MessagePage, Thread, ThreadKind
from workbench.domain.variables import Place, Scope, VariableRow, VariableType
from workbench.engine.ports import PartOfFile, StoredFile
from workbench.store import blobs
from workbench.store.connection import one_state
from workbench.store.payloads import unpack, unpack_json

_NEWEST = 2**63 - 1

SUMMARY = (
    "call.seq, call.id, call.thread_id, call.tool, call.origin, call.state, call.created_at, call.started_at,"
    " call.finished_at, call.is_error, call.failure, call.parent_call_id, call.arguments_preview,"
    " call.result_preview, json_extract(call.payload, '$.data.stubbed'),"
    " json_extract(call.payload, '$.data.copyOf') IS NOT NULL"
)


def fetcher(connection: sqlite3.Connection) -> Callable[[str], bytes | None]:
    """Where `unpack` gets blobs from."""
    return partial(blobs.read, connection)


def project_id(connection: sqlite3.Connection) -> str:
    return connection.execute("SELECT value FROM meta WHERE key = 'project_id'").fetchone()[0]


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes when another connection has written."""
    return connection.execute("PRAGMA data_version").fetchone()[0]


def thread(connection: sqlite3.Connection, thread_id: ThreadId) -> Thread | None:
    row = connection.execute("SELECT payload, spilled FROM thread WHERE id = ?", (thread_id,)).fetchone()
    return None if row is None else unpack(Thread, row, fetcher(connection))


def bench_thread(connection: sqlite3.Connection) -> Thread | None:
    """The oldest one: two programs may have made one each at the same moment."""
    sql = "SELECT payload, spilled FROM thread WHERE kind = ? ORDER BY created_at, seq LIMIT 1"
    row = connection.execute(sql, (ThreadKind.BENCH.value,)).fetchone()
    return None if row is None else unpack(Thread, row, fetcher(connection))


def threads(connection: sqlite3.Connection, kind: ThreadKind | None) -> Sequence[Thread]:
    where, values = ("WHERE kind = ?", (kind.value,)) if kind is not None else ("", ())
    sql = f"SELECT payload, spilled FROM thread {where} ORDER BY created_at DESC, seq DESC"  # noqa: S608
    fetch = fetcher(connection)
    return [unpack(Thread, row, fetch) for row in connection.execute(sql, values).fetchall()]


def session(connection: sqlite3.Connection, channel: str, key: str) -> Thread | None:
    """The thread that was begun on this channel under this key, which is no empty one."""
    sql = "SELECT payload, spilled FROM thread WHERE channel = ? AND channel_key = ? AND channel_key <> ''"
    row = connection.execute(sql, (channel, key)).fetchone()
    return None if row is None else unpack(Thread, row, fetcher(connection))


def call(connection: sqlite3.Connection, call_id: CallId) -> Call | None:
    row = connection.execute("SELECT payload, spilled FROM call WHERE id = ?", (call_id,)).fetchone()
    return None if row is None else unpack(Call, row, fetcher(connection))


def calls_of(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[Call]:
    sql = "SELECT payload, spilled FROM call WHERE thread_id = ? ORDER BY seq"
    fetch = fetcher(connection)
    return [unpack(Call, row, fetch) for row in connection.execute(sql, (thread_id,)).fetchall()]


def conditions(filter: CallFilter) -> tuple[str, list[object]]:
    """The filter without its text, as SQL conditions that each begin with AND."""
    sql = ""
    values: list[object] = []
    for column, wanted in (
        ("tool", (filter.tool,) if filter.tool is not None else ()),
        ("thread_id", (filter.thread_id,) if filter.thread_id is not None else ()),
        ("state", tuple(state.value for state in filter.states)),
        ("origin", tuple(origin.value for origin in filter.origins)),
    ):
        if wanted:
            sql += f" AND call.{column} IN ({', '.join('?' * len(wanted))})"
        values += wanted
    for comparison, bound in ((">=", filter.since), ("<", filter.before)):
        if bound is not None:
            sql += f" AND call.created_at {comparison} ?"
            values.append(bound)
    return sql, values


def calls(connection: sqlite3.Connection, filter: CallFilter, limit: int, key: str | None) -> CallPage:
    """One page, newest first. A key is the place in the order where the page before it ended.

    The page is found in the index alone, whatever the filter; only its rows are looked at.
    """
    created, seq = map(int, key.split("-")) if key is not None else (_NEWEST, _NEWEST)
    where, values = conditions(filter)
    found = f"""
        SELECT seq FROM call INDEXED BY call_by_time WHERE (created_at, seq) < (?, ?){where}
        ORDER BY created_at DESC, seq DESC LIMIT ?"""  # noqa: S608
    sql = f"SELECT {SUMMARY} FROM call WHERE seq IN ({found}) ORDER BY created_at DESC, seq DESC"  # noqa: S608
    rows = connection.execute(sql, (created, seq, *values, limit + 1)).fetchall()
    page = rows[:limit]
    key = f"{page[-1][6]}-{page[-1][0]}" if len(rows) > limit else None
    return CallPage(rows=tuple(map(summary, page)), next_key=key)


def summary(row: Sequence[Any], hit: Hit | None = None) -> CallSummary:
    """A list's line of a row of SUMMARY."""
    (
        _,
        call_id,
        thread_id,
        tool,
        origin,
        state,
        created,
        started,
        finished,
        is_error,
        failure,
        parent_call_id,
        asked,
        result,
        stubbed,
        is_copy,
    ) = row
    return CallSummary.model_validate(
        {
            "id": call_id,
            "thread_id": thread_id,
            "tool": tool,
            "origin": Origin(origin),
            "state": CallState(state),
            "created_at": created,
            "started_at": started,
            "duration_ms": (finished - started) // 1000 if finished and started else None,
            "is_error": bool(is_error),
            "failure": None if failure is None else FailureKind(failure),
            "parent_call_id": parent_call_id,
            "arguments_preview": asked,
            "result_preview": result,
            "stubbed": bool(stubbed),
            "is_copy": bool(is_copy),
            "hit": hit,
        }
    )


def count_calls(connection: sqlite3.Connection, filter: CallFilter) -> int:
    where, values = conditions(filter)
    sql = f"SELECT count(*) FROM call INDEXED BY call_by_time WHERE created_at <= {_NEWEST}{where}"  # noqa: S608
    return connection.execute(sql, values).fetchone()[0]


def events(connection: sqlite3.Connection, thread_id: ThreadId, call_id: CallId | None) -> Sequence[str]:
    if call_id is None:
        where, values = "thread_id = ?", (thread_id,)
    else:
        where, values = "thread_id = ? AND call_id = ?", (thread_id, call_id)
    sql = f"SELECT payload, spilled FROM event WHERE {where} ORDER BY number"  # noqa: S608
    fetch = fetcher(connection)
    return [unpack_json(row, fetch) for row in connection.execute(sql, values).fetchall()]


def events_after(
    connection: sqlite3.Connection, thread_id: ThreadId, number: int, limit: int
) -> Sequence[tuple[int, str]]:
    sql = """
        SELECT number, payload, spilled FROM event WHERE thread_id = ? AND number > ? ORDER BY number LIMIT ?"""
    rows = connection.execute(sql, (thread_id, number, limit)).fetchall()
    fetch = fetcher(connection)
    return [(row[0], unpack_json((row[1], row[2]), fetch)) for row in rows]


_MOVES = """
SELECT number, json_extract(payload, '$.data.status') = 'running' FROM event
WHERE thread_id = ? AND json_extract(payload, '$.data.type') = 'thread_moved' ORDER BY number DESC"""


def run_began(connection: sqlite3.Connection, thread_id: ThreadId) -> int:
    """The number behind which a thread's events are those of its last run; with none that of its last event."""
    began: int | None = None
    for number, to_work in connection.execute(_MOVES, (thread_id,)):
        if to_work:
            began = number - 1
        elif began is not None:
            break
    if began is not None:
        return began
    last = connection.execute("SELECT max(number) FROM event WHERE thread_id = ?", (thread_id,)).fetchone()[0]
    return last or 0


def message(connection: sqlite3.Connection, message_id: MessageId) -> Message | None:
    row = connection.execute("SELECT payload, spilled FROM message WHERE id = ?", (message_id,)).fetchone()
    return None if row is None else unpack(Message, row, fetcher(connection))


def messages(
    connection: sqlite3.Connection,
    thread_id: ThreadId,
    *,
    limit: int,
    offset: int,
    descending: bool,
    include_silent: bool,
    max_depth: int,
) -> MessagePage:
    """T3."""
    where = "thread_id = ? AND depth <= ?" + ("" if include_silent else " AND silent = 0")
    values = (thread_id, max_depth)
    with one_state(connection):
        total: int = connection.execute(f"SELECT count(*) FROM message WHERE {where}", values).fetchone()[0]  # noqa: S608
        order = "DESC" if descending else "ASC"
        sql = f"SELECT payload, spilled FROM message WHERE {where} ORDER BY seq {order} LIMIT ? OFFSET ?"  # noqa: S608
        fetch = fetcher(connection)
        rows = connection.execute(sql, (*values, limit, offset)).fetchall()
        page = tuple(unpack(Message, row, fetch) for row in rows)
    return MessagePage(messages=page, total=total, has_more=offset + len(page) < total)


def value(connection: sqlite3.Connection, thread_id: ThreadId, key: str) -> str | None:
    sql = "SELECT json FROM value WHERE thread_id = ? AND key = ?"
    row = connection.execute(sql, (thread_id, key)).fetchone()
    return None if row is None else row[0]


def values(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[tuple[str, str]]:
    sql = "SELECT key, json FROM value WHERE thread_id = ? ORDER BY key"
    return connection.execute(sql, (thread_id,)).fetchall()


def files(connection: sqlite3.Connection, thread_id: ThreadId, prefix: str) -> Sequence[StoredFile]:
    sql = (
        "SELECT path, size, mime_type, created_at, width, height, metadata FROM file"
        " WHERE thread_id = ? AND substr(path, 1, length(?)) = ? ORDER BY path"
    )
    rows = connection.execute(sql, (thread_id, prefix, prefix)).fetchall()
    return [StoredFile(*row) for row in rows]


def read_file(connection: sqlite3.Connection, thread_id: ThreadId, path: str) -> bytes | None:
    sql = "SELECT blob FROM file WHERE thread_id = ? AND path = ?"
    row = connection.execute(sql, (thread_id, path)).fetchone()
    return None if row is None else blobs.read(connection, row[0])


def read_part(
    connection: sqlite3.Connection, thread_id: ThreadId, path: str, index: int
) -> PartOfFile | None:
    sql = "SELECT blob, size FROM file WHERE thread_id = ? AND path = ?"
    row = connection.execute(sql, (thread_id, path)).fetchone()
    if row is None:
        return None
    digest, size = row
    chunk = "SELECT data FROM chunk WHERE hash = ? AND number = ?"
    found = connection.execute(chunk, (digest, index)).fetchone()
    return PartOfFile(found[0] if found else b"", index, -(-size // blobs.CHUNK_BYTES), digest)


def read_thumbnail(connection: sqlite3.Connection, thread_id: ThreadId, path: str) -> bytes | None:
    sql = "SELECT thumbnail FROM file WHERE thread_id = ? AND path = ?"
    row = connection.execute(sql, (thread_id, path)).fetchone()
    return None if row is None else row[0]


def variables(connection: sqlite3.Connection) -> Sequence[VariableRow]:
    sql = "SELECT scope, name, type, value, place, thread_id FROM variable ORDER BY scope, name, thread_id"
    return [
        VariableRow(
            scope=Scope(scope),
            name=name,
            type=VariableType(kind),
            value=value,
            place=Place(place),
            thread_id=thread_id,
        )
        for scope, name, kind, value, place, thread_id in connection.execute(sql).fetchall()
    ]


def definition(connection: sqlite3.Connection, version: str) -> tuple[str, str] | None:
    sql = "SELECT source, schema FROM definition WHERE version = ?"
    return connection.execute(sql, (version,)).fetchone()

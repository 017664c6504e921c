"""What running threads leave beside messages and calls: model requests, what waits in the inbox, effects."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.model_requests import ModelRequest, TextPart, Turn, UserTurn
from workbench.domain.models import Provider
from workbench.domain.pages import CallSummary, ConversationPage
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Inbound, Message, Thread
from workbench.domain.value import Value
from workbench.domain.writes import PlaceMessage, PutEffect, PutInbound, PutRequest, TakeInbound
from workbench.engine.ports import Snapshot
from workbench.store import blobs
from workbench.store.connection import one_state
from workbench.store.histories import Histories
from workbench.store.owners import Owner
from workbench.store.payloads import Packed, pack, unpack
from workbench.store.reads import SUMMARY, fetcher, summary

DELETED = UserTurn(content=(TextPart(text="[deleted]"),))
"""What a request shows in the place of a turn whose message was deleted for good."""

_REQUEST = """
INSERT INTO request (id, thread_id, message_id, parent_call_id, conversation, created_at, state, payload, spilled,
    turns, parameters)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id, state = excluded.state,
    payload = excluded.payload, spilled = excluded.spilled"""

_TURN = """
INSERT OR IGNORE INTO turn (thread_id, hash, before, message_id, payload, spilled) VALUES (?, ?, ?, ?, ?, ?)"""

_PARAMETERS = "INSERT OR IGNORE INTO parameters (thread_id, hash, payload, spilled) VALUES (?, ?, ?, ?)"

_ASKED_ELSEWHERE = """
SELECT thread.id, request.id, thread.owner FROM thread JOIN request ON request.thread_id = thread.id
JOIN parameters ON parameters.thread_id = thread.id AND parameters.hash = request.parameters
WHERE thread.owner IS NOT NULL AND thread.owner <> ? AND request.state = ?
 AND json_extract(parameters.payload, '$.data.provider') = ? ORDER BY request.seq"""

_TURNS = """
WITH RECURSIVE sent (place, hash, before, payload, spilled) AS (
    SELECT 0, hash, before, payload, spilled FROM turn WHERE thread_id = ?1 AND hash = ?2
    UNION ALL SELECT place + 1, turn.hash, turn.before, turn.payload, turn.spilled FROM sent
    JOIN turn ON turn.thread_id = ?1 AND turn.hash = sent.before)
SELECT payload, spilled FROM sent ORDER BY place DESC"""


IS_WISH = """
(json_extract(inbox.payload, '$.data.stop') OR json_extract(inbox.payload, '$.data.decision') IS NOT NULL
 OR json_extract(inbox.payload, '$.data.answer') IS NOT NULL)"""
"""Whether a row of the inbox is for the process that runs the thread, not for the thread."""

_REMEMBERED = 256
"""Threads whose last request is remembered."""


class SentTurn(Value):
    """One turn as its row holds it."""

    content: Turn


# --- writing -----------------------------------------------------------------------------------------------


class _Last(NamedTuple):
    """What a thread's last request sent, and under which hashes it is kept."""

    turns: tuple[Turn, ...] = ()
    hashes: Sequence[str] = ()
    rest: ModelRequest | None = None
    parameters: tuple[str, Packed] = ("", Packed(""))


class AskedTurns:
    """Keeps what requests sent. It knows what each thread sent last, of which the next request repeats the most."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._last: dict[ThreadId, _Last] = {}

    def put(self, write: PutRequest) -> None:
        """A request's row; with what was asked, the first time: the turns as a chain that requests share."""
        request, asked = write.request, write.asked
        head, parameters = None, None
        if asked is not None:
            head, parameters = self._put_asked(request.thread_id, asked, write.asked_of)
        put_request(self._connection, request, head, parameters)

    def _put_asked(
        self, thread_id: ThreadId, asked: ModelRequest, asked_of: Sequence[MessageId | None]
    ) -> tuple[str, str]:
        """The hashes of the last turn and of the other parameters."""
        last = self._last.pop(thread_id, _Last())
        hashes = self._put_turns(thread_id, asked.turns, asked_of, last)
        rest = asked.model_copy(update={"turns": ()})
        parameters = last.parameters if rest == last.rest else _hashed("", rest)
        _put_hashed(self._connection, thread_id, *parameters, _PARAMETERS)
        self._last[thread_id] = _Last(asked.turns, hashes, rest, parameters)
        if len(self._last) > _REMEMBERED:
            del self._last[next(iter(self._last))]
        return hashes[-1] if hashes else "", parameters[0]

    def _put_turns(
        self, thread_id: ThreadId, turns: Sequence[Turn], asked_of: Sequence[MessageId | None], last: _Last
    ) -> list[str]:
        hashes = self._known(thread_id, turns, last)
        same = len(hashes)
        for turn, message_id in zip(turns[same:], asked_of[same:], strict=True):
            head = hashes[-1] if hashes else ""
            hashes.append(put_turn(self._connection, thread_id, head, turn, message_id))
        return hashes

    def _known(self, thread_id: ThreadId, turns: Sequence[Turn], last: _Last) -> list[str]:
        """The hashes of the turns that the thread's last request began with, too."""
        same = 0
        for before, turn in zip(last.turns, turns, strict=False):
            if before is not turn and before != turn:
                break
            same += 1
        if same == 0:
            return []
        # A transaction that was taken back, or a deletion, may have removed what is remembered.
        sql = "SELECT 1 FROM turn WHERE thread_id = ? AND hash = ?"
        there = self._connection.execute(sql, (thread_id, last.hashes[same - 1])).fetchone()
        return list(last.hashes[:same]) if there else []


def put_request(
    connection: sqlite3.Connection, request: Request, head: str | None, parameters: str | None
) -> None:
    """A request's row. `head` and `parameters` are the hashes of what it sent, looked at the first time only."""
    packed = pack(request)
    ids = (request.id, request.thread_id, request.message_id, request.parent_call_id)
    state = (request.conversation, request.created_at, request.state.value)
    row = (*ids, *state, packed.payload, packed.spilled, head, parameters)
    connection.execute(_REQUEST, row)
    for blob in packed.blobs:
        blobs.hold(connection, blob, request.id)


def put_turn(
    connection: sqlite3.Connection, thread_id: ThreadId, head: str, turn: Turn, message_id: MessageId | None
) -> str:
    """A turn behind the one with the hash `head`, "" for the first; its own hash."""
    digest, packed = _hashed(head, SentTurn(content=turn))
    _put_hashed(connection, thread_id, digest, packed, _TURN, head, message_id)
    return digest


def put_deleted_turn(
    connection: sqlite3.Connection, thread_id: ThreadId, head: str, digest: str, message_id: MessageId | None
) -> None:
    """A turn of which only its hash is left, so that those behind it are found."""
    connection.execute(_TURN, (thread_id, digest, head, message_id, None, None))


def put_parameters(connection: sqlite3.Connection, thread_id: ThreadId, rest: ModelRequest) -> str:
    """What a request sends beside its turns; its hash."""
    digest, packed = _hashed("", rest)
    _put_hashed(connection, thread_id, digest, packed, _PARAMETERS)
    return digest


def _put_hashed(
    connection: sqlite3.Connection, thread_id: ThreadId, digest: str, packed: Packed, sql: str, *more: object
) -> None:
    connection.execute(sql, (thread_id, digest, *more, packed.payload, packed.spilled))
    for blob in packed.blobs:
        blobs.hold(connection, blob, turn_holder(thread_id, digest))


def _hashed(head: str, value: Value) -> tuple[str, Packed]:
    """A value's row, and the hash of it and of what came before it; what lies apart is named in the row by its hash."""
    packed = pack(value)
    return hashlib.sha256(f"{head}{packed.payload}{packed.spilled}".encode()).hexdigest(), packed


def turn_holder(thread_id: ThreadId, hash: str) -> str:
    """The name under which a turn, or a request's parameters, holds its blobs."""
    return f"{thread_id}#{hash}"


def forget_turns(connection: sqlite3.Connection, message_id: str) -> None:
    """A message is deleted for good: what requests sent of it goes, too."""
    sql = "UPDATE turn SET payload = NULL, spilled = NULL WHERE message_id = ? RETURNING thread_id, hash"
    for thread_id, digest in connection.execute(sql, (message_id,)).fetchall():
        blobs.release(connection, turn_holder(thread_id, digest))


def put_inbound(connection: sqlite3.Connection, write: PutInbound) -> None:
    packed = pack(write.inbound)
    sql = "INSERT OR IGNORE INTO inbox (id, thread_id, payload, spilled) VALUES (?, ?, ?, ?)"
    row = (write.inbound.id, write.inbound.thread_id, packed.payload, packed.spilled)
    connection.execute(sql, row)
    for blob in packed.blobs:
        blobs.hold(connection, blob, write.inbound.id)


def take_inbound(connection: sqlite3.Connection, write: TakeInbound) -> None:
    connection.execute("DELETE FROM inbox WHERE id = ?", (write.inbound_id,))
    blobs.release(connection, write.inbound_id)


def place_message(connection: sqlite3.Connection, write: PlaceMessage) -> None:
    """Each message from that place on takes the place of the next, and the moved one, the last, the first of them."""
    found = connection.execute("SELECT thread_id, seq FROM message WHERE id = ?", (write.before,)).fetchone()
    if found is None:
        return
    sql = "SELECT seq FROM message WHERE thread_id = ? AND seq >= ? ORDER BY seq"
    places = [row[0] for row in connection.execute(sql, found).fetchall()]
    connection.execute("UPDATE message SET seq = -seq WHERE thread_id = ? AND seq >= ?", found)
    moved = zip((places[-1], *places), places, strict=False)
    connection.executemany("UPDATE message SET seq = ?2 WHERE seq = -?1", moved)
    again = "INSERT INTO unindexed (document) VALUES (?) ON CONFLICT DO UPDATE SET stamp = stamp + 1"
    connection.executemany(again, [(place * 2 + 1,) for place in places])


def put_effect(connection: sqlite3.Connection, write: PutEffect) -> None:
    effect = write.effect
    packed = pack(effect)
    sql = (
        "INSERT INTO effect (id, thread_id, name, due_at, state, payload, spilled) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, state = excluded.state,"
        " payload = excluded.payload, spilled = excluded.spilled"
    )
    ids = (effect.id, effect.thread_id, effect.name)
    connection.execute(sql, (*ids, effect.due_at, effect.state.value, packed.payload, packed.spilled))
    for blob in packed.blobs:
        blobs.hold(connection, blob, effect.id)


# --- reading -----------------------------------------------------------------------------------------------


def requests(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[Request]:
    """Of one thread, oldest first."""
    sql = "SELECT payload, spilled FROM request WHERE thread_id = ? ORDER BY seq"
    return [
        unpack(Request, row, fetcher(connection)) for row in connection.execute(sql, (thread_id,)).fetchall()
    ]


def snapshot(
    connection: sqlite3.Connection,
    histories: Histories,
    thread_id: ThreadId,
    conversation: str,
    since: MessageId | None,
) -> Snapshot:
    """What the next request of a conversation is made of."""
    answered = "SELECT count(*) FROM request WHERE thread_id = ? AND conversation = ? AND state = ?"
    # A stop that another process wishes is for the turn, too; an answer is for who asks for it.
    waits = "SELECT EXISTS (SELECT 1 FROM inbox WHERE thread_id = ? AND json_extract(payload, '$.data.answer') IS NULL)"
    with one_state(connection):
        history = histories.read(connection, thread_id, since)
        count = (thread_id, conversation, RequestState.ANSWERED.value)
        answers = connection.execute(answered, count).fetchone()[0]
        is_written_to = bool(connection.execute(waits, (thread_id,)).fetchone()[0])
    return Snapshot(history, answers, is_written_to)


def questions_elsewhere(
    connection: sqlite3.Connection, owner: Owner
) -> Sequence[tuple[ThreadId, RequestId, ModelRequest]]:
    """What waits for a person who is the model in threads that other living openings run, oldest first."""
    others = owner.others()
    if not others:
        return ()
    asking = (owner.token, RequestState.RUNNING.value, Provider.HUMAN.value)
    rows = connection.execute(_ASKED_ELSEWHERE, asking).fetchall()
    found = [(row[0], row[1], asked(connection, row[1])) for row in rows if row[2] in others]
    return [
        (thread_id, request_id, request) for thread_id, request_id, request in found if request is not None
    ]


def asked(connection: sqlite3.Connection, request_id: RequestId) -> ModelRequest | None:
    """What a request sent, built again; None for one that is not there."""
    sql = (
        "SELECT request.thread_id, request.turns, parameters.payload, parameters.spilled FROM request"
        " JOIN parameters ON parameters.thread_id = request.thread_id AND parameters.hash = request.parameters"
        " WHERE request.id = ?"
    )
    row = connection.execute(sql, (request_id,)).fetchone()
    if row is None:
        return None
    thread_id, head, *rest = row
    fetch = fetcher(connection)
    turns = tuple(
        DELETED if payload is None else unpack(SentTurn, (payload, spilled), fetch).content
        for payload, spilled in connection.execute(_TURNS, (thread_id, head)).fetchall()
    )
    return unpack(ModelRequest, (rest[0], rest[1]), fetch).model_copy(update={"turns": turns})


def last_turns(connection: sqlite3.Connection, thread_id: ThreadId) -> Mapping[RequestId, Turn]:
    """What each request of a thread ended with, of those that sent something that is still there."""
    sql = (
        "SELECT request.id, turn.payload, turn.spilled FROM request"
        " JOIN turn ON turn.thread_id = request.thread_id AND turn.hash = request.turns"
        " WHERE request.thread_id = ? AND turn.payload IS NOT NULL"
    )
    fetch = fetcher(connection)
    return {
        request_id: unpack(SentTurn, (payload, spilled), fetch).content
        for request_id, payload, spilled in connection.execute(sql, (thread_id,)).fetchall()
    }


def conversation(
    connection: sqlite3.Connection, thread_id: ThreadId, before: MessageId | None, limit: int
) -> ConversationPage:
    """The messages that come before one, or the last ones, with a line for each call that they carry."""
    sql = "SELECT payload, spilled FROM message WHERE thread_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
    with one_state(connection):
        found = connection.execute("SELECT seq FROM message WHERE id = ?", (before,)).fetchone()
        rows = connection.execute(sql, (thread_id, found[0] if found else 2**63 - 1, limit + 1)).fetchall()
        fetch = fetcher(connection)
        messages = [unpack(Message, row, fetch) for row in reversed(rows[:limit])]
        carried = [call.id for message in messages for call in message.tool_calls]
        calls = [
            line
            for start in range(0, len(carried), 500)
            for line in _lines(connection, carried[start : start + 500])
        ]
    return ConversationPage(messages=tuple(messages), calls=tuple(calls), has_more=len(rows) > limit)


def _lines(connection: sqlite3.Connection, ids: Sequence[CallId]) -> list[CallSummary]:
    sql = f"SELECT {SUMMARY} FROM call WHERE id IN ({', '.join('?' * len(ids))})"  # noqa: S608
    return [summary(row) for row in connection.execute(sql, ids).fetchall()]


def children(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[Thread]:
    """The threads right below a thread, oldest first."""
    sql = "SELECT payload, spilled FROM thread WHERE parent_id = ? ORDER BY created_at, seq"
    return [
        unpack(Thread, row, fetcher(connection)) for row in connection.execute(sql, (thread_id,)).fetchall()
    ]


def inbox(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[Inbound]:
    """What waits for a thread, in the order in which it came."""
    sql = "SELECT payload, spilled FROM inbox WHERE thread_id = ? ORDER BY seq"
    return [
        unpack(Inbound, row, fetcher(connection)) for row in connection.execute(sql, (thread_id,)).fetchall()
    ]

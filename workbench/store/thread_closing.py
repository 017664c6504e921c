"""Closing the threads whose process is gone: stopped in words, with nothing left open in them (T9)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from workbench.domain.events import ThreadMoved
from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Message, MessageStatus, Role, Thread, ThreadStatus
from workbench.domain.writes import AppendEvent, PutMessage, PutRequest, PutThread, Write
from workbench.store.payloads import unpack
from workbench.store.reads import fetcher
from workbench.store.running import IS_WISH
from workbench.store.writes import Recorder

ENDED_UNDER_IT = "Workbench ended while the thread was at work. Continue it, or write to it."
ENDED_BEFORE_IT = "Workbench ended before the thread took up what was sent to it. Continue it."

ENDED = "Workbench ended"
"""What mostly cuts off a thread or a call."""

_HELD = """
SELECT payload, spilled, owner FROM thread WHERE owner IS NOT NULL AND status <> 'terminated' ORDER BY seq"""
_LET_GO = "UPDATE thread SET owner = NULL WHERE id = ?"
_UNREAD = f"""
SELECT payload, spilled FROM thread WHERE owner IS NULL AND status IN ('idle', 'awaiting_human')
AND id IN (SELECT thread_id FROM inbox WHERE NOT {IS_WISH}) ORDER BY seq"""  # noqa: S608
_WAITS = f"SELECT 1 FROM inbox WHERE thread_id = ? AND NOT {IS_WISH} LIMIT 1"  # noqa: S608
_UNANSWERED = "SELECT payload, spilled FROM request WHERE thread_id = ? AND state = ?"
_HEARD_OF = """
SELECT json_extract(payload, '$.data.at') FROM event WHERE thread_id = ? ORDER BY number DESC LIMIT 1"""
_PENDING = """
SELECT payload, spilled FROM message WHERE thread_id = ?
AND json_extract(payload, '$.data.status') = 'pending' ORDER BY seq"""


def close_threads(recorder: Recorder, alive: Collection[str], now_us: int) -> Sequence[Thread]:
    """Close every thread whose opening is not among those alive, inside a transaction, after its calls (C7).

    Gives the threads as they now are. What waits in an inbox waits on. One that was only held at rest, by a call or to
    be changed, is as it was, unless it was written to.
    """
    connection = recorder.connection
    rows = connection.execute(_HELD).fetchall()
    fetch = fetcher(connection)
    dead = [unpack(Thread, row[:2], fetch) for row in rows if row[2] not in alive]
    for thread in dead:
        connection.execute(_LET_GO, (thread.id,))
    under_way = [close_thread(recorder, thread, now_us) for thread in dead if thread.status.is_under_way]
    unread = [thread for thread in dead if not thread.status.is_under_way and _is_unread(connection, thread)]
    return [*under_way, *(close_thread(recorder, thread, now_us, ENDED_BEFORE_IT) for thread in unread)]


def _is_unread(connection: sqlite3.Connection, thread: Thread) -> bool:
    return connection.execute(_WAITS, (thread.id,)).fetchone() is not None


def close_unread(recorder: Recorder, now_us: int) -> Sequence[Thread]:
    """Threads that nobody runs and that have not taken up what was sent to them: stopped, so that it can be seen."""
    connection = recorder.connection
    fetch = fetcher(connection)
    return [
        close_thread(recorder, unpack(Thread, row, fetch), now_us, ENDED_BEFORE_IT)
        for row in connection.execute(_UNREAD).fetchall()
    ]


def close_thread(
    recorder: Recorder, abandoned: Thread, now_us: int, words: str = ENDED_UNDER_IT, cause: str = ENDED
) -> Thread:
    """Nothing of it is open any more: requests, messages, the thread itself. It ended when it was last heard of."""
    connection = recorder.connection
    heard = connection.execute(_HEARD_OF, (abandoned.id,)).fetchone()
    ended_us = now_us if heard is None else min(int(heard[0]), now_us)
    closed = abandoned.model_copy(
        update={"status": ThreadStatus.STOPPED, "status_text": words, "updated_at": now_us}
    )
    event = ThreadMoved(
        thread_id=closed.id,
        at=ended_us,
        status=closed.status,
        status_text=closed.status_text,
        side=closed.session.side,
        agent=closed.agent,
    )
    writes: list[Write] = [PutThread(closed), AppendEvent(event)]
    fetch = fetcher(connection)
    unanswered = connection.execute(_UNANSWERED, (closed.id, RequestState.RUNNING.value)).fetchall()
    writes += [PutRequest(_stopped(unpack(Request, row, fetch), ended_us, cause)) for row in unanswered]
    pending = connection.execute(_PENDING, (closed.id,)).fetchall()
    writes += [PutMessage(_completed(unpack(Message, row, fetch), cause)) for row in pending]
    recorder.write(writes)
    return closed


def _stopped(request: Request, ended_us: int, cause: str) -> Request:
    words = f"{cause[0].upper()}{cause[1:]} while the model was answering."
    failure = ModelFailure(kind=ModelFailureKind.CANCELLED, message=words)
    attempts = tuple(
        attempt
        if attempt.ended_at is not None
        else attempt.model_copy(update={"ended_at": max(ended_us, attempt.started_at)})
        for attempt in request.attempts
    )
    return request.model_copy(
        update={"state": RequestState.STOPPED, "failure": failure, "attempts": attempts}
    )


def _completed(message: Message, cause: str) -> Message:
    if message.role is Role.TOOL:
        words = f"There is no result: {cause} before there was one."
        changes = {"content": words, "status": MessageStatus.COMPLETED, "tool_status": "error"}
        return message.model_copy(update=changes)
    return message.model_copy(update={"status": MessageStatus.FAILED})

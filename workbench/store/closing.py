"""After a crash: what a process that is gone left open is closed, so that no call is without a result (C7, T9)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.base.ids import MessageId, uuid7
from workbench.domain.call_logs import longer_log
from workbench.domain.calls import Call, CallState, FailureKind, ToolFailure, ToolResult
from workbench.domain.events import CallFinished, CallLogged, read_event
from workbench.domain.threads import Message, MessageStatus, Role, Thread
from workbench.domain.writes import AppendEvent, PutCall, PutMessage
from workbench.store import blobs, effects
from workbench.store.connection import transaction
from workbench.store.owners import Owner
from workbench.store.payloads import unpack
from workbench.store.reads import events, fetcher
from workbench.store.thread_closing import ENDED, close_threads, close_unread
from workbench.store.writes import Recorder

_HINT = "What was saved of its log until then is kept. Call it again if that is safe."

_OPEN = ", ".join(f"'{state.value}'" for state in CallState if not state.is_final)
_OPEN_CALLS = f"SELECT payload, spilled, owner FROM call WHERE state IN ({_OPEN})"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Closed:
    """What was closed, as it now is."""

    calls: Sequence[Call] = ()
    threads: Sequence[Thread] = ()


def clean_up(recorder: Recorder, owner: Owner, now_us: int) -> Closed:
    """At opening: close what a crash left open, and remove the half-written blobs of the dead."""
    if not owner.others():
        with transaction(recorder.connection):
            blobs.sweep(recorder.connection)
    with transaction(recorder.connection):
        closed = close_dead(recorder, owner, now_us)
        return Closed(closed.calls, (*closed.threads, *close_unread(recorder, now_us)))


def close_abandoned(recorder: Recorder, owner: Owner, now_us: int) -> Closed:
    """Close every open call, running thread and running effect whose owner is dead, in one transaction."""
    with transaction(recorder.connection):
        return close_dead(recorder, owner, now_us)


def close_dead(recorder: Recorder, owner: Owner, now_us: int) -> Closed:
    """The same, inside a transaction that somebody else holds."""
    connection = recorder.connection
    alive = {*owner.others(), owner.token}
    rows = connection.execute(_OPEN_CALLS).fetchall()
    calls = [
        close_call(recorder, unpack(Call, (payload, spilled), fetcher(connection)), now_us)
        for payload, spilled, token in rows
        if token not in alive
    ]
    effects.cut_off(recorder, alive, now_us)
    return Closed(calls, close_threads(recorder, alive, now_us))


def close_call(recorder: Recorder, call: Call, now_us: int, cause: str = ENDED) -> Call:
    """Close an open call as interrupted by `cause`, inside a transaction (C7); the call as it now is."""
    words = f"The call was interrupted: {cause} while it was open."
    failure = ToolFailure(kind=FailureKind.INTERRUPTED, message=words, hint=_HINT)
    result = ToolResult(is_error=True, text=f"{words} {_HINT}", failure=failure)
    message = _result_message(recorder.connection, call, result, now_us)
    log, last_us = _last_known(recorder.connection, call)
    closed = call.model_copy(
        update={
            "state": CallState.FAILED,
            "result": result,
            "log": log,
            "finished_at": last_us,
            "result_message_id": message.id,
        }
    )
    event = CallFinished(
        thread_id=call.thread_id,
        at=last_us or call.started_at or call.created_at,
        call_id=call.id,
        state=closed.state,
        result=result,
        duration_ms=closed.duration_ms or 0,
    )
    recorder.write([PutCall(closed), PutMessage(message), AppendEvent(event)])
    return closed


def _last_known(connection: sqlite3.Connection, call: Call) -> tuple[str, int | None]:
    """What the saved events hold of a call's log, and when it was last heard of since it ran; None: never."""
    log, heard_us = "", call.started_at or 0
    for text in events(connection, call.thread_id, call.id):
        event = read_event(text)
        if event is None:
            continue
        heard_us = max(heard_us, event.at)
        if isinstance(event, CallLogged):
            log = longer_log(log, event.text)
    ran = call.started_at is not None and heard_us > call.started_at
    return log or call.log, heard_us if ran else None


def _result_message(connection: sqlite3.Connection, call: Call, result: ToolResult, now_us: int) -> Message:
    """The pending result message, completed as an error; a new one when the crash came before it was made."""
    sql = "SELECT payload, spilled FROM message WHERE id IS ? OR tool_call_id = ?"
    row = connection.execute(sql, (call.result_message_id, call.id)).fetchone()
    if row is None:
        pending = Message(
            id=call.result_message_id or MessageId(uuid7()),
            thread_id=call.thread_id,
            role=Role.TOOL,
            created_at=now_us,
            name=call.tool,
            tool_call_id=call.id,
        )
    else:
        pending = unpack(Message, row, fetcher(connection))
    return pending.model_copy(
        update={"content": result.text, "status": MessageStatus.COMPLETED, "tool_status": "error"}
    )

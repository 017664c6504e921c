"""What a thread and all below it did over time, and nothing of what was said: for views of many calls at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.spans import CallSpan, Run, ThreadSpans, Wait
from workbench.domain.threads import ThreadStatus
from workbench.store import running
from workbench.store.connection import one_state
from workbench.store.reads import thread
from workbench.store.thread_lists import tree

_CALLS = """
SELECT call.id, call.tool, call.origin, call.state, call.created_at, call.started_at, call.finished_at, call.failure,
    call.parent_call_id, json_extract(message.payload, '$.data.requestId'),
    json_extract(message.payload, '$.data.side')
FROM call LEFT JOIN message ON message.id = json_extract(call.payload, '$.data.messageId')
WHERE call.thread_id = ? ORDER BY call.seq"""

_CALL_WAITS = """
SELECT state, at, next, call_id, names FROM (
    SELECT json_extract(payload, '$.data.state') AS state, json_extract(payload, '$.data.at') AS at, call_id,
        json_extract(payload, '$.data.waitingFor') AS names,
        lead(json_extract(payload, '$.data.at')) OVER (PARTITION BY call_id ORDER BY number) AS next
    FROM event WHERE thread_id = ? AND call_id IS NOT NULL
        AND json_extract(payload, '$.data.type') IN ('call_state', 'call_finished'))
WHERE state IN ('waiting_for_approval', 'waiting_for_variable') ORDER BY at"""

_TURNS_OF_PERSONS = """
SELECT at, next FROM (
    SELECT json_extract(payload, '$.data.status') AS status, json_extract(payload, '$.data.at') AS at,
        lead(json_extract(payload, '$.data.at')) OVER (ORDER BY number) AS next
    FROM event WHERE thread_id = ? AND call_id IS NULL AND json_extract(payload, '$.data.type') = 'thread_moved')
WHERE status = 'awaiting_human' ORDER BY at"""

_MOVES = """
SELECT json_extract(payload, '$.data.status'), json_extract(payload, '$.data.at'),
    coalesce(json_extract(payload, '$.data.agent'), ''), coalesce(json_extract(payload, '$.data.statusText'), '')
FROM event WHERE thread_id = ? AND call_id IS NULL AND json_extract(payload, '$.data.type') = 'thread_moved'
ORDER BY number"""

_UNDER_WAY = (ThreadStatus.RUNNING, ThreadStatus.WAITING)


def spans(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[ThreadSpans]:
    """A thread and all below it, itself first, a child after its parent; empty when there is no such thread."""
    with one_state(connection):
        found = [(one, thread(connection, one)) for one in tree(connection, thread_id)]
        return [
            ThreadSpans(
                thread=row,
                runs=tuple(_runs(connection, one)),
                requests=tuple(running.requests(connection, one)),
                calls=tuple(_calls(connection, one)),
                waits=tuple(_waits(connection, one)),
            )
            for one, row in found
            if row is not None
        ]


def _calls(connection: sqlite3.Connection, thread_id: ThreadId) -> list[CallSpan]:
    return [
        CallSpan.model_validate(
            {
                "id": call_id,
                "thread_id": thread_id,
                "tool": tool,
                "origin": Origin(origin),
                "state": CallState(state),
                "created_at": created,
                "started_at": started,
                "finished_at": finished,
                "failure": None if failure is None else FailureKind(failure),
                "parent_call_id": parent,
                "request_id": request_id,
                "side": side,
            }
        )
        for (
            call_id,
            tool,
            origin,
            state,
            created,
            started,
            finished,
            failure,
            parent,
            request_id,
            side,
        ) in connection.execute(_CALLS, (thread_id,)).fetchall()
    ]


def _runs(connection: sqlite3.Connection, thread_id: ThreadId) -> list[Run]:
    runs: list[Run] = []
    is_under_way = False
    for status, at, agent, text in connection.execute(_MOVES, (thread_id,)).fetchall():
        if status in _UNDER_WAY and not is_under_way:
            runs.append(Run(began=at, agent=agent))
        elif status not in _UNDER_WAY and is_under_way:
            end = {"ended": at, "status": ThreadStatus(status), "status_text": text}
            runs[-1] = runs[-1].model_copy(update=end)
        is_under_way = status in _UNDER_WAY
    return runs


def _waits(connection: sqlite3.Connection, thread_id: ThreadId) -> list[Wait]:
    waits = [
        Wait.model_validate(
            {
                "kind": "approval" if state == CallState.WAITING_FOR_APPROVAL else "variable",
                "began": at,
                "ended": following,
                "call_id": call_id,
                "names": json.loads(names) if names else (),
            }
        )
        for state, at, following, call_id, names in connection.execute(_CALL_WAITS, (thread_id,)).fetchall()
    ]
    waits += [
        Wait(kind="person", began=at, ended=following)
        for at, following in connection.execute(_TURNS_OF_PERSONS, (thread_id,)).fetchall()
    ]
    return waits

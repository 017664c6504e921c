"""Lists of threads, newest activity first, and what is added up over one thread and all below it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState
from workbench.domain.model_answers import Usage
from workbench.domain.pages import ThreadFilter, ThreadPage, ThreadSummary, ThreadTotals, WaitingBelow
from workbench.domain.requests import RequestState
from workbench.domain.threads import Thread, ThreadKind
from workbench.store.deletion import PARTS
from workbench.store.payloads import unpack
from workbench.store.reads import fetcher
from workbench.store.search import IS_INDEXED, words_query

_NEWEST = 2**63 - 1
_WORDS = 200

_AGENT = "json_extract(thread.payload, '$.data.agent')"

_CHILDREN = "(SELECT count(*) FROM thread AS child WHERE child.parent_id = thread.id)"
# As bytes: half of a surrogate pair, which JSON can spell, is no UTF-8.
_FIRST_WORDS = f"""
(SELECT CAST(substr(json_extract(message.payload, '$.data.content'), 1, {_WORDS}) AS BLOB) FROM message
 WHERE message.thread_id = thread.id AND depth = 0 AND silent = 0 ORDER BY message.seq LIMIT 1)"""  # noqa: S608

# The requests of a thread's own prompts and the calls that they or code asked for, one after another, until now (?2);
# what ran inside of a call is in that call's time.
_WORKED = f"""
SELECT
 (SELECT coalesce(sum(iif(state = '{RequestState.RUNNING}', ?2,
    json_extract(payload, '$.data.attempts[#-1].endedAt')) - created_at), 0) FROM request
   WHERE thread_id = ?1 AND parent_call_id IS NULL)
 + (SELECT coalesce(sum(iif(state = '{CallState.RUNNING}', ?2, finished_at) - started_at), 0) FROM call
   WHERE thread_id = ?1 AND (parent_call_id IS NULL OR origin = 'queue'))"""  # noqa: S608

# There are few at any moment, however many calls a thread has.
_WAITING = f"""
SELECT thread_id, state, tool FROM call INDEXED BY call_by_state
WHERE state IN ('{CallState.WAITING_FOR_APPROVAL}', '{CallState.WAITING_FOR_VARIABLE}') ORDER BY seq"""  # noqa: S608

_ABOVE = """
WITH RECURSIVE above (id) AS (
    SELECT parent_id FROM thread WHERE id = ?1 UNION SELECT parent_id FROM above JOIN thread USING (id))
SELECT id, (SELECT CAST(coalesce(nullif(json_extract(payload, '$.data.name'), ''),
            json_extract(payload, '$.data.agent')) AS BLOB) FROM thread WHERE id = ?1) FROM above WHERE id IS NOT NULL
"""

_OWN_WORDS = " OR ".join(
    f"instr(lower(json_extract(thread.payload, '$.data.{name}')), lower(?))"
    for name in ("name", "agent", "statusText", "tags")
)
_SAID = f"""
thread.id IN (SELECT message.thread_id FROM search CROSS JOIN message ON message.seq = search.rowid / {2 * PARTS}
 WHERE search MATCH ? AND search.rowid / {PARTS} % 2 = 1 AND {IS_INDEXED})"""  # noqa: S608

_BELOW = """
WITH RECURSIVE tree (id) AS (
    SELECT ?1 UNION SELECT thread.id FROM tree JOIN thread ON thread.parent_id = tree.id)
"""


def page(connection: sqlite3.Connection, filter: ThreadFilter, limit: int, key: str | None) -> ThreadPage:
    """One page of agents' threads. A key is the place in the order where the page before it ended."""
    updated, seq = map(int, key.split("-")) if key is not None else (_NEWEST, _NEWEST)
    where, values = _conditions(filter)
    sql = f"""
        SELECT thread.seq, thread.payload, thread.spilled, {_CHILDREN}, {_FIRST_WORDS}
        FROM thread WHERE kind = ? AND (updated_at, seq) < (?, ?){where}
        ORDER BY updated_at DESC, seq DESC LIMIT ?"""  # noqa: S608
    rows = connection.execute(sql, (ThreadKind.AGENT.value, updated, seq, *values, limit + 1)).fetchall()
    fetch = fetcher(connection)
    found = [(row[0], unpack(Thread, (row[1], row[2]), fetch), row[3], row[4]) for row in rows]
    waiting = _waiting(connection)
    shown = found[:limit]
    last = shown[-1] if len(found) > limit else None
    return ThreadPage(
        rows=tuple(
            _summary(thread, children, _text(words or b""), waiting) for _, thread, children, words in shown
        ),
        next_key=f"{last[1].updated_at}-{last[0]}" if last else None,
    )


def _conditions(filter: ThreadFilter) -> tuple[str, list[object]]:
    """The filter as SQL conditions that each begin with AND."""
    sql, values = "", list[object]()
    if filter.agent is not None:
        sql, values = f"{sql} AND {_AGENT} = ?", [*values, filter.agent]
    if filter.statuses:
        sql = f"{sql} AND status IN ({', '.join('?' * len(filter.statuses))})"
        values += [status.value for status in filter.statuses]
    if filter.parent_id is not None:
        sql, values = f"{sql} AND parent_id = ?", [*values, filter.parent_id]
    elif filter.top_level:
        sql += " AND parent_id IS NULL"
    text = filter.text.strip()
    if text:
        query = words_query("message", text)
        said, asked = (f" OR {_SAID}", [query]) if query else ("", [])
        sql, values = f"{sql} AND ({_OWN_WORDS}{said})", [*values, *[text] * 4, *asked]
    return sql, values


class _Waiting(NamedTuple):
    """How calls wait for a person: the newest of each thread's own, and the newest in the threads below each."""

    own: Mapping[str, CallState]
    below: Mapping[str, WaitingBelow]


def _waiting(connection: sqlite3.Connection) -> _Waiting:
    own, below = dict[str, CallState](), dict[str, WaitingBelow]()
    for thread_id, state, tool in connection.execute(_WAITING).fetchall():
        own[thread_id] = CallState(state)
        for above, name in connection.execute(_ABOVE, (thread_id,)).fetchall():
            below[above] = WaitingBelow(state=own[thread_id], tool=tool, thread=_text(name))
    return _Waiting(own, below)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _summary(thread: Thread, children: int, words: str, waiting: _Waiting) -> ThreadSummary:
    return ThreadSummary(
        id=thread.id,
        agent=thread.agent,
        name=thread.name,
        relationship=thread.relationship,
        parent_id=thread.parent_id,
        forked_from=thread.forked_from,
        is_replay=thread.replay is not None,
        status=thread.status,
        status_text=thread.status_text,
        at_limit=thread.at_limit,
        waits=waiting.own.get(thread.id),
        waits_below=waiting.below.get(thread.id),
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        tags=thread.tags,
        children=children,
        words=words,
    )


def tree(connection: sqlite3.Connection, thread_id: ThreadId) -> Sequence[ThreadId]:
    """A thread and all below it, itself first, a child after its parent."""
    sql = f"{_BELOW} SELECT id FROM tree"  # noqa: S608
    return [ThreadId(row[0]) for row in connection.execute(sql, (thread_id,)).fetchall()]


def totals(connection: sqlite3.Connection, thread_id: ThreadId, *, below: bool, now_us: int) -> ThreadTotals:
    """What a thread's requests and calls come to; with `below` those of its children and theirs, too."""
    whose = "IN (SELECT id FROM tree)" if below else "= ?1"

    def count(columns: str, table: str, column: str = "thread_id") -> list[tuple[Any, ...]]:
        sql = f"{_BELOW} SELECT {columns} FROM {table} WHERE {column} {whose}"  # noqa: S608
        return connection.execute(sql, (thread_id,)).fetchall()

    usages = [usage for (usage,) in count("json_extract(payload, '$.data.usage')", "request")]
    known = [Usage.model_validate_json(usage) for usage in usages if usage is not None]
    costs = [usage.cost for usage in known if usage.cost is not None]
    waiting = _waiting(connection)
    ((calls, failed),) = count(f"count(*), coalesce(sum(state = '{CallState.FAILED}'), 0)", "call")
    return ThreadTotals(
        threads=count("count(*)", "thread", "id")[0][0],
        requests=len(usages),
        calls=calls,
        failed_calls=failed,
        worked_ms=connection.execute(_WORKED, (thread_id, now_us)).fetchone()[0] / 1000,
        waits=waiting.own.get(thread_id),
        waits_below=waiting.below.get(thread_id),
        usage=Usage(
            input_tokens=sum(usage.input_tokens for usage in known),
            cached_tokens=sum(usage.cached_tokens for usage in known),
            output_tokens=sum(usage.output_tokens for usage in known),
            reasoning_tokens=sum(usage.reasoning_tokens for usage in known),
            cost=sum(costs, Decimal(0)) if costs else None,
        ),
    )

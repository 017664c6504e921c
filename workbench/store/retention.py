"""Which calls a retention setting gives up: the oldest that have ended, by age and by the size of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from workbench.base.ids import CallId
from workbench.domain.calls import CallState

BATCH = 25
"""Calls deleted in one transaction."""

_FOREVER = 2**63 - 1
_PAYLOAD_TIMES = 3
"""A call's row comes again as its result message and its events, and in the search index."""
_SPILLED = "coalesce((SELECT sum(json_extract(value, '$.size')) FROM json_each(call.spilled)), 0)"
"""What a call holds outside of its row."""

_ENDED = ", ".join(f"'{state.value}'" for state in CallState if state.is_final)


class Preview(NamedTuple):
    """How many calls would go, and when the newest of them was asked for (µs, None when none goes).

    Not `exact` where it depends on how the file is packed.
    """

    calls: int
    newest: int | None
    exact: bool


def expired(connection: sqlite3.Connection, before_us: int) -> Sequence[CallId]:
    """The oldest ended calls that were made before a moment."""
    return _oldest_ended(connection, before_us, BATCH)


def excess(connection: sqlite3.Connection, max_bytes: int) -> Sequence[CallId]:
    """The oldest ended calls, when the file holds more than so many bytes."""
    return _oldest_ended(connection, _FOREVER, BATCH) if used(connection) > max_bytes else ()


def preview(connection: sqlite3.Connection, *, before_us: int | None, max_bytes: int | None) -> Preview:
    """What `expired` and `excess` would give up, all batches together; a size is told from what the calls hold."""
    where = f"FROM call INDEXED BY call_by_time WHERE created_at < ? AND state IN ({_ENDED})"
    sql = f"SELECT count(*), max(created_at) {where}"
    if before_us is not None:
        return Preview(*connection.execute(sql, (before_us,)).fetchone(), exact=True)
    excess_bytes = 0 if max_bytes is None else used(connection) - max_bytes
    count, newest = 0, None
    held = (
        f"SELECT created_at, length(payload) * {_PAYLOAD_TIMES} + {_SPILLED} {where} ORDER BY created_at, seq"
    )
    for created, size in connection.execute(held, (_FOREVER,)):
        if excess_bytes <= 0:
            break
        excess_bytes -= size
        count, newest = count + 1, created
    return Preview(count, newest, exact=False)


def used(connection: sqlite3.Connection) -> int:
    """How many bytes of the file are in use."""
    count, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (count - free) * size


def _oldest_ended(connection: sqlite3.Connection, before_us: int, limit: int) -> Sequence[CallId]:
    sql = f"""
        SELECT id FROM call INDEXED BY call_by_time WHERE created_at < ? AND state IN ({_ENDED})
        ORDER BY created_at, seq LIMIT ?"""  # noqa: S608
    return [call_id for (call_id,) in connection.execute(sql, (before_us, limit)).fetchall()]

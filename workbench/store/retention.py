"""Which calls a retention setting gives up: the oldest that have ended, by age and by the size of the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from workbench.base.ids import CallId
from workbench.domain.calls import CallState

BATCH = 25
"""Calls deleted in one transaction."""

_ENDED = ", ".join(f"'{state.value}'" for state in CallState if state.is_final)


def expired(connection: sqlite3.Connection, before_us: int) -> Sequence[CallId]:
    """The oldest ended calls that were made before a moment."""
    sql = f"SELECT id FROM call WHERE created_at < ? AND state IN ({_ENDED}) ORDER BY seq LIMIT ?"  # noqa: S608
    return [call_id for (call_id,) in connection.execute(sql, (before_us, BATCH)).fetchall()]


def excess(connection: sqlite3.Connection, max_bytes: int) -> Sequence[CallId]:
    """The oldest ended calls, when the file holds more than so many bytes."""
    count, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    if (count - free) * size <= max_bytes:
        return ()
    sql = f"SELECT id FROM call WHERE state IN ({_ENDED}) ORDER BY seq LIMIT ?"  # noqa: S608
    return [call_id for (call_id,) in connection.execute(sql, (BATCH,)).fetchall()]

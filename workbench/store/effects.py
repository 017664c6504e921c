"""Scheduled effects: listed, and run by one opening of the store at a time (T16)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

from workbench.base.ids import EffectId, ThreadId
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.domain.writes import AppendEvent, PutEffect
from workbench.store.connection import transaction
from workbench.store.owners import Owner
from workbench.store.payloads import unpack
from workbench.store.reads import fetcher
from workbench.store.writes import Recorder

_HOLD = "UPDATE effect SET owner = ? WHERE id = ?"
_LET_GO = "UPDATE effect SET owner = NULL WHERE id = ? AND owner = ?"
_RUNNING = "SELECT payload, spilled, owner FROM effect WHERE state = 'processing' ORDER BY due_at, seq"


# --- writing -----------------------------------------------------------------------------------------------


def move(
    recorder: Recorder, owner: Owner, now_us: int, changed: EffectRun, was: EffectState
) -> EffectMoved | None:
    """Put an effect if it still is in the state that it was in; the event that was kept with it, else None.

    One that begins to run is held by this opening until it moves on, or until `let_go`.
    """
    connection = recorder.connection
    with transaction(connection):
        row = connection.execute("SELECT state FROM effect WHERE id = ?", (changed.id,)).fetchone()
        if row is None or row[0] != was.value:
            return None
        event = _put_moved(recorder, changed, now_us)
        if changed.state is EffectState.PROCESSING:
            connection.execute(_HOLD, (owner.token, changed.id))
        else:
            connection.execute(_LET_GO, (changed.id, owner.token))
        return event


def let_go(recorder: Recorder, owner: Owner, effect_id: EffectId) -> None:
    """Nothing of an effect runs here any more."""
    with transaction(recorder.connection, flush=False):
        recorder.connection.execute(_LET_GO, (effect_id, owner.token))


def cut_off(recorder: Recorder, alive: Collection[str], now_us: int) -> None:
    """Inside a transaction: effects that ran in an opening not among those alive are to be run again, or given up."""
    rows = recorder.connection.execute(_RUNNING).fetchall()
    fetch = fetcher(recorder.connection)
    for payload, spilled, token in rows:
        if token not in alive:
            _put_moved(recorder, unpack(EffectRun, (payload, spilled), fetch).cut_off(now_us), now_us)


def _put_moved(recorder: Recorder, effect: EffectRun, now_us: int) -> EffectMoved:
    event = EffectMoved(
        thread_id=effect.thread_id,
        at=now_us,
        effect_id=effect.id,
        name=effect.name,
        state=effect.state,
    )
    recorder.write([PutEffect(effect), AppendEvent(event)])
    return event


# --- reading -----------------------------------------------------------------------------------------------


def one(connection: sqlite3.Connection, effect_id: EffectId) -> EffectRun | None:
    row = connection.execute("SELECT payload, spilled FROM effect WHERE id = ?", (effect_id,)).fetchone()
    return None if row is None else unpack(EffectRun, row, fetcher(connection))


class Wanted(NamedTuple):
    """Effects of one thread or of all, of one name or of all, in these states or in any."""

    thread_id: ThreadId | None = None
    name: str | None = None
    states: frozenset[EffectState] = frozenset()

    def conditions(self) -> tuple[str, tuple[object, ...]]:
        """As SQL, with its values."""
        wanted = {"thread_id = ?": self.thread_id, "name = ?": self.name}
        asked: dict[str, tuple[object, ...]] = {
            sql: (value,) for sql, value in wanted.items() if value is not None
        }
        if self.states:
            asked[f"state IN ({', '.join('?' * len(self.states))})"] = tuple(self.states)
        return " AND ".join(asked) or "1", tuple(chain.from_iterable(asked.values()))


def listed(
    connection: sqlite3.Connection, wanted: Wanted, limit: int, before: EffectId | None
) -> Sequence[EffectRun]:
    """By when they are due: the last ones, at most `limit` unless that is negative; with `before` those before it."""
    where, values = wanted.conditions()
    if before is not None:
        where += " AND (due_at, seq) < (SELECT due_at, seq FROM effect WHERE id = ?)"
        values = (*values, before)
    sql = f"SELECT payload, spilled FROM effect WHERE {where} ORDER BY due_at DESC, seq DESC LIMIT ?"  # noqa: S608
    rows = connection.execute(sql, (*values, limit)).fetchall()
    fetch = fetcher(connection)
    return [unpack(EffectRun, row, fetch) for row in reversed(rows)]


def count(connection: sqlite3.Connection, wanted: Wanted) -> int:
    where, values = wanted.conditions()
    return connection.execute(f"SELECT count(*) FROM effect WHERE {where}", values).fetchone()[0]  # noqa: S608


def due(connection: sqlite3.Connection, now_us: int, limit: int) -> tuple[Sequence[EffectRun], int | None]:
    """What is to be run by now, at most so many, and when the next one is due after now."""
    sql = """
        SELECT payload, spilled FROM effect WHERE state = 'pending' AND due_at <= ? ORDER BY due_at, seq LIMIT ?"""
    rows = connection.execute(sql, (now_us, limit)).fetchall()
    later = "SELECT min(due_at) FROM effect WHERE state = 'pending' AND due_at > ?"
    fetch = fetcher(connection)
    following = connection.execute(later, (now_us,)).fetchone()[0]
    return [unpack(EffectRun, row, fetch) for row in rows], following


def is_held(connection: sqlite3.Connection, owner: Owner, effect_id: EffectId) -> bool:
    """Whether a living opening, this one or another, has something of it running."""
    row = connection.execute("SELECT owner FROM effect WHERE id = ?", (effect_id,)).fetchone()
    return row is not None and row[0] is not None and row[0] in {owner.token, *owner.others()}

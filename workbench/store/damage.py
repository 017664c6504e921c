"""A damaged file: found at opening, its readable rows saved into a new file, the original kept aside."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread, ThreadKind, ThreadStatus
from workbench.store.connection import WriterConnection, connect_reader, transaction
from workbench.store.faults import BUSY_SECONDS, is_damage, suspicion
from workbench.store.payloads import pack
from workbench.store.schema import open_writer
from workbench.store.tables import name_sessions

CHECKED_BYTES = 32 * 1024 * 1024
"""Up to this size every opening checks the whole file (about 60 ms)."""

CHECKED_AFTER_A_CRASH = 512 * 1024 * 1024
"""Up to this size the whole file is checked after an opening that was not closed (about a second)."""

_TABLES = (
    *("meta", "thread", "message", "call", "event", "definition", "variable", "value", "file"),
    *("chunk", "blob", "blob_holder", "request", "turn", "parameters", "inbox", "effect"),
)
_FAILED_READS = 250
"""After so many failed reads in a row the rest of a table is given up; a bad page costs about a hundred."""

_CHILDREN = (
    *("message", "call", "event", "variable", "value", "file"),
    *("request", "turn", "parameters", "inbox", "effect"),
)


def find(path: Path, *, thorough: bool) -> tuple[str, ...]:
    """What is wrong with the file, one line each; empty when it is sound or not looked at whole."""
    if not path.exists() or path.stat().st_size == 0:
        return ()
    wanted = CHECKED_BYTES if not thorough else CHECKED_AFTER_A_CRASH
    if path.stat().st_size > wanted and not suspicion(path).exists():
        return ()
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        found = [str(line) for (line,) in connection.execute("PRAGMA quick_check(5)") if line != "ok"]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return (str(error),)
        raise
    finally:
        connection.close()
    if orphans:
        found.append(f"{len(orphans)} rows belong to something that is not there")
    return tuple(found)


def repair(path: Path, found: Sequence[str]) -> tuple[str, ...]:
    """Save what can be read of the file at `path` into a new one in its place; tells what was done, line by line.

    Nobody else may have the file open. A crash on the way leaves the original where it was.
    """
    aside = _free_name(path)
    _copy(path, aside)
    scratch = path.with_name(f"{path.name}-salvage")
    _copy(path, scratch)
    _fill_up(scratch)
    fresh = path.with_name(f"{path.name}-repaired")
    _remove(fresh)
    connection = open_writer(fresh)
    try:
        lost = _save(scratch, connection)
    finally:
        connection.close()
        _remove(scratch)
    _remove(path)
    fresh.replace(path)
    suspicion(path).unlink(missing_ok=True)
    return (
        f"The history was damaged ({found[0]}).",
        "Everything in it could be saved." if not lost else f"Not all could be saved: {', '.join(lost)}.",
        f"The damaged file is kept as {aside}.",
    )


def _save(source: Path, target: WriterConnection) -> list[str]:
    """Copy every readable row; names the tables where some could not be read."""
    reader = connect_reader(source)
    target.execute("PRAGMA foreign_keys=OFF")
    try:
        lost = [table for table in _TABLES if not _Salvage(reader, target, table).run()]
        with transaction(target):
            _mend(target)
    finally:
        reader.close()
    return lost


class _Salvage:
    """One table's rows, by ranges of rowids that are halved around what cannot be read."""

    def __init__(self, source: sqlite3.Connection, target: WriterConnection, table: str) -> None:
        self._source = source
        self._target = target
        self._table = table
        self._failures = 0

    def run(self) -> bool:
        """Whether all of it could be read."""
        try:
            there = self._columns(self._source)
        except sqlite3.DatabaseError:
            return False
        ordered = sorted(there & self._columns(self._target))
        if not ordered:  # of a schema that had no such table yet
            return True
        payload = ordered.index("payload") if "payload" in ordered else None
        names = ", ".join(ordered)
        values = ", ".join("?" * len(ordered))
        put = f"INSERT OR REPLACE INTO {self._table} ({names}) VALUES ({values})"  # noqa: S608
        with transaction(self._target):
            for row in self._rows(names):
                if (payload is not None and not _may_be(row[payload])) or not self._put(put, row):
                    self._failures += 1
        return self._failures == 0

    def _put(self, sql: str, row: tuple[object, ...]) -> bool:
        try:
            self._target.execute(sql, row)
        except sqlite3.IntegrityError:  # what was read breaks a rule of its table
            return False
        return True

    def _columns(self, connection: sqlite3.Connection) -> set[str]:
        rows = connection.execute("SELECT name FROM pragma_table_info(?)", (self._table,)).fetchall()
        return {name for (name,) in rows}

    def _rows(self, names: str) -> Iterator[tuple[object, ...]]:
        sql = (
            f"SELECT rowid, {names} FROM {self._table} NOT INDEXED"  # noqa: S608
            " WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
        )
        ranges = [(0, 2**48)]
        in_a_row = 0
        while ranges and in_a_row < _FAILED_READS:
            low, high = ranges.pop()
            try:
                for row in self._source.execute(sql, (low, high)):
                    if row[0] < low:  # a page that leads back: its rows were seen
                        raise sqlite3.DatabaseError("rows out of order")
                    low = row[0] + 1
                    in_a_row = 0
                    yield row[1:]
            except sqlite3.DatabaseError:
                self._failures += 1
                in_a_row += 1
                if low < high:
                    middle = (low + high) // 2
                    ranges += [(middle + 1, high), (low, middle)]


def _may_be(payload: object) -> bool:
    """Whether a payload is still JSON of ours; or none, as of what was deleted for good."""
    if payload is None:
        return True
    if not isinstance(payload, str) or not payload.startswith('{"v":'):
        return False
    try:
        json.loads(payload)
    except ValueError:
        return False
    return True


def _mend(connection: sqlite3.Connection) -> None:
    """Make the saved rows fit each other: threads for orphans, no unfinished blobs, sessions and search index anew."""
    for table in _CHILDREN:
        connection.execute(f"DELETE FROM {table} WHERE typeof(thread_id) NOT IN ('text', 'null')")  # noqa: S608
        missing = f"SELECT DISTINCT thread_id FROM {table} WHERE thread_id NOT IN (SELECT id FROM thread)"  # noqa: S608
        for (thread_id,) in connection.execute(missing).fetchall():
            thread = Thread(
                id=ThreadId(thread_id),
                kind=ThreadKind.AGENT,
                created_at=0,
                updated_at=0,
                status=ThreadStatus.STOPPED,
                status_text="recovered",
            )
            connection.execute(
                "INSERT INTO thread (id, kind, created_at, payload) VALUES (?, ?, 0, ?)",
                (thread.id, thread.kind.value, pack(thread).payload),
            )
    connection.execute(
        "DELETE FROM blob WHERE size <> (SELECT coalesce(sum(length(data)), 0) FROM chunk WHERE chunk.hash = blob.hash)"
    )
    connection.execute("DELETE FROM blob_holder WHERE hash NOT IN (SELECT hash FROM blob)")
    name_sessions(connection)
    connection.execute("DELETE FROM unindexed")
    connection.execute("INSERT INTO unindexed (document) SELECT seq * 2 FROM call")
    connection.execute("INSERT INTO unindexed (document) SELECT seq * 2 + 1 FROM message")


def _free_name(path: Path) -> Path:
    number = 1
    while path.with_name(f"{path.name}.damaged-{number}").exists():
        number += 1
    return path.with_name(f"{path.name}.damaged-{number}")


def _copy(path: Path, target: Path) -> None:
    shutil.copy2(path, target)
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        shutil.copy2(log, target.with_name(f"{target.name}-wal"))


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(100)


def _fill_up(path: Path) -> None:
    """Make a file as long as its header says: SQLite reads nothing at all of one that is shorter."""
    header = _start(path)
    if header.startswith(b"SQLite format 3"):
        page_size, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
        wanted = pages * (65536 if page_size == 1 else page_size)
        if path.stat().st_size < wanted:
            os.truncate(path, wanted)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)

"""Connections: one that writes, in write-ahead mode and durable, and read-only ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from workbench.store.faults import BUSY_SECONDS

WAL_KEPT_BYTES = 16 * 1024 * 1024


class WriterConnection(sqlite3.Connection):
    """A connection that knows how it was last told to commit: telling it costs as much as writing a row."""

    _flushes: bool | None = None

    def flush_commits(self, flush: bool) -> None:
        """Whether commits from here on wait for the disk; outside of a transaction."""
        if self._flushes is not flush:
            self.execute(f"PRAGMA synchronous={'FULL' if flush else 'NORMAL'}")
            self._flushes = flush


def connect_writer(path: Path) -> WriterConnection:
    """The connection that writes; it belongs to the thread that opens it and begins transactions itself.

    secure_delete: what is deleted is overwritten.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, factory=WriterConnection)
    if path.stat().st_size == 0:
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # only a new file can be told
    for pragma in (
        "journal_mode=WAL",
        "foreign_keys=ON",
        "secure_delete=ON",
        f"journal_size_limit={WAL_KEPT_BYTES}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def connect_reader(path: Path, *, immutable: bool = False) -> sqlite3.Connection:
    """A connection that cannot write. It may be closed by another thread than the one that reads with it.

    `immutable` reads a file in a folder that cannot be written, where no log can lie beside it.
    """
    mode = "immutable=1" if immutable else "mode=ro"
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA query_only=ON")
    return connection


@contextmanager
def one_state(connection: sqlite3.Connection) -> Generator[None]:
    """What is read within belongs to one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


@contextmanager
def transaction(connection: WriterConnection, *, flush: bool = True) -> Generator[WriterConnection]:
    """Write all or nothing. The lock is taken at the start: a later upgrade would fail without waiting.

    Without `flush` the system may keep what was written for a while before it is on the disk: a killed program
    loses nothing, a power cut may take it. The next transaction that flushes takes it along.
    """
    connection.flush_commits(flush)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")

"""Big values and files, by the SHA-256 of their bytes, in chunks; each lives as long as somebody holds it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

INLINE_BYTES = 64 * 1024
"""Values up to this size stay in their row."""

CHUNK_BYTES = 1_750_000
"""D8."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a blob, written in a transaction of its own before anything refers to the blob."""

    hash: str
    number: int
    data: memoryview


@dataclass(frozen=True, slots=True)
class Blob:
    hash: str
    data: bytes

    @staticmethod
    def of(data: bytes) -> Blob:
        return Blob(hashlib.sha256(data).hexdigest(), data)

    @property
    def count(self) -> int:
        """How many chunks it has; an empty one has none."""
        return -(-len(self.data) // CHUNK_BYTES)

    def chunks(self) -> Iterator[Chunk]:
        view = memoryview(self.data)
        for number in range(self.count):
            yield Chunk(self.hash, number, view[number * CHUNK_BYTES : (number + 1) * CHUNK_BYTES])


def put_chunk(connection: sqlite3.Connection, chunk: Chunk) -> None:
    connection.execute("INSERT OR IGNORE INTO chunk VALUES (?, ?, ?)", (chunk.hash, chunk.number, chunk.data))


def hold(connection: sqlite3.Connection, blob: Blob, holder: str) -> None:
    """Make `holder` keep the blob. Chunks that did not come before (or were swept meanwhile) are written now."""
    if not exists(connection, blob.hash):
        sql = "SELECT count(*) FROM chunk WHERE hash = ?"
        if connection.execute(sql, (blob.hash,)).fetchone()[0] != blob.count:
            for chunk in blob.chunks():
                put_chunk(connection, chunk)
        connection.execute("INSERT INTO blob VALUES (?, ?)", (blob.hash, len(blob.data)))
    connection.execute("INSERT OR IGNORE INTO blob_holder VALUES (?, ?)", (blob.hash, holder))


def adopt(connection: sqlite3.Connection, hash: str, size: int, holder: str) -> bool:
    """Make `holder` keep a blob whose chunks came before; False when they are not there whole."""
    if not exists(connection, hash):
        sql = "SELECT coalesce(sum(length(data)), 0) FROM chunk WHERE hash = ?"
        if connection.execute(sql, (hash,)).fetchone()[0] != size:
            return False
        connection.execute("INSERT INTO blob VALUES (?, ?)", (hash, size))
    connection.execute("INSERT OR IGNORE INTO blob_holder VALUES (?, ?)", (hash, holder))
    return True


def release(connection: sqlite3.Connection, holder: str) -> None:
    """`holder` is gone: blobs that nobody else holds go with it."""
    sql = "DELETE FROM blob_holder WHERE holder = ? RETURNING hash"
    for (released,) in connection.execute(sql, (holder,)).fetchall():
        if connection.execute("SELECT 1 FROM blob_holder WHERE hash = ?", (released,)).fetchone() is None:
            connection.execute("DELETE FROM blob WHERE hash = ?", (released,))
            connection.execute("DELETE FROM chunk WHERE hash = ?", (released,))


def sweep(connection: sqlite3.Connection) -> None:
    """Remove chunks whose blob was never finished: their writer died."""
    connection.execute("DELETE FROM chunk WHERE hash NOT IN (SELECT hash FROM blob)")


def exists(connection: sqlite3.Connection, hash: str) -> bool:
    return connection.execute("SELECT 1 FROM blob WHERE hash = ?", (hash,)).fetchone() is not None


def read(connection: sqlite3.Connection, hash: str) -> bytes | None:
    """The blob's bytes, None when it is not there whole."""
    row = connection.execute("SELECT size FROM blob WHERE hash = ?", (hash,)).fetchone()
    if row is None:
        return None
    rows = connection.execute("SELECT data FROM chunk WHERE hash = ? ORDER BY number", (hash,)).fetchall()
    data = rows[0][0] if len(rows) == 1 else b"".join(row[0] for row in rows)
    return data if len(data) == row[0] else None

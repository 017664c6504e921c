"""Histories that were read already: a row that says what it said then gives the same message again, unread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.base.ids import MessageId, ThreadId
from workbench.domain.threads import Message
from workbench.store.payloads import Row, unpack
from workbench.store.reads import fetcher

_MOST_CHARACTERS = 32_000_000
"""Of rows that are remembered; those of the threads that were read last."""


class _Known(NamedTuple):
    """What was read of one thread: each row and its message, by the row's place."""

    messages: Mapping[int, tuple[Row, Message]]
    characters: int


class Histories:
    """Reads histories, for any reading thread. Each row is read each time and its text compared, so that nothing has to
    be told of writes, edits or deletions by whichever process; what is saved is making a message of it."""

    def __init__(self, most_characters: int = _MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._known: dict[ThreadId, _Known] = {}
        self._characters = 0
        self._lock = threading.Lock()

    def read(
        self, connection: sqlite3.Connection, thread_id: ThreadId, since: MessageId | None
    ) -> Sequence[Message]:
        """Every message of a thread in its order, of any depth; with `since` from that message on."""
        sql = "SELECT seq, payload, spilled FROM message WHERE thread_id = ? AND seq >= ? ORDER BY seq"
        found = connection.execute("SELECT seq FROM message WHERE id = ?", (since,)).fetchone()
        rows = connection.execute(sql, (thread_id, found[0] if found else 0)).fetchall()
        fetch, known = fetcher(connection), self._take(thread_id)
        messages: dict[int, tuple[Row, Message]] = {}
        elsewhere: Mapping[Row, tuple[Row, Message]] | None = None
        characters = 0
        for seq, *columns in rows:
            row: Row = (columns[0], columns[1])
            before = known.get(seq)
            if before is not None and before[0] != row:
                # What is put in moves all that stands behind it.
                elsewhere = elsewhere or {one[0]: one for one in known.values()}
                before = elsewhere.get(row)
            messages[seq] = before or (row, unpack(Message, row, fetch))
            characters += len(row[0])
        self._keep(thread_id, _Known(messages, characters))
        return [message for _, message in messages.values()]

    def forget(self) -> None:
        """Keep nothing in memory of what may be deleted for good."""
        with self._lock:
            self._known.clear()
            self._characters = 0

    def _take(self, thread_id: ThreadId) -> Mapping[int, tuple[Row, Message]]:
        with self._lock:
            known = self._known.get(thread_id)
        return known.messages if known is not None else {}

    def _keep(self, thread_id: ThreadId, known: _Known) -> None:
        with self._lock:
            before = self._known.pop(thread_id, None)
            self._known[thread_id] = known
            self._characters += known.characters - (before.characters if before is not None else 0)
            while self._characters > self._most:
                oldest = next(iter(self._known))
                self._characters -= self._known.pop(oldest).characters

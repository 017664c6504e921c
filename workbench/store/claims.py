"""Which opening of the store runs a thread: one at a time (T9); and what is counted whoever runs it (T15)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread
from workbench.domain.writes import PutThread
from workbench.store import reads, thread_lists
from workbench.store.closing import close_dead
from workbench.store.connection import transaction
from workbench.store.owners import Owner
from workbench.store.running import IS_WISH
from workbench.store.writes import Recorder

_HOLDER = "SELECT owner FROM thread WHERE id = ?"
_FORGET_WISHES = f"DELETE FROM inbox WHERE thread_id = ? AND {IS_WISH}"  # noqa: S608


def claim(recorder: Recorder, owner: Owner, now_us: int, thread_id: ThreadId) -> Thread | None:
    """Take a thread to run it: its row as it is now; None when there is none, or another living opening runs it.

    What a dead one left open is closed before. Wishes of other processes were for a run that is over.
    """
    connection = recorder.connection
    with transaction(connection, flush=False):
        if is_elsewhere(connection, owner, thread_id):
            return None
        if _holder(connection, thread_id) not in (None, owner.token):
            close_dead(recorder, owner, now_us)
        connection.execute("UPDATE thread SET owner = ? WHERE id = ?", (owner.token, thread_id))
        connection.execute(_FORGET_WISHES, (thread_id,))
        return reads.thread(connection, thread_id)


def begin_session(recorder: Recorder, thread: Thread) -> Thread:
    """Put a thread that is begun under a key; of whoever was first, here or in another process, if somebody was."""
    with transaction(recorder.connection):
        found = reads.session(recorder.connection, thread.channel, thread.channel_key)
        if found is None:
            recorder.write([PutThread(thread)])
    return found or thread


def let_go(recorder: Recorder, owner: Owner, thread_id: ThreadId) -> None:
    """A thread that was claimed is not run: whoever wants may have it."""
    with transaction(recorder.connection, flush=False):
        sql = "UPDATE thread SET owner = NULL WHERE id = ? AND owner = ?"
        recorder.connection.execute(sql, (thread_id, owner.token))


def is_elsewhere(connection: sqlite3.Connection, owner: Owner, thread_id: ThreadId) -> bool:
    """Whether another living opening runs the thread."""
    holder = _holder(connection, thread_id)
    return holder not in (None, owner.token) and holder in owner.others()


def elsewhere_within(connection: sqlite3.Connection, owner: Owner, thread_id: ThreadId) -> Sequence[ThreadId]:
    """Which of a thread and all below it other living openings run."""
    return [one for one in thread_lists.tree(connection, thread_id) if is_elsewhere(connection, owner, one)]


def count_exchange(recorder: Recorder, root: ThreadId) -> int:
    """One more message between the threads of a tree; how many they are now (T15)."""
    with transaction(recorder.connection, flush=False):
        sql = "UPDATE thread SET exchanges = exchanges + 1 WHERE id = ? RETURNING exchanges"
        row = recorder.connection.execute(sql, (root,)).fetchone()
        return row[0] if row is not None else 0


def forget_exchanges(recorder: Recorder, root: ThreadId) -> None:
    """A person spoke in the tree."""
    with transaction(recorder.connection, flush=False):
        sql = "UPDATE thread SET exchanges = 0 WHERE id = ? AND exchanges > 0"
        recorder.connection.execute(sql, (root,))


def _holder(connection: sqlite3.Connection, thread_id: ThreadId) -> str | None:
    row = connection.execute(_HOLDER, (thread_id,)).fetchone()
    return row[0] if row is not None else None

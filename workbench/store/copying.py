"""What a thread gets of another one beside messages, calls and requests, without any of it leaving the file (T21)."""

from __future__ import annotations

import sqlite3

from workbench.domain.writes import CopyRest

_RENAMED = "CREATE TEMP TABLE IF NOT EXISTS renamed (old TEXT PRIMARY KEY, new TEXT NOT NULL) WITHOUT ROWID"

_VALUES = (
    "INSERT INTO value (thread_id, key, json) SELECT :target, key, json FROM value WHERE thread_id = :source"
)

_FILES = """
INSERT INTO file (thread_id, path, mime_type, size, width, height, created_at, blob, metadata, thumbnail)
SELECT :target, path, mime_type, size, width, height, created_at, blob, metadata, thumbnail
FROM file WHERE thread_id = :source"""

_FILE_HOLDERS = """
INSERT OR IGNORE INTO blob_holder (hash, holder) SELECT blob, thread_id || path FROM file WHERE thread_id = :target"""

# The events of a call hold their blobs by its id, as its row does.
_EVENTS = """
INSERT INTO event (thread_id, number, call_id, payload, spilled)
SELECT :target, row_number() OVER (ORDER BY event.number), own.new,
    json_replace(event.payload, '$.data.threadId', :target, '$.data.callId', own.new,
        '$.data.parentCallId', parent.new), event.spilled
FROM event JOIN temp.renamed AS own ON own.old = event.call_id
LEFT JOIN temp.renamed AS parent ON parent.old = json_extract(event.payload, '$.data.parentCallId')
WHERE event.thread_id = :source ORDER BY event.number"""

_EVENT_HOLDERS = """
INSERT OR IGNORE INTO blob_holder (hash, holder)
SELECT blob_holder.hash, own.new FROM temp.renamed AS own
JOIN event ON event.call_id = own.old AND event.spilled IS NOT NULL
JOIN blob_holder ON blob_holder.holder = own.old"""

_ASKED = """
UPDATE request SET turns = asked.turns, parameters = asked.parameters
FROM temp.renamed AS own JOIN request AS asked ON asked.id = own.old
WHERE request.id = own.new"""

# As they were put: each behind the one before it, which is how a history is handed over.
_TURNS = """
WITH RECURSIVE sent (hash) AS (
    SELECT turns FROM request WHERE thread_id = :target AND turns IS NOT NULL
    UNION SELECT turn.before FROM sent JOIN turn ON turn.thread_id = :source AND turn.hash = sent.hash)
INSERT INTO turn (thread_id, hash, before, message_id, payload, spilled)
SELECT :target, turn.hash, turn.before, own.new, turn.payload, turn.spilled
FROM sent JOIN turn ON turn.thread_id = :source AND turn.hash = sent.hash
LEFT JOIN temp.renamed AS own ON own.old = turn.message_id ORDER BY turn.rowid"""

_PARAMETERS = """
INSERT INTO parameters (thread_id, hash, payload, spilled)
SELECT :target, hash, payload, spilled FROM parameters
WHERE thread_id = :source AND hash IN (SELECT parameters FROM request WHERE thread_id = :target)"""

_SENT_HOLDERS = """
INSERT OR IGNORE INTO blob_holder (hash, holder)
SELECT blob_holder.hash, :target || '#' || kept.hash
FROM (SELECT hash FROM turn WHERE thread_id = :target AND spilled IS NOT NULL
      UNION SELECT hash FROM parameters WHERE thread_id = :target AND spilled IS NOT NULL) AS kept
JOIN blob_holder ON blob_holder.holder = :source || '#' || kept.hash"""

_IN_ORDER = (
    _VALUES,
    _FILES,
    _FILE_HOLDERS,
    _EVENTS,
    _EVENT_HOLDERS,
    _ASKED,
    _TURNS,
    _PARAMETERS,
    _SENT_HOLDERS,
)


def copy_rest(connection: sqlite3.Connection, write: CopyRest) -> None:
    """Rows and names of holders only: blobs are shared."""
    connection.execute(_RENAMED)
    connection.executemany("INSERT INTO temp.renamed VALUES (?, ?)", write.renamed.items())
    for statement in _IN_ORDER:
        connection.execute(statement, {"source": write.source, "target": write.target})
    connection.execute("DELETE FROM temp.renamed")

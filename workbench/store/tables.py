"""The tables, as migrations: each a small named function that runs once per file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from workbench.base.ids import uuid7

Migration = Callable[[sqlite3.Connection], None]

_FIRST = """
-- What the file as a whole is: the project's id.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- Payloads hold the whole value as versioned JSON. Other columns are what lists filter, sort and show.
CREATE TABLE thread (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    deleted_events INTEGER NOT NULL DEFAULT 0,  -- the highest event number a deletion took, never given again
    payload TEXT NOT NULL,
    spilled TEXT
);
CREATE INDEX thread_by_kind ON thread (kind, created_at);

CREATE TABLE message (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    depth INTEGER NOT NULL,
    silent INTEGER NOT NULL,
    tool_call_id TEXT,
    payload TEXT NOT NULL,
    spilled TEXT
);
CREATE INDEX message_by_thread ON message (thread_id, seq, depth, silent);
CREATE INDEX message_by_tool_call ON message (tool_call_id) WHERE tool_call_id IS NOT NULL;

-- An index on one column is ordered by seq within it: newest first is walking it backwards.
CREATE TABLE call (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    tool TEXT NOT NULL,
    origin TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    is_error INTEGER NOT NULL,
    failure TEXT,
    parent_call_id TEXT,
    owner TEXT,  -- the opening of the store that runs it, NULL once it has ended
    arguments_preview TEXT NOT NULL,
    result_preview TEXT NOT NULL,
    payload TEXT NOT NULL,
    spilled TEXT
);
CREATE INDEX call_by_thread ON call (thread_id);
CREATE INDEX call_by_tool ON call (tool);
CREATE INDEX call_by_origin ON call (origin);
CREATE INDEX call_by_state ON call (state);
CREATE INDEX call_by_parent ON call (parent_call_id) WHERE parent_call_id IS NOT NULL;


CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    call_id TEXT,
    payload TEXT NOT NULL,
    spilled TEXT,
    UNIQUE (thread_id, number)
);
CREATE INDEX event_by_call ON event (call_id) WHERE call_id IS NOT NULL;

CREATE TABLE definition (
    version TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    source TEXT NOT NULL,
    schema TEXT NOT NULL
);

CREATE TABLE variable (
    scope TEXT NOT NULL,
    thread_id TEXT REFERENCES thread (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    place TEXT NOT NULL,
    value TEXT,
    CHECK (type <> 'secret' OR value IS NULL)
);
CREATE UNIQUE INDEX variable_by_name ON variable (scope, coalesce(thread_id, ''), name);

CREATE TABLE value (
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (thread_id, key)
);

CREATE TABLE file (
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    created_at INTEGER NOT NULL,
    blob TEXT NOT NULL,
    PRIMARY KEY (thread_id, path)
);

-- Big values and files, by the SHA-256 of their bytes. Chunks come first, in transactions of their own; the
-- blob's row says that it is whole; it lives as long as somebody holds it.
CREATE TABLE chunk (
    hash TEXT NOT NULL,
    number INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (hash, number)
);
CREATE TABLE blob (hash TEXT PRIMARY KEY, size INTEGER NOT NULL);
CREATE TABLE blob_holder (
    hash TEXT NOT NULL REFERENCES blob (hash),
    holder TEXT NOT NULL,
    PRIMARY KEY (holder, hash)
);
CREATE INDEX blob_holder_by_hash ON blob_holder (hash);

-- A document is a call (seq * 2) or a message (seq * 2 + 1); its rows in the index are document * 65536 + part.
CREATE VIRTUAL TABLE search USING fts5 (arguments, result, log, message, tokenize = 'unicode61');
CREATE TABLE unindexed (document INTEGER PRIMARY KEY, stamp INTEGER NOT NULL DEFAULT 0);
"""


_RUNNING = """
ALTER TABLE thread ADD COLUMN status TEXT NOT NULL DEFAULT 'idle';
ALTER TABLE thread ADD COLUMN parent_id TEXT;
ALTER TABLE thread ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE thread ADD COLUMN owner TEXT;  -- the opening of the store that runs it, NULL while nobody does
CREATE INDEX thread_by_parent ON thread (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX thread_by_update ON thread (kind, updated_at);

CREATE TABLE request (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    message_id TEXT,
    parent_call_id TEXT,
    conversation TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    turns TEXT,  -- the last turn that was sent
    parameters TEXT,
    payload TEXT NOT NULL,
    spilled TEXT
);
CREATE INDEX request_by_thread ON request (thread_id, seq);
CREATE INDEX request_by_conversation ON request (thread_id, conversation, state);

-- What requests sent: a turn names the one before it, so that requests share what they have in common. One whose
-- message was deleted for good has no payload.
CREATE TABLE turn (
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    before TEXT NOT NULL,
    message_id TEXT,
    payload TEXT,
    spilled TEXT,
    PRIMARY KEY (thread_id, hash)
);
CREATE INDEX turn_by_message ON turn (message_id) WHERE message_id IS NOT NULL;
CREATE TABLE parameters (
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    payload TEXT NOT NULL,
    spilled TEXT,
    PRIMARY KEY (thread_id, hash)
);

CREATE TABLE inbox (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    payload TEXT NOT NULL,
    spilled TEXT
);
CREATE INDEX inbox_by_thread ON inbox (thread_id, seq);

CREATE TABLE effect (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    payload TEXT NOT NULL,
    spilled TEXT
);
CREATE INDEX effect_by_thread ON effect (thread_id, due_at);
CREATE INDEX effect_by_due ON effect (state, due_at);
"""


def tables_of_the_first_release(connection: sqlite3.Connection) -> None:
    for statement in _statements(_FIRST):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('project_id', ?)", (uuid7(),))


def calls_are_listed_by_time(connection: sqlite3.Connection) -> None:
    """One index that has all that a list filters by, so that no filter has to look into the rows."""
    connection.execute("DROP INDEX call_by_tool")
    connection.execute("DROP INDEX call_by_origin")
    connection.execute("CREATE INDEX call_by_time ON call (created_at, seq, state, origin, tool, thread_id)")


def threads_run(connection: sqlite3.Connection) -> None:
    """What a running thread leaves: requests, its inbox, effects; and what a list of threads shows of each."""
    for statement in _statements(_RUNNING):
        connection.execute(statement)


def effects_are_owned_and_files_say_more(connection: sqlite3.Connection) -> None:
    """The opening of the store that runs an effect, NULL while nobody does; what is written with a file beside it."""
    connection.execute("ALTER TABLE effect ADD COLUMN owner TEXT")
    connection.execute("CREATE INDEX effect_by_name ON effect (name, due_at)")
    connection.execute("ALTER TABLE file ADD COLUMN metadata TEXT")
    connection.execute("ALTER TABLE file ADD COLUMN thumbnail BLOB")


def trees_count_exchanges(connection: sqlite3.Connection) -> None:
    """Of the thread at the top: how many messages the threads of its tree exchanged since a person spoke."""
    connection.execute("ALTER TABLE thread ADD COLUMN exchanges INTEGER NOT NULL DEFAULT 0")


def a_key_of_a_channel_names_one_thread(connection: sqlite3.Connection) -> None:
    """Which threads were begun under a key, and that no two processes begin one of the same key."""
    connection.execute("ALTER TABLE thread ADD COLUMN channel TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE thread ADD COLUMN channel_key TEXT NOT NULL DEFAULT ''")
    name_sessions(connection)
    connection.execute(
        "CREATE UNIQUE INDEX thread_by_key ON thread (channel, channel_key) WHERE channel_key <> ''"
    )


def name_sessions(connection: sqlite3.Connection) -> None:
    """Give threads the keys that their payloads tell; of several of one key the newest has it, the others have none."""
    connection.execute("""
UPDATE thread SET channel = named.channel, channel_key = named.channel_key FROM (
    SELECT seq, channel, channel_key,
        row_number() OVER (PARTITION BY channel, channel_key ORDER BY created_at DESC, seq DESC) AS place
    FROM (SELECT seq, created_at, json_extract(payload, '$.data.channel') AS channel,
              json_extract(payload, '$.data.channelKey') AS channel_key FROM thread WHERE kind = 'agent')) AS named
WHERE named.seq = thread.seq AND named.place = 1 AND named.channel_key <> ''""")


MIGRATIONS: tuple[Migration, ...] = (
    tables_of_the_first_release,
    calls_are_listed_by_time,
    threads_run,
    effects_are_owned_and_files_say_more,
    trees_count_exchanges,
    a_key_of_a_channel_names_one_thread,
)


def _statements(script: str) -> list[str]:
    """The statements of a script one by one: `executescript` would commit behind the migration's back."""
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements

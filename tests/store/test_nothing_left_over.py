"""Whatever is written and deleted in whatever order: nothing lies in the file that nobody refers to."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.sample_history import StillClock, finished, message, started, thread
from workbench.base.ids import CallId, ThreadId
from workbench.domain.writes import (
    DeleteCall,
    DeleteThread,
    PutMessage,
    PutThread,
    RemoveFile,
    SetValue,
    Write,
    WriteFile,
)
from workbench.store.connection import transaction
from workbench.store.deletion import tidy
from workbench.store.schema import open_writer
from workbench.store.search import Indexer
from workbench.store.writes import Recorder

TEXTS = st.sampled_from(["small", "a " * 40_000, "b " * 40_000, "c " * 1_000_000])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["call", "delete call", "file", "remove file", "message", "delete thread", "index"]),
        TEXTS,
    ),
    max_size=10,
)
KEPT = {"meta", "definition", "_sqlite_migrations"}


@contextmanager
def recorder() -> Generator[Recorder]:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_writer(Path(folder, "threads.db"))) as connection,
    ):
        connection.execute("PRAGMA synchronous=OFF")
        yield Recorder(connection, "owner", StillClock())


def column(connection: sqlite3.Connection, sql: str) -> set[object]:
    return {value for (value,) in connection.execute(sql)}


def apply(recorder: Recorder, *writes: Write) -> None:
    with transaction(recorder.connection):
        recorder.write(writes)


def step(recorder: Recorder, what: str, text: str, threads: list[ThreadId], calls: list[CallId]) -> None:
    match what:
        case "call":
            running, begun = started(threads[-1], arguments=text)
            apply(recorder, *begun, *finished(running, text, log=text)[1])
            calls.append(running.id)
        case "delete call" if calls:
            apply(recorder, DeleteCall(calls.pop(len(text) % len(calls))))
        case "file":
            data = text.encode()
            apply(
                recorder,
                WriteFile(threads[-1], f"/{len(text) % 2}", data, "text/plain"),
                SetValue(threads[-1], "k", "1"),
            )
        case "remove file":
            apply(recorder, RemoveFile(threads[-1], f"/{len(text) % 2}"))
        case "message":
            apply(recorder, PutMessage(message(threads[-1], text)))
        case "delete thread":
            new = thread()
            apply(recorder, DeleteThread(threads[-1]), PutThread(new))
            threads.append(new.id)
            calls.clear()
        case _:
            settle(recorder)


def settle(recorder: Recorder) -> None:
    indexer = Indexer()
    while indexer.step(recorder.connection) or tidy(recorder.connection):
        pass


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 3)
@given(STEPS)
def test_every_blob_is_held_and_every_row_of_the_index_belongs_to_something(
    steps: list[tuple[str, str]],
) -> None:
    with recorder() as recording:
        first = thread()
        apply(recording, PutThread(first))
        threads, calls = [first.id], list[CallId]()
        for what, text in steps:
            step(recording, what, text, threads, calls)
        settle(recording)

        connection = recording.connection
        held = column(connection, "SELECT hash FROM blob_holder")
        assert column(connection, "SELECT hash FROM blob") == held
        assert column(connection, "SELECT hash FROM chunk") == held
        documents = column(connection, "SELECT seq * 2 FROM call UNION SELECT seq * 2 + 1 FROM message")
        assert column(connection, "SELECT DISTINCT rowid / 65536 FROM search") <= documents
        assert column(connection, "SELECT id FROM call") == set(calls)

        apply(recording, *map(DeleteThread, threads))
        settle(recording)

        tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        names = {str(name) for name in column(connection, tables)} - KEPT
        full = {name for name in names if connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()}
        assert full <= {"sqlite_schema"}
        assert column(connection, "SELECT key FROM meta") == {"project_id"}

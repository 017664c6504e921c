"""A store with a long history, made in seconds: rows as the store writes them, put into the file by hand."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from workbench.base.clock import SystemClock
from workbench.base.ids import CallId, MessageId, ThreadId, new_call_id, uuid7
from workbench.domain.calls import Call, CallState, FailureKind, Origin, ToolFailure, ToolResult
from workbench.domain.threads import Message, Role, Thread, ThreadKind
from workbench.domain.writes import PutThread
from workbench.store import open_store
from workbench.store.deletion import PARTS
from workbench.store.payloads import pack

TOOLS = 40
RARE = "zanzibar"
"""A word of one call in 5,000."""
COMMON = "parcel"
"""A word of every call and every message."""
_HOUR_US = 3_600_000_000
_ORIGINS = (*[Origin.FORM] * 12, *[Origin.CLI] * 5, *[Origin.PYTHON] * 3, Origin.MCP)


async def write_history(path: Path, *, calls: int, messages: int) -> None:
    """Make and fill the store at `path`: 50 calls an hour, the newest a minute old. The same texts in every run."""
    store = await open_store(path, clock=SystemClock())
    thread = Thread(id=ThreadId(uuid7()), kind=ThreadKind.BENCH, created_at=1, updated_at=1)
    await store.commit(PutThread(thread))
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("INSERT INTO search (search, rank) VALUES ('automerge', 0)")
        with connection:
            connection.executemany(_CALL, _call_rows(thread.id, calls))
            connection.executemany(_MESSAGE, _message_rows(thread.id, messages))
            connection.executemany(_SEARCH, _call_texts(calls))
            connection.executemany(_SEARCH, _message_texts(messages))
        with connection:
            connection.execute("INSERT INTO search (search, rank) VALUES ('automerge', 4)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


_CALL = """
INSERT INTO call (id, thread_id, tool, origin, state, created_at, started_at, finished_at, is_error, failure,
    arguments_preview, result_preview, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_MESSAGE = "INSERT INTO message (id, thread_id, depth, silent, payload) VALUES (?, ?, 0, 0, ?)"
_SEARCH = "INSERT INTO search (rowid, arguments, result, log, message) VALUES (?, ?, ?, ?, ?)"


def _words(chance: random.Random, number: int) -> tuple[str, str]:
    """Arguments and result of the call of a number; the same for every asking."""
    street, weight = chance.randrange(9_000), chance.randrange(30_000)
    rare = f" {RARE}" if number % 5_000 == 7 else ""
    arguments = f'{{"street": "Quay {street}", "weight": {weight}, "note": "keep dry{rare}"}}'
    return arguments, f"The parcel {number} goes out at {weight % 24}:15 for {weight / 100} euro."


def _call_rows(thread_id: ThreadId, calls: int) -> Iterator[tuple[object, ...]]:
    chance = random.Random(1)
    now = SystemClock().now_us()
    template = pack(_sample_call(thread_id)).payload
    for number in range(calls):
        arguments, result = _words(chance, number)
        tool, failed = f"tool_{number % TOOLS:02}", number % 10 == 3
        call_id = new_call_id(tool)
        created = now - _HOUR_US // 60 - (calls - number) * _HOUR_US // 50
        state = CallState.FAILED if failed else CallState.SUCCEEDED
        payload = template.replace("@id", call_id).replace("@tool", tool).replace("@result", result)
        yield (
            call_id,
            thread_id,
            tool,
            _ORIGINS[number % len(_ORIGINS)].value,
            state.value,
            created,
            created + 900,
            created + 84_000,
            failed,
            FailureKind.TOOL_ERROR.value if failed else None,
            arguments,
            result,
            payload,
        )


def _sample_call(thread_id: ThreadId) -> Call:
    failure = ToolFailure(kind=FailureKind.TOOL_ERROR, message="@result")
    return Call(
        id=CallId("@id"),
        thread_id=thread_id,
        tool="@tool",
        origin=Origin.FORM,
        state=CallState.FAILED,
        arguments="{}",
        created_at=1,
        result=ToolResult(text="@result", is_error=True, failure=failure),
        log="weighing\nfranking\n" * 12,
    )


def _message_rows(thread_id: ThreadId, messages: int) -> Iterator[tuple[object, ...]]:
    sample = Message(
        id=MessageId("@id"), thread_id=thread_id, role=Role.USER, created_at=1, content="A parcel. " * 12
    )
    template = pack(sample).payload
    for _ in range(messages):
        message_id = uuid7()
        yield message_id, thread_id, template.replace("@id", message_id)


def _call_texts(calls: int) -> Iterator[tuple[object, ...]]:
    chance = random.Random(1)
    for number in range(calls):
        arguments, result = _words(chance, number)
        yield (number + 1) * 2 * PARTS, arguments, result, "weighing franking", ""


def _message_texts(messages: int) -> Iterator[tuple[object, ...]]:
    chance = random.Random(2)
    for number in range(messages):
        text = f"A parcel for {chance.randrange(60_000)} waits since {chance.randrange(60_000)}."
        yield ((number + 1) * 2 + 1) * PARTS, "", "", "", text

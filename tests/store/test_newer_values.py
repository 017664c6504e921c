"""A file that a newer Workbench wrote values into without changing its tables: what this one knows of them is read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.conftest import OpenStore
from tests.store.sample_history import call, put_calls, put_thread, started
from workbench.base.errors import UserError
from workbench.base.ids import MessageId, uuid7
from workbench.domain.calls import CallState
from workbench.domain.events import CallLogged
from workbench.domain.threads import Answered, Message, Role, SentCall, ThreadKind
from workbench.domain.writes import AppendEvent, PutMessage
from workbench.store import SqliteStore
from workbench.store.blobs import INLINE_BYTES


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql)


def add_fields(path: Path, table: str, *places: str) -> None:
    """What a newer Workbench would write into these places of every value of a table."""
    changes = "".join(f""", '$.data{place}.aNewerField', json('{{"what": [1]}}')""" for place in places)
    change(path, f"UPDATE {table} SET payload = json_set(payload{changes})")


def a_message(thread_id: str, content: str = "Hello.") -> Message:
    return Message.model_validate(
        {
            "id": MessageId(uuid7()),
            "thread_id": thread_id,
            "role": Role.ASSISTANT,
            "created_at": 1,
            "content": content,
            "tool_calls": (SentCall.model_validate({"id": "c", "name": "look", "arguments": "{}"}),),
            "answered": Answered(),
        }
    )


@pytest.mark.parametrize("size", [10, INLINE_BYTES + 1])
async def test_fields_that_only_a_newer_workbench_knows_are_left_out(
    store: SqliteStore, path: Path, size: int
) -> None:
    thread_id = await put_thread(store, ThreadKind.AGENT)
    thread, message = await store.thread(thread_id), a_message(thread_id, "x" * size)
    await store.commit(PutMessage(message))
    (call_id,) = await put_calls(store, call(thread_id, text="x" * size))
    kept = await store.call(call_id)

    add_fields(path, "thread", "", ".session", ".auth")
    add_fields(path, "message", "", ".answered", ".toolCalls[0]")
    add_fields(path, "call", "", ".result")

    assert await store.thread(thread_id) == thread
    assert await store.message(message.id) == message
    assert await store.call(call_id) == kept


async def test_a_value_that_only_a_newer_workbench_knows_says_so(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store, ThreadKind.AGENT)

    change(path, """UPDATE thread SET payload = json_set(payload, '$.data.status', 'dreaming')""")

    with pytest.raises(UserError, match="cannot read") as raised:
        await store.thread(thread_id)
    assert "status" in raised.value.detail


async def test_a_crash_is_closed_over_events_that_only_a_newer_workbench_knows(
    opening: OpenStore, path: Path
) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    running, begun = started(thread_id)
    logged = [
        CallLogged(thread_id=thread_id, at=at, call_id=running.id, stream="stdout", text=f"{at}\n")
        for at in (10, 20)
    ]
    await store.commit(*begun, *map(AppendEvent, logged))
    change(path, "UPDATE call SET owner = 'a process that is gone'")
    add_fields(path, "event", "")
    of_the_first = """payload LIKE '%"at":10,%'"""
    change(
        path, f"UPDATE event SET payload = json_set(payload, '$.data.type', 'dreamt') WHERE {of_the_first}"
    )

    again = await opening()

    closed = await again.call(running.id)
    assert closed is not None
    assert (closed.state, closed.log) == (CallState.FAILED, "20\n")

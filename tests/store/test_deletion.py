"""Deleted for good means that the bytes are gone from the disk, and nothing else is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.store.sample_history import (
    bytes_of,
    call,
    count,
    finished,
    message,
    put_calls,
    put_thread,
    started,
    until,
)
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import AttachmentRef, Origin, ToolResult
from workbench.domain.pages import CallFilter
from workbench.domain.variables import Scope, VariableRow, VariableType
from workbench.domain.writes import (
    DeleteCall,
    DeleteThread,
    PutCall,
    PutMessage,
    PutVariable,
    SetValue,
    WriteFile,
)
from workbench.store import SqliteStore

SECRET = "xylophone-7731"
MARK = SECRET.encode()


async def run_call(store: SqliteStore, thread_id: ThreadId, text: str) -> CallId:
    """A whole manual call whose words stand in every place a call has."""
    running, begun = started(thread_id, arguments=f'{{"said": "{text}"}}')
    await store.commit(*begun)
    _, ended = finished(running, text, log=f"log {text}")
    await store.commit(*ended)
    return running.id


def rows_in(path: Path) -> dict[str, int]:
    names = (
        "message",
        "call",
        "event",
        "blob",
        "chunk",
        "blob_holder",
        "file",
        "search",
        "unindexed",
        "value",
    )
    return {name: count(path, name) for name in names}


@pytest.mark.parametrize("size", [1, 20_000], ids=["small", "in blobs"])
async def test_nothing_of_a_deleted_call_is_left_on_the_disk(
    store: SqliteStore, path: Path, size: int
) -> None:
    thread_id = await put_thread(store)
    for number in range(30):
        await run_call(store, thread_id, f"other {number}")
    doomed = await run_call(store, thread_id, f"{SECRET} " * size)
    await store.indexed()
    assert MARK in bytes_of(path)

    await store.commit(DeleteCall(doomed))

    assert MARK not in bytes_of(path)
    assert b"xylophone" not in bytes_of(path).lower()
    assert await store.call(doomed) is None
    assert await store.events(thread_id, call_id=doomed) == []
    assert (await store.messages(thread_id)).total == 60
    assert await store.count_calls(CallFilter(text="other")) == 30
    assert rows_in(path)["blob"] == rows_in(path)["chunk"] == 0


async def test_nothing_of_a_deleted_thread_is_left_on_the_disk(store: SqliteStore, path: Path) -> None:
    kept, doomed = await put_thread(store), await put_thread(store)
    await run_call(store, kept, "kept")
    before = (await store.messages(kept)).messages
    await store.indexed()
    counts = rows_in(path)
    await run_call(store, doomed, f"{SECRET} " * 20_000)
    text = VariableRow(scope=Scope.THREAD, name="V", type=VariableType.TEXT, value=SECRET, thread_id=doomed)
    await store.commit(
        SetValue(doomed, "k", f'"{SECRET}"'),
        PutVariable(text),
        WriteFile(doomed, "/a", MARK * 1000, "text/plain"),
        WriteFile(doomed, "/b", MARK * 200_000, "text/plain"),
        PutMessage(message(doomed, SECRET)),
    )
    await store.indexed()

    await store.commit(DeleteThread(doomed))

    assert MARK not in bytes_of(path)
    assert await store.thread(doomed) is None
    assert await store.variables() == []
    assert (await store.messages(kept)).messages == before
    assert rows_in(path) == counts


async def test_a_blob_stays_while_somebody_else_holds_it(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    same = "the same words " * 10_000
    first, second = call(thread_id, text=same), call(thread_id, text=same)
    await put_calls(store, first, second)
    assert rows_in(path)["blob"] == 1

    await store.commit(DeleteCall(first.id))

    assert await store.call(second.id) == second

    await store.commit(DeleteCall(second.id))

    assert rows_in(path)["blob"] == rows_in(path)["chunk"] == 0


async def test_the_calls_that_a_call_invoked_go_with_it(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    parent = call(thread_id)
    invoked = call(thread_id, origin=Origin.INVOKE).model_copy(update={"parent_call_id": parent.id})
    queued = call(thread_id, origin=Origin.QUEUE).model_copy(update={"parent_call_id": parent.id})
    await put_calls(store, parent, invoked, queued)

    await store.commit(DeleteCall(parent.id))

    assert [row.id for row in (await store.calls(CallFilter())).rows] == [queued.id]


async def test_an_attachment_goes_with_its_call_unless_another_carries_it(store: SqliteStore) -> None:
    thread_id = await put_thread(store)

    def with_files(*paths: str) -> PutCall:
        files = tuple(
            AttachmentRef(id=path, path=path, name=path[-1], mime_type="text/plain", size=1) for path in paths
        )
        return PutCall(call(thread_id).model_copy(update={"result": ToolResult(attachments=files)}))

    doomed = with_files("/attachments/a", "/attachments/b", "/notes/c")
    files = [
        WriteFile(thread_id, path, b"x", "text/plain")
        for path in ("/attachments/a", "/attachments/b", "/notes/c")
    ]
    await store.commit(*files, doomed, with_files("/attachments/b"))

    await store.commit(DeleteCall(doomed.call.id))

    assert [file.path for file in await store.files(thread_id)] == ["/attachments/b", "/notes/c"]


async def test_a_message_that_asked_for_other_calls_too_keeps_them(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    one, (asking, *_) = started(thread_id)
    other, (asking_too, *_) = started(thread_id)
    assert isinstance(asking, PutMessage)
    assert isinstance(asking_too, PutMessage)
    both = asking.message.model_copy(
        update={"tool_calls": asking.message.tool_calls + asking_too.message.tool_calls}
    )
    await store.commit(
        PutMessage(both), PutCall(one), PutCall(other.model_copy(update={"message_id": both.id}))
    )

    await store.commit(DeleteCall(one.id))
    left = await store.message(both.id)

    assert left is not None
    assert [sent.id for sent in left.tool_calls] == [other.id]


async def test_event_numbers_are_never_given_twice(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    await run_call(store, thread_id, "first")
    doomed = await run_call(store, thread_id, "second")
    await store.commit(DeleteCall(doomed))
    await run_call(store, thread_id, "third")

    connection = sqlite3.connect(path)
    numbers = [number for (number,) in connection.execute("SELECT number FROM event ORDER BY number")]
    connection.close()

    assert numbers == [1, 2, 3, 7, 8, 9]


async def test_the_space_of_a_big_call_goes_back_to_the_disk(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    big = call(thread_id, text="".join(f"{number:x} " for number in range(200_000)))
    await put_calls(store, big)
    await store.indexed()
    full = path.stat().st_size

    await store.commit(DeleteCall(big.id))

    assert path.stat().st_size < full / 5


async def test_traces_that_a_reader_kept_alive_go_later(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    doomed = await run_call(store, thread_id, SECRET)
    await store.indexed()
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM call").fetchone()

    await store.commit(DeleteCall(doomed))
    assert MARK in bytes_of(path)
    reader.rollback()
    reader.close()
    await store.commit()

    await until(lambda: MARK not in bytes_of(path))


async def test_deleting_what_is_not_there_changes_nothing(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    await run_call(store, thread_id, "kept")
    await store.indexed()
    counts = rows_in(path)

    await store.commit(DeleteCall(CallId("tool_x_1")), DeleteThread(ThreadId("nobody")))

    assert rows_in(path) == counts

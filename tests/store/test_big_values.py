"""Big values lie apart, once, and hold nobody up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.conftest import OpenStore
from tests.store.sample_history import call, count, finished, message, put_calls, put_thread, started
from workbench.domain.calls import Call, ToolFailure, ToolResult
from workbench.domain.events import EVENT, CallFinished
from workbench.domain.pages import CallFilter
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.writes import PutCall, PutMessage, PutThread, SetValue, WriteFile
from workbench.store import SqliteStore
from workbench.store.blobs import INLINE_BYTES, Blob
from workbench.store.payloads import pack, unpack

LONG = "a long text ☃ " * 20_000


async def test_a_result_that_is_in_call_and_message_lies_in_the_store_once(
    store: SqliteStore, path: Path
) -> None:
    thread_id = await put_thread(store)
    running, begun = started(thread_id)
    await store.commit(*begun)
    done, ended = finished(running, LONG)
    await store.commit(*ended)

    assert await store.call(done.id) == done
    assert done.result_message_id is not None
    said = await store.message(done.result_message_id)
    assert said is not None
    assert said.content == LONG
    ending = EVENT.validate_json((await store.events(thread_id))[-1])
    assert isinstance(ending, CallFinished)
    assert ending.result.text == LONG
    assert count(path, "blob") == 1
    (row,) = (await store.calls(CallFilter())).rows
    assert LONG.startswith(row.result_preview)


async def test_every_long_part_of_a_call_comes_back(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    rows = [{"n": number, "name": f"row {number}"} for number in range(10_000)]
    failure = ToolFailure.model_validate(
        {"kind": "tool_error", "message": "m" * 100_000, "stack": "s" * 100_000}
    )
    result = ToolResult(
        text="t" * 100_000,
        json_text="[" * 100_000,
        structured_content={"rows": rows, "half": "\ud83d" * 70_000},
        content=({"type": "text", "text": "c" * 100_000},) * 3,
        failure=failure,
    )
    whole = call(thread_id).model_copy(
        update={
            "arguments": "a" * 100_000,
            "arguments_run": "r" * 100_000,
            "log": "\x00" * 100_000,
            "result": result,
            "metadata": {"rows": rows},
        }
    )
    await store.commit(PutCall(whole))

    assert await store.call(whole.id) == whole


async def test_long_parts_of_messages_and_threads_come_back(store: SqliteStore) -> None:
    rows = {f"key {number}": number for number in range(10_000)}
    big = Thread.model_validate(
        {"id": "t", "kind": ThreadKind.AGENT, "created_at": 1, "updated_at": 1, "arguments": {"rows": rows}}
    )
    said = message(big.id, LONG, metadata=rows)
    await store.commit(PutThread(big), PutMessage(said))

    assert await store.thread(big.id) == big
    assert await store.message(said.id) == said


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.integers(0, 3),
    st.text(),
)
def test_a_value_is_unpacked_as_it_was_packed(content: object, times: int, text: str) -> None:
    long = text * (times * INLINE_BYTES // max(1, len(text)))
    whole = Call.model_validate(
        {
            "id": "tool_x_1",
            "thread_id": "t",
            "tool": "x",
            "origin": "form",
            "state": "succeeded",
            "arguments": long,
            "created_at": 1,
            "result": ToolResult(text=text, structured_content={"content": content, "long": long}),
        }
    )
    packed = pack(whole)
    blobs = {blob.hash: blob.data for blob in packed.blobs}

    assert unpack(Call, (packed.payload, packed.spilled), blobs.get) == whole
    assert len(packed.payload) < 4 * INLINE_BYTES


@pytest.mark.slow
async def test_a_hundred_megabytes_are_kept_while_others_go_on_writing(
    store: SqliteStore, path: Path
) -> None:
    thread_id = await put_thread(store)
    running, begun = started(thread_id)
    await store.commit(*begun)
    done, ended = finished(running, "0123456789abcdef" * (100 * 1024 * 1024 // 16))
    await store.close_abandoned()
    big = asyncio.create_task(store.commit(*ended))
    others = 0
    while not big.done():
        await store.commit(SetValue(thread_id, "k", "1"))
        others += 1
    await big

    found = await store.call(done.id)

    assert found is not None
    assert found.result == done.result
    assert count(path, "blob") == 1
    assert others > 20


async def test_chunks_of_a_value_whose_writer_died_are_swept(opening: OpenStore, path: Path) -> None:
    store = await opening()
    for chunk in Blob.of(b"x" * 4_000_000).chunks():
        await store._writer.commit([chunk])  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    await store.close()
    assert count(path, "chunk") == 3

    await opening()

    assert count(path, "chunk") == 0


async def test_a_value_that_shrinks_and_a_file_that_is_replaced_leave_no_blob_for_ever(
    store: SqliteStore, path: Path
) -> None:
    thread_id = await put_thread(store)
    await put_calls(store, call(thread_id))
    await store.commit(WriteFile(thread_id, "/a", b"1" * 100_000, "text/plain"))
    await store.commit(WriteFile(thread_id, "/a", b"2" * 100_000, "text/plain"))
    await store.commit(WriteFile(thread_id, "/b", b"2" * 100_000, "text/plain"))

    assert count(path, "blob") == 1
    assert await store.read_file(thread_id, "/a") == b"2" * 100_000

"""Histories that are read again and again: whatever changed in between, by whomever, is read as it is now (T3)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.store.conftest import OpenStore
from tests.store.sample_history import StillClock, message, put_thread
from workbench.base.ids import MessageId, ThreadId
from workbench.domain.threads import Inbound
from workbench.domain.writes import (
    DeleteMessage,
    DeleteThread,
    PlaceMessage,
    PutInbound,
    PutMessage,
    TakeInbound,
)
from workbench.store import SqliteStore, open_store
from workbench.store.connection import connect_reader
from workbench.store.histories import Histories


async def said(store: SqliteStore, thread_id: ThreadId) -> list[str | None]:
    return [one.content for one in (await store.snapshot(thread_id, "a/prompt")).history]


@pytest.mark.rule("T3")
@pytest.mark.parametrize("by_another", [False, True])
async def test_what_was_changed_since_it_was_read_is_read_as_it_is_now(
    opening: OpenStore, by_another: bool
) -> None:
    store = await opening()
    writer = await opening() if by_another else store
    thread_id = await put_thread(store)
    one, two, three = (message(thread_id, word) for word in ("one", "two", "three"))
    await store.commit(PutMessage(one), PutMessage(two))
    assert await said(store, thread_id) == ["one", "two"]

    await writer.commit(PutMessage(one.model_copy(update={"content": "One"})))
    assert await said(store, thread_id) == ["One", "two"]
    await writer.commit(PutMessage(three), PlaceMessage(three.id, two.id))
    assert await said(store, thread_id) == ["One", "three", "two"]
    await writer.commit(DeleteMessage(one.id))
    assert await said(store, thread_id) == ["three", "two"]
    await writer.commit(DeleteThread(thread_id))
    assert await said(store, thread_id) == []


async def test_a_long_message_that_became_another_one_of_the_same_length_is_read_as_it_is_now(
    opening: OpenStore,
) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    long = message(thread_id, "a" * 1_000_000)
    await store.commit(PutMessage(long))
    assert await said(store, thread_id) == ["a" * 1_000_000]

    edited = "a" * 999_999 + "b"
    await store.commit(PutMessage(long.model_copy(update={"content": edited})))
    assert await said(store, thread_id) == [edited]


async def test_a_message_that_is_as_it_was_is_the_same_value(opening: OpenStore) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    await store.commit(PutMessage(message(thread_id, "one")))
    first = await store.history(thread_id)
    two = message(thread_id, "two")
    await store.commit(PutMessage(two))
    assert (await store.history(thread_id))[0] is first[0]

    await store.commit(PlaceMessage(two.id, first[0].id))
    again = await store.history(thread_id)
    assert [one.content for one in again] == ["two", "one"]
    assert again[1] is first[0]


@pytest.mark.rule("T3")
async def test_whoever_wrote_to_a_thread_is_seen_with_its_history(opening: OpenStore) -> None:
    store, other = await opening(), await opening()
    thread_id = await put_thread(store)
    assert not (await store.snapshot(thread_id, "a/prompt")).is_written_to

    inbound = Inbound(id=MessageId("i"), thread_id=thread_id, message=message(thread_id, "Hello"))
    await other.commit(PutInbound(inbound))
    assert (await store.snapshot(thread_id, "a/prompt")).is_written_to
    await store.commit(TakeInbound(inbound.id))
    assert not (await store.snapshot(thread_id, "a/prompt")).is_written_to


async def test_no_more_is_remembered_than_there_is_room_for(path: Path, clock: StillClock) -> None:
    store = await open_store(path, clock=clock)
    threads = [await put_thread(store) for _ in range(3)]
    for thread_id in threads:
        await store.commit(PutMessage(message(thread_id, "x" * 1_000)))
    histories = Histories(most_characters=2_500)

    with closing(connect_reader(path)) as connection:
        read = [histories.read(connection, thread_id, None) for thread_id in threads]
        again = {index: histories.read(connection, threads[index], None) for index in (2, 0)}

    assert again[2][0] is read[2][0]
    assert again[0][0] is not read[0][0]
    assert again[0] == read[0]
    await store.close()

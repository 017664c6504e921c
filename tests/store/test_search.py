"""Finding calls by their words: safe whatever is typed, newest first, soon after the commit."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.store.conftest import OpenStore
from tests.store.sample_history import call, count, message, put_calls, put_thread, until
from workbench.base.ids import CallId
from workbench.domain.calls import CallState, ToolResult
from workbench.domain.pages import CallFilter, CallPage
from workbench.domain.writes import PutCall, PutMessage
from workbench.store import SqliteStore, reads
from workbench.store.connection import connect_reader
from workbench.store.faults import BUSY_SECONDS
from workbench.store.lanes import ReaderLane
from workbench.store.search import query_of


async def ids_with(store: SqliteStore, text: str, **fields: object) -> list[CallId]:
    page = await store.calls(CallFilter.model_validate({"text": text, **fields}))
    return [row.id for row in page.rows]


def snippet(page: CallPage) -> str:
    """The words around the newest hit."""
    hit = page.rows[0].hit
    assert hit is not None
    return hit.text


@pytest.mark.parametrize("place", ["arguments", "log", "result"])
async def test_a_call_is_found_by_a_word_of_its_arguments_result_or_log(
    store: SqliteStore, place: str
) -> None:
    thread_id = await put_thread(store)
    words = "before the zanzibar after"
    hidden = call(thread_id).model_copy(
        update={place: ToolResult(text=words) if place == "result" else words}
    )
    await put_calls(store, call(thread_id), hidden, call(thread_id))

    page = await store.calls(CallFilter(text="zanzibar"))

    assert [row.id for row in page.rows] == [hidden.id]
    assert "the zanzibar after" in snippet(page)


async def test_a_failure_is_found_by_its_message(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    failed = call(thread_id, state=CallState.FAILED, text="the flux was unstable")
    await put_calls(store, failed, call(thread_id))

    assert await ids_with(store, "unstable") == [failed.id]


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("written in C++ today", "C++"),
        ("a foo-bar here", "foo-bar"),
        ("the NEAR( operator", "NEAR("),
        ('say "hello" twice', '"hello"'),
        ("an_identifier_of_mine", "an_identifier"),
        ("what AND means", "AND"),
        ("snow ☃ naïve café", "cafe"),
        ("the beginning of it", "begin"),
        ("path C:\\temp\\x.txt", "temp\\x"),
        ("apples and pears", "pears apples"),
    ],
)
async def test_what_was_typed_is_words_and_never_an_operator(
    store: SqliteStore, stored: str, typed: str
) -> None:
    thread_id = await put_thread(store)
    hit = call(thread_id, text=stored)
    await put_calls(store, hit, call(thread_id, text="nothing of the kind"))

    assert await ids_with(store, typed) == [hit.id]


@pytest.mark.parametrize("typed", ['"', "( )", "*", "\x00", "++", "-", "🙂"])
async def test_text_without_a_word_finds_nothing_and_does_no_harm(store: SqliteStore, typed: str) -> None:
    thread_id = await put_thread(store)
    await put_calls(store, call(thread_id))

    assert await ids_with(store, typed) == []
    assert await store.count_calls(CallFilter(text=typed)) == 0


async def test_short_words_must_be_whole_and_longer_ones_may_go_on(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    hit = call(thread_id, text="zebra")
    await put_calls(store, hit)

    assert await ids_with(store, "zeb") == [hit.id]
    assert await ids_with(store, "ze") == []


@given(st.text())
@example('a" OR "b')
@example("{result}: x")
def test_any_typed_text_makes_a_query_of_quoted_words(typed: str) -> None:
    query = query_of(typed)
    outside = "".join(query.split('"')[::2])  # what is not within quotes

    assert set(outside.replace("{arguments result log}", "").replace("AND", "")) <= set(" :()*")


async def test_results_come_newest_first_once_each_in_pages_and_filtered(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    long = "needle and more words " * 8_000
    ids = await put_calls(store, *(call(thread_id, ["a", "b"][n % 2], text=long) for n in range(6)))
    first = await store.calls(CallFilter(text="needle"), limit=4)
    second = await store.calls(CallFilter(text="needle"), limit=4, key=first.next_key)

    assert [row.id for row in (*first.rows, *second.rows)] == ids[::-1]
    assert second.next_key is None
    assert await ids_with(store, "needle", tool="a") == ids[-2::-2]
    assert await store.count_calls(CallFilter(text="needle", tool="b")) == 3


async def test_the_end_of_a_very_long_value_is_found_and_the_words_shown(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    hit = call(thread_id, log="filler text " * 200_000 + "lastword")
    await put_calls(store, hit)
    await store.indexed()

    page = await store.calls(CallFilter(text="lastword"))

    assert [row.id for row in page.rows] == [hit.id]
    assert snippet(page).endswith("filler text lastword")


async def test_only_the_last_state_of_a_call_is_found(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    early = call(thread_id, text="provisional")
    await put_calls(store, early)
    assert await ids_with(store, "provisional") == [early.id]

    await store.commit(PutCall(early.model_copy(update={"result": None, "log": "definitive"})))

    assert await ids_with(store, "provisional") == []
    assert await ids_with(store, "definitive") == [early.id]


async def test_messages_do_not_show_among_the_calls(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    await store.commit(PutMessage(message(thread_id, "soliloquy")))

    assert await ids_with(store, "soliloquy") == []


async def test_indexing_happens_by_itself(store: SqliteStore, path: Path) -> None:
    thread_id = await put_thread(store)
    await put_calls(store, call(thread_id, text="unprompted"))

    await until(lambda: count(path, "unindexed") == 0)
    assert count(path, "search") == 1


async def test_what_was_not_indexed_before_closing_is_found_after_opening(opening: OpenStore) -> None:
    store = await opening()
    thread_id = await put_thread(store)
    hit = call(thread_id, text="leftover")
    await put_calls(store, hit)
    await store.close()

    assert await ids_with(await opening(), "leftover") == [hit.id]


async def test_a_query_that_takes_long_is_stopped_by_cancelling_it(path: Path, store: SqliteStore) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    lane = ReaderLane(path, partial(connect_reader, path), size=1)
    search = asyncio.create_task(lane.run(lambda connection: connection.execute(endless).fetchone()))
    await asyncio.wait([search], timeout=0.05)
    assert not search.done()

    search.cancel()
    await asyncio.wait([search])

    assert await asyncio.wait_for(lane.run(reads.bench_thread), timeout=30) is None
    await lane.close()


async def test_a_search_goes_on_while_another_program_keeps_the_file_to_itself(
    store: SqliteStore, path: Path
) -> None:
    thread_id = await put_thread(store)
    known = call(thread_id, text="the needle of yesterday")
    await put_calls(store, known)
    await store.indexed()
    late = call(thread_id, text="the needle of today")
    await put_calls(store, late)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = monotonic()
        assert await ids_with(store, "yesterday") == [known.id]
        assert monotonic() - began < BUSY_SECONDS / 2
        other.execute("ROLLBACK")

    assert await ids_with(store, "needle") == [late.id, known.id]

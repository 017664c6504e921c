"""Lists of calls: every filter with every other, in pages that neither lose nor repeat a call."""

from __future__ import annotations

from itertools import product

import pytest

from tests.store.sample_history import HOUR_US, StillClock, call, message, put_calls, put_thread, thread
from workbench.base.ids import CallId, RequestId, uuid7
from workbench.domain.calls import Call, CallState, Origin
from workbench.domain.pages import CallFilter, ThreadFilter
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import ThreadKind
from workbench.domain.writes import PutMessage, PutRequest, PutThread
from workbench.store import SqliteStore


async def listed(store: SqliteStore, wanted: CallFilter, limit: int = 7) -> list[CallId]:
    """The ids of all pages."""
    ids: list[CallId] = []
    key: str | None = None
    while True:
        page = await store.calls(wanted, limit=limit, key=key)
        ids += [row.id for row in page.rows]
        key = page.next_key
        if key is None:
            return ids


def lets_through(wanted: CallFilter, one: Call) -> bool:
    return (
        wanted.tool in (None, one.tool)
        and wanted.thread_id in (None, one.thread_id)
        and (not wanted.states or one.state in wanted.states)
        and (not wanted.origins or one.origin in wanted.origins)
        and (wanted.since is None or one.created_at >= wanted.since)
        and (wanted.before is None or one.created_at < wanted.before)
        and wanted.text in one.arguments
    )


@pytest.mark.parametrize("text", ["", "needle"])
async def test_filters_combine_and_pages_hold_each_call_once_newest_first(
    store: SqliteStore, text: str
) -> None:
    threads = [await put_thread(store), await put_thread(store)]
    states, origins = (CallState.SUCCEEDED, CallState.FAILED), (Origin.FORM, Origin.CLI)
    kinds = product(("a", "b"), threads, states, origins, ("needle", "hay"))
    calls = [
        call(thread_id, tool, state=state, origin=origin, arguments=f'{{"w": "{word}"}}', created_at=at // 2)
        for at, (tool, thread_id, state, origin, word) in enumerate(kinds)
    ]
    await put_calls(store, *calls)
    newest_first = calls[::-1]
    for tool, thread_id, chosen, asked, since, before in product(
        (None, "a"), (None, threads[0]), ((), states[:1], states), ((), origins[1:]), (None, 5), (None, 12)
    ):
        wanted = CallFilter(
            tool=tool,
            thread_id=thread_id,
            states=chosen,
            origins=asked,
            since=since,
            before=before,
            text=text,
        )
        right = [one.id for one in newest_first if lets_through(wanted, one)]
        assert await listed(store, wanted) == right
        assert await store.count_calls(wanted) == len(right)


async def test_a_call_that_comes_in_between_moves_no_page(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    old = await put_calls(store, *(call(thread_id, created_at=at) for at in range(9)))
    first = await store.calls(CallFilter(), limit=5)
    await put_calls(store, call(thread_id, created_at=99))

    rest = await store.calls(CallFilter(), limit=5, key=first.next_key)

    assert [row.id for row in (*first.rows, *rest.rows)] == old[::-1]


@pytest.mark.parametrize(
    ("place", "given", "word"),
    [
        ("arguments", '{"metres": 3, "note": "the needle lies here"}', "needle"),
        ("result", "ends with a needle", "needle"),
        ("log", "needle first\nand more", "needle"),
    ],
)
async def test_a_hit_names_its_place_and_marks_the_word(
    store: SqliteStore, place: str, given: str, word: str
) -> None:
    thread_id = await put_thread(store)
    fields = {"arguments": "{}", "text": "", "log": ""} | {"text" if place == "result" else place: given}
    await put_calls(store, call(thread_id, **fields))  # pyright: ignore[reportArgumentType]

    (row,) = (await store.calls(CallFilter(text="need"))).rows

    assert row.hit is not None
    assert row.hit.place == place
    assert [row.hit.text[start:end] for start, end in row.hit.marks] == [word]


async def test_how_many_calls_a_bound_would_give_up_is_told_before_it_does(
    store: SqliteStore, clock: StillClock
) -> None:
    thread_id = await put_thread(store)
    old = [call(thread_id, created_at=clock.now - (26 + n) * HOUR_US) for n in range(30)]
    open_one = call(thread_id, state=CallState.RUNNING, created_at=clock.now - 99 * HOUR_US)
    await put_calls(store, *old, open_one, call(thread_id, created_at=clock.now))

    told = await store.retention_preview(max_age_days=1)

    assert told == (30, old[0].created_at, True)
    assert await store.apply_retention(max_age_days=1) == told.calls
    assert await store.retention_preview() == (0, None, False)


async def test_what_a_bound_by_size_gives_up_is_told_about_right(store: SqliteStore) -> None:
    thread_id = await put_thread(store)
    await put_calls(store, *(call(thread_id, text="x" * 20_000) for _ in range(400)))
    await store.indexed()

    told = await store.retention_preview(max_bytes=6_000_000)
    gone = await store.apply_retention(max_bytes=6_000_000)

    assert 0 < gone < 400
    assert gone / 4 <= told.calls <= gone * 4


@pytest.mark.rule("C10")
@pytest.mark.parametrize("text", ["", "needle"])
async def test_a_list_tells_which_result_is_the_stub_of_a_dry_run(store: SqliteStore, text: str) -> None:
    thread_id = await put_thread(store)
    run, stub = (call(thread_id, "a", arguments='{"w": "needle"}', created_at=at) for at in range(2))
    await put_calls(store, run, stub.model_copy(update={"stubbed": True}))
    page = await store.calls(CallFilter(text=text))
    assert [(row.id, row.stubbed) for row in page.rows] == [(stub.id, True), (run.id, False)]


@pytest.mark.rule("T2")
async def test_a_list_of_threads_tells_which_ended_its_last_run_at_a_limit(store: SqliteStore) -> None:
    cut_short = thread(ThreadKind.AGENT).model_copy(update={"at_limit": True})
    await store.commit(PutThread(cut_short))
    await put_thread(store, ThreadKind.AGENT)
    page = await store.thread_page(ThreadFilter(), limit=9, key=None)
    assert {row.id for row in page.rows if row.at_limit} == {cut_short.id}
    assert len(page.rows) == 2


async def test_a_thread_tells_how_its_newest_open_call_waits_for_a_person(store: SqliteStore) -> None:
    waits, works = [await put_thread(store, ThreadKind.AGENT) for _ in range(2)]
    states = (CallState.SUCCEEDED, CallState.WAITING_FOR_VARIABLE, CallState.WAITING_FOR_APPROVAL)
    await put_calls(store, *(call(waits, state=state) for state in states))
    await put_calls(store, call(works, state=CallState.RUNNING))

    page = await store.thread_page(ThreadFilter())

    assert {row.id: row.waits for row in page.rows} == {waits: CallState.WAITING_FOR_APPROVAL, works: None}
    assert (await store.totals(waits)).waits is CallState.WAITING_FOR_APPROVAL
    assert (await store.totals(works)).waits is None


async def test_the_threads_above_tell_which_call_below_them_waits_for_a_person(store: SqliteStore) -> None:
    top, other = [await put_thread(store, ThreadKind.AGENT) for _ in range(2)]
    middle = thread(ThreadKind.AGENT).model_copy(update={"parent_id": top})
    low = thread(ThreadKind.AGENT).model_copy(update={"parent_id": middle.id, "name": "claims"})
    await store.commit(PutThread(middle), PutThread(low))
    await put_calls(store, call(low.id, state=CallState.WAITING_FOR_APPROVAL, tool="pay"))

    page = await store.thread_page(ThreadFilter())

    told = {row.id: row.waits_below.words if row.waits_below else "" for row in page.rows}
    words = "waits for a person: approval of pay in claims"
    assert told == {top: words, middle.id: words, low.id: "", other: ""}
    below = (await store.totals(top)).waits_below
    assert below is not None
    assert (below.state, below.tool, below.thread) == (CallState.WAITING_FOR_APPROVAL, "pay", "claims")


async def test_half_of_a_surrogate_pair_hides_no_thread_from_the_list(store: SqliteStore) -> None:
    above = await put_thread(store, ThreadKind.AGENT)
    below = thread(ThreadKind.AGENT).model_copy(update={"parent_id": above, "name": "it \ud800 waits"})
    await store.commit(PutThread(below), PutMessage(message(below.id, "\udcff and more")))
    await put_calls(store, call(below.id, "ask", state=CallState.WAITING_FOR_APPROVAL))

    rows = {row.id: row for row in (await store.thread_page(ThreadFilter())).rows}

    assert rows[below.id].words.endswith(" and more")
    waits = rows[above].waits_below
    assert waits is not None
    assert waits.thread.startswith("it ")


async def test_what_a_person_stopped_is_no_failure(store: SqliteStore) -> None:
    thread_id = await put_thread(store, ThreadKind.AGENT)
    states = (CallState.SUCCEEDED, CallState.STOPPED, CallState.FAILED)
    await put_calls(store, *(call(thread_id, state=state) for state in states))

    totals = await store.totals(thread_id)

    assert (totals.calls, totals.failed_calls) == (3, 1)


async def test_the_time_at_work_goes_on_while_a_request_and_a_call_run(
    store: SqliteStore, clock: StillClock
) -> None:
    thread_id = await put_thread(store, ThreadKind.AGENT)
    await put_calls(store, call(thread_id, created_at=clock.now))
    asked = Request(
        id=RequestId(uuid7()),
        thread_id=thread_id,
        side="a",
        step=1,
        prompt="helper",
        conversation="a/helper",
        state=RequestState.RUNNING,
        created_at=clock.now + 10_000,
    )
    await store.commit(PutRequest(asked))
    clock.now += 60_000
    assert (await store.totals(thread_id)).worked_ms == 2 + 50
    await put_calls(store, call(thread_id, state=CallState.RUNNING, created_at=clock.now))
    clock.now += 5_000
    assert (await store.totals(thread_id)).worked_ms == 2 + 55 + 5

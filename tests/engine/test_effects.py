"""Effects: scheduled by a thread's tools, run when they are due, by hand, again, or not at all; by one process."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, closing

import pytest

from tests.engine.rig import Rig, make_engine
from tests.engine.thread_rig import ThreadRig
from workbench.base.clock import SystemClock
from workbench.base.errors import UsageError, UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import EffectId
from workbench.domain.definitions import DefinitionKind
from workbench.domain.effects import MOST_ATTEMPTS, EffectRun, EffectState
from workbench.domain.events import EffectMoved, Event
from workbench.engine.doubles.vault import MemoryVault
from workbench.engine.engine import Engine
from workbench.engine.ports import CallLink
from workbench.engine.threads import effects as effects_module
from workbench.engine.threads.effects import AT_ONCE
from workbench.engine.threads.work import Work
from workbench.store import SqliteStore, open_account_store, open_store


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


async def scheduling(rig: ThreadRig, *, fails: bool = False) -> tuple[Work, list[object]]:
    """A thread of an agent, and what its effect `note` was called with."""
    given: list[object] = []

    async def note(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        given.append(dict(arguments))
        if fails:
            raise ValueError("no")
        return None

    rig.host.add(DefinitionKind.EFFECT, "note", {"description": "Notes it."}, note)
    rig.agent("helper", script=[])
    thread = await rig.start("helper")
    return await rig.engine.threads.work_of(thread.id), given


async def state_of(rig: ThreadRig, effect_id: str) -> EffectRun:
    found = await rig.rig.store.effect(EffectId(effect_id))
    assert found is not None
    return found


async def held(rig: ThreadRig) -> tuple[Work, asyncio.Event, list[int]]:
    """A thread of an agent whose effect `wait` says each time that it began and ends when the event is set."""
    go_on, begun = asyncio.Event(), list[int]()

    async def wait(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        begun.append(len(begun))
        link.log("stdout", "Waiting.\n")
        await go_on.wait()
        return None

    rig.host.add(DefinitionKind.EFFECT, "wait", {"description": "Waits."}, wait)
    rig.agent("helper", script=[])
    thread = await rig.start("helper")
    return await rig.engine.threads.work_of(thread.id), go_on, begun


@asynccontextmanager
async def another_process(rig: ThreadRig) -> AsyncGenerator[tuple[Engine, SqliteStore]]:
    """The same project as another process has it open: a store, a lock and an engine of its own."""
    folder = rig.rig.folder
    store = await open_store(folder / "threads.db", clock=SystemClock())
    accounts = await open_account_store(folder / "account.db")
    engine = make_engine(store, accounts, folder, host=rig.host, vault=MemoryVault())
    await Rig(engine, rig.host, store, rig.rig.variables, rig.rig.vault, accounts, folder).load()
    try:
        yield engine, store
    finally:
        await engine.close()
        await accounts.close()
        await store.close()


async def ended(rig: ThreadRig, effect_id: str) -> EffectRun:
    done = {state.value for state in (EffectState.COMPLETED, EffectState.FAILED)}
    await rig.rig.until(
        lambda: any(
            event.type == "effect_moved" and event.effect_id == effect_id and event.state.value in done
            for event in rig.rig.events
        )
    )
    return await state_of(rig, effect_id)


async def test_an_effect_runs_when_it_is_due_with_the_arguments_it_was_given(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)

    effect_id = await rig.engine.threads.effects.schedule(work, "note", {"text": "later"}, 10)

    assert (await ended(rig, effect_id)).state is EffectState.COMPLETED
    assert given == [{"text": "later"}]


async def test_what_an_effect_raises_is_kept_with_it(rig: ThreadRig) -> None:
    work, _ = await scheduling(rig, fails=True)

    effect = await ended(rig, await rig.engine.threads.effects.schedule(work, "note", {}, 0))

    assert (effect.state, effect.error) == (EffectState.FAILED, "ValueError: no")


async def test_a_thread_takes_back_what_has_not_begun(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    effect_id = await effects.schedule(work, "note", {}, 3_600_000)
    assert [one.id for one in await effects.pending(work, "note")] == [effect_id]

    assert await effects.remove(work, effect_id)

    assert not await effects.remove(work, effect_id)
    assert (await state_of(rig, effect_id)).state is EffectState.AGENT_CANCELED
    assert given == []


async def test_a_person_runs_an_effect_at_once_cancels_one_and_replays_one(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    first = await effects.schedule(work, "note", {"n": 1}, 3_600_000)
    second = await effects.schedule(work, "note", {"n": 2}, 3_600_000)

    await effects.run_now(first)
    await ended(rig, first)
    await effects.cancel(second)
    again = await effects.replay(first)
    await ended(rig, again)

    assert given == [{"n": 1}, {"n": 1}]
    assert (await state_of(rig, second)).state is EffectState.USER_CANCELED
    assert (await state_of(rig, again)).replay_of == first
    with pytest.raises(UserError, match="has not begun"):
        await effects.run_now(first)


@pytest.mark.rule("T16")
async def test_what_was_scheduled_survives_the_program(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    effect_id = await rig.engine.threads.effects.schedule(work, "note", {}, 3_600_000)
    await rig.engine.close()
    later = await rig.rig.reopened()
    await later.load()
    effect = await state_of(rig, effect_id)
    assert effect.state is EffectState.PENDING

    await later.engine.threads.effects.resume()
    await later.engine.threads.effects.run_now(effect_id)
    await later.until(
        lambda: any(event.type == "effect_moved" and event.state == "completed" for event in later.events)
    )

    assert len(given) == 1
    await later.engine.close()


async def test_an_effect_that_is_not_there_is_refused_with_what_was_meant(rig: ThreadRig) -> None:
    work, _ = await scheduling(rig)

    with pytest.raises(UserError, match="no effect named nota") as refused:
        await rig.engine.threads.effects.schedule(work, "nota", {}, 0)

    assert "note" in refused.value.hint


async def test_what_an_effect_printed_is_kept_with_its_run(rig: ThreadRig) -> None:
    work, go_on, _ = await held(rig)
    go_on.set()

    effect = await ended(rig, await rig.engine.threads.effects.schedule(work, "wait", {}, 0))

    assert effect.log == "Waiting.\n"
    assert effect.started_at is not None
    assert effect.completed_at is not None
    assert effect.attempts == 1


async def test_an_effect_is_beside_what_its_thread_does(rig: ThreadRig) -> None:
    """It has no run to stop and no scratch space of one, also while its thread is at work."""
    refused: list[str] = []

    async def beside(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        await link.ask("stop", {})

    async def schedule(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        await link.ask("updateContext", {"set": {"mine": '"x"'}, "removed": []})
        effect_id = str(await link.ask("scheduleEffect", {"name": "beside", "argumentsJson": "{}"}))
        refused.append((await ended(rig, effect_id)).error)
        return "scheduled"

    rig.host.add(DefinitionKind.EFFECT, "beside", {"description": "Beside."}, beside)
    rig.host.define("schedule", schedule, schema={"type": "object"})
    calling = {"calls": [{"name": "schedule", "arguments": dict[str, object]()}]}
    rig.agent("helper", tools=["schedule"], script=[calling, {"text": "Done."}])

    await rig.talk("helper", "Go.")

    identity = next(call.identity for call in rig.host.calls if call.file.name == "beside")
    assert (identity["execution"], identity["context"]) == (None, {})
    assert refused == ["RuntimeError: The thread is at rest: stop needs one that runs."]


async def test_only_some_run_at_once_and_what_a_person_runs_waits_for_none_of_them(rig: ThreadRig) -> None:
    work, go_on, begun = await held(rig)
    effects = rig.engine.threads.effects
    ids = [await effects.schedule(work, "wait", {}, 0) for _ in range(AT_ONCE + 2)]
    async with asyncio.timeout(30):
        while len(begun) < AT_ONCE:
            await rig.rig.next_event()

    await effects.run_now(ids[-1])

    assert (await state_of(rig, ids[-2])).state is EffectState.PENDING
    assert (await state_of(rig, ids[-1])).state is EffectState.PROCESSING
    go_on.set()
    await effects.quiet()
    assert {(await state_of(rig, one)).state for one in ids} == {EffectState.COMPLETED}
    assert len(begun) == AT_ONCE + 2


async def test_a_running_effect_that_a_person_cancels_is_stopped_with_what_it_printed(rig: ThreadRig) -> None:
    work, _, begun = await held(rig)
    effects = rig.engine.threads.effects
    effect_id = await effects.schedule(work, "wait", {}, 0)
    await rig.rig.until(lambda: bool(begun))

    await effects.cancel(effect_id)

    cancelled = await state_of(rig, effect_id)
    assert (cancelled.state, cancelled.log) == (EffectState.USER_CANCELED, "Waiting.\n")
    with pytest.raises(UserError, match="ended already"):
        await effects.cancel(effect_id)


def when_it_begins(
    rig: ThreadRig, do: Callable[[EffectId], Coroutine[None, None, None]]
) -> list[asyncio.Task[None]]:
    """From now on do this when an effect begins, before its first step."""
    doing: list[asyncio.Task[None]] = []

    def hear(event: Event) -> None:
        if isinstance(event, EffectMoved) and event.state is EffectState.PROCESSING:
            doing.append(asyncio.get_running_loop().create_task(do(event.effect_id)))

    rig.engine.services.bus.subscribe(hear)
    return doing


async def test_nothing_is_kept_in_mind_of_an_effect_that_was_cancelled_before_its_first_step(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    effect_id = await effects.schedule(work, "note", {}, 3_600_000)
    cancelling = when_it_begins(rig, effects.cancel)

    await effects.run_now(effect_id)
    await asyncio.gather(*cancelling)

    look_up, looked_up = rig.rig.store.effect, list[EffectId]()

    def looking(one: EffectId) -> Coroutine[None, None, EffectRun | None]:
        looked_up.append(one)
        return look_up(one)

    monkeypatch.setattr(rig.rig.store, "effect", looking)
    await effects.heed()
    assert (looked_up, given) == ([], [])


@pytest.mark.rule("T16")
async def test_an_effect_that_is_cut_off_before_its_first_step_is_run_again(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    effect_id = await effects.schedule(work, "note", {}, 3_600_000)

    async def close(begun: EffectId) -> None:
        del begun
        await rig.engine.close()

    closing = when_it_begins(rig, close)
    await effects.run_now(effect_id)
    await asyncio.gather(*closing)

    assert (await state_of(rig, effect_id)).state is EffectState.PENDING
    assert given == []


@pytest.mark.rule("T16")
async def test_an_effect_that_runs_when_the_program_is_closed_is_run_again(rig: ThreadRig) -> None:
    work, go_on, begun = await held(rig)
    effect_id = await rig.engine.threads.effects.schedule(work, "wait", {}, 0)
    await rig.rig.until(lambda: bool(begun))

    await rig.engine.close()

    waiting = await state_of(rig, effect_id)
    assert (waiting.state, waiting.attempts) == (EffectState.PENDING, 1)
    assert "ended while it ran" in waiting.error
    go_on.set()
    later = await rig.rig.reopened()
    await later.load()
    await later.engine.threads.effects.resume()
    await later.engine.threads.effects.quiet()
    done = await state_of(rig, effect_id)
    assert (done.state, done.attempts, done.error) == (EffectState.COMPLETED, 2, "")
    await later.engine.close()


async def close_once_claimed(rig: ThreadRig, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """From now on everything is closed between the claim of an effect and its first step; set when it is."""
    move, closed = rig.rig.store.move_effect, asyncio.Event()

    async def move_and_close(changed: EffectRun, was: EffectState) -> EffectMoved | None:
        moved = await move(changed, was)
        if changed.state is EffectState.PROCESSING:
            closing = asyncio.get_running_loop().create_task(rig.engine.close())
            closing.add_done_callback(lambda _: closed.set())
            await asyncio.sleep(0)
        return moved

    monkeypatch.setattr(rig.rig.store, "move_effect", move_and_close)
    return closed


@pytest.mark.rule("T16")
async def test_what_is_run_by_hand_while_everything_closes_waits_for_the_next_time(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    effect_id = await effects.schedule(work, "note", {}, 3_600_000)
    closed = await close_once_claimed(rig, monkeypatch)

    with pytest.raises(UsageError, match="closing"):
        await effects.run_now(effect_id)

    await closed.wait()
    waiting = await state_of(rig, effect_id)
    assert (waiting.state, waiting.attempts, waiting.by_hand_at) == (EffectState.PENDING, 0, None)
    assert given == []
    for refused in (effects.run_now(effect_id), effects.replay(effect_id)):
        with pytest.raises(UsageError, match="closing"):
            await refused


@pytest.mark.rule("T16")
async def test_what_is_replayed_while_everything_closes_waits_for_the_next_time(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    first = await effects.schedule(work, "note", {}, 0)
    await ended(rig, first)
    closed = await close_once_claimed(rig, monkeypatch)

    again = await effects.replay(first)

    await closed.wait()
    assert (await state_of(rig, again)).state is EffectState.PENDING
    assert len(given) == 1


@pytest.mark.rule("T16")
@pytest.mark.parametrize("everybodys", [False, True])
async def test_any_number_that_is_overdue_is_taken_up_a_few_at_a_time_the_first_one_due_first(
    rig: ThreadRig, everybodys: bool
) -> None:
    work, go_on, begun = await held(rig)
    effects = rig.engine.threads.effects
    if everybodys:
        await effects.resume()
    tasks = len(asyncio.all_tasks())
    ids = [await effects.schedule(work, "wait", {}, 0) for _ in range(40)]
    await rig.rig.until(lambda: len(begun) == AT_ONCE)

    assert len(asyncio.all_tasks()) < tasks + len(ids)
    go_on.set()
    await effects.quiet()

    ended = [await state_of(rig, one) for one in ids]
    assert {one.state for one in ended} == {EffectState.COMPLETED}
    assert len(begun) == len(ids)
    begins = [one.started_at or 0 for one in ended]
    assert begins == sorted(begins)


async def test_what_the_store_refuses_is_not_tried_again_at_once_however_many_wait(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    work, given = await scheduling(rig)
    effects, tried = rig.engine.threads.effects, list[EffectId]()
    for _ in range(3 * AT_ONCE):
        await effects.schedule(work, "note", {}, 3_600_000)
    with closing(sqlite3.connect(rig.rig.folder / "threads.db")) as meddling:
        meddling.execute("UPDATE effect SET due_at = 1")
        meddling.commit()

    async def refused(changed: EffectRun, was: EffectState) -> EffectMoved | None:
        del was
        tried.append(changed.id)
        raise UserError("The disk is full.")

    monkeypatch.setattr(rig.rig.store, "move_effect", refused)
    with caplog.at_level("CRITICAL"):
        await effects.resume()
        async with asyncio.timeout(30):
            await effects.quiet()

    assert len(tried) <= 2 * AT_ONCE  # the second time after a while
    assert given == []


# --- several processes


@pytest.mark.rule("T16")
async def test_two_processes_never_run_an_effect_twice(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    async with another_process(rig) as (other, _):
        await other.threads.effects.resume()
        await rig.engine.threads.effects.resume()
        ids = [await rig.engine.threads.effects.schedule(work, "note", {"n": n}, 0) for n in range(20)]
        await asyncio.gather(*(other.threads.effects.heed() for _ in range(5)))
        await rig.engine.threads.effects.quiet()
        await other.threads.effects.quiet()

    counted = Counter(str(one) for one in given)
    assert set(counted.values()) == {1}
    assert len(counted) == len(ids)
    effects = [await state_of(rig, one) for one in ids]
    assert {(one.state, one.attempts) for one in effects} == {(EffectState.COMPLETED, 1)}


@pytest.mark.rule("T16")
async def test_what_a_living_process_runs_is_left_to_it(rig: ThreadRig) -> None:
    work, go_on, begun = await held(rig)
    effect_id = await rig.engine.threads.effects.schedule(work, "wait", {}, 0)
    await rig.rig.until(lambda: bool(begun))

    async with another_process(rig) as (other, store):
        await store.close_abandoned()
        await other.threads.effects.resume()
        with pytest.raises(UserError, match="has not begun"):
            await other.threads.effects.run_now(effect_id)
        assert (await state_of(rig, effect_id)).state is EffectState.PROCESSING
        go_on.set()
        await rig.engine.threads.effects.quiet()

    assert len(begun) == 1


@pytest.mark.rule("T16")
async def test_a_process_stops_what_another_one_cancelled_and_lets_go_of_it(rig: ThreadRig) -> None:
    work, go_on, begun = await held(rig)
    effect_id = await rig.engine.threads.effects.schedule(work, "wait", {}, 0)
    await rig.rig.until(lambda: bool(begun))

    async with another_process(rig) as (other, store):
        await other.threads.effects.cancel(effect_id)
        assert await store.is_effect_held(effect_id)
        await rig.engine.threads.heed()
        assert not await store.is_effect_held(effect_id)

    go_on.set()
    assert (await state_of(rig, effect_id)).state is EffectState.USER_CANCELED


@pytest.mark.rule("T16")
async def test_an_effect_of_a_process_that_died_runs_again_three_times_at_most(rig: ThreadRig) -> None:
    work, _, begun = await held(rig)
    effects, store = rig.engine.threads.effects, rig.rig.store
    effect_id = await effects.schedule(work, "wait", {}, 3_600_000)
    now = SystemClock().now_us()
    for attempt in range(1, MOST_ATTEMPTS + 1):
        waiting = await state_of(rig, effect_id)
        running = waiting.model_copy(update={"state": EffectState.PROCESSING, "attempts": attempt})
        assert await store.move_effect(running, EffectState.PENDING)
        with closing(sqlite3.connect(rig.rig.folder / "threads.db")) as meddling:
            meddling.execute("UPDATE effect SET owner = 'nobody'")
            meddling.commit()
        await store.close_abandoned()

    given_up = await state_of(rig, effect_id)
    assert given_up.state is EffectState.FAILED
    assert given_up.error == "Workbench ended while it ran, 3 times."
    assert given_up.completed_at is not None
    assert given_up.completed_at >= now
    assert begun == []
    moves = [one for one in await store.events(work.thread.id) if '"effect_moved"' in one]
    assert [
        state for one in moves for state in ("pending", "processing", "failed") if f'"{state}"' in one
    ] == [
        *("pending", "processing") * MOST_ATTEMPTS,
        "failed",
    ]


async def test_a_command_runs_what_it_scheduled_and_not_what_others_did(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    async with another_process(rig) as (other, _):
        theirs = await other.threads.effects.schedule(work, "note", {"of": "them"}, 60_000)
        with closing(sqlite3.connect(rig.rig.folder / "threads.db")) as meddling:
            meddling.execute("UPDATE effect SET due_at = 1 WHERE id = ?", (theirs,))
            meddling.commit()

        ours = await rig.engine.threads.effects.schedule(work, "note", {"of": "us"}, 1)
        await ended(rig, ours)

        assert given == [{"of": "us"}]
        assert (await state_of(rig, theirs)).state is EffectState.PENDING


async def test_what_has_begun_or_is_gone_is_not_kept_in_mind_as_ones_own(rig: ThreadRig) -> None:
    work, _ = await scheduling(rig)
    effects = rig.engine.threads.effects
    own = effects._own  # pyright: ignore[reportPrivateUsage] -- nothing but its size shows it
    at_once, removed, cancelled, theirs = [
        await effects.schedule(work, "note", {}, delay) for delay in (0, 60_000, 60_000, 100)
    ]
    with closing(sqlite3.connect(rig.rig.folder / "threads.db")) as meddling:
        meddling.execute("UPDATE effect SET state = 'user_canceled' WHERE id = ?", (theirs,))
        meddling.commit()
    await ended(rig, at_once)
    await effects.remove(work, removed)
    await effects.cancel(cancelled)

    async with asyncio.timeout(30):
        while own:
            await ended(rig, await effects.schedule(work, "note", {}, 1))


async def test_the_first_one_due_runs_first_however_they_were_scheduled(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    effects = rig.engine.threads.effects
    late = await effects.schedule(work, "note", {"n": 2}, 150)
    early = await effects.schedule(work, "note", {"n": 1}, 20)

    await ended(rig, early)
    await ended(rig, late)

    assert given == [{"n": 1}, {"n": 2}]


async def test_an_effect_whose_definition_is_gone_fails_and_says_so(rig: ThreadRig) -> None:
    work, _ = await scheduling(rig)
    effect_id = await rig.engine.threads.effects.schedule(work, "note", {}, 3_600_000)
    await rig.engine.close()
    later = await rig.rig.reopened()

    await later.engine.threads.effects.run_now(effect_id)
    await later.engine.threads.effects.quiet()

    gone = await state_of(rig, effect_id)
    assert gone.state is EffectState.FAILED
    assert "helper" in gone.error  # neither it nor its agent is loaded
    await later.engine.close()


async def test_a_mistake_of_ours_ends_an_effect_in_words(
    rig: ThreadRig, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del link, arguments
        raise KeyError("mistake")  # which the host of these tests takes for its own

    rig.host.add(DefinitionKind.EFFECT, "broken", {"description": "Breaks."}, broken)
    work, _ = await scheduling(rig)

    with caplog.at_level("CRITICAL"):
        effect = await ended(rig, await rig.engine.threads.effects.schedule(work, "broken", {}, 0))

    assert effect.state is EffectState.FAILED
    assert effect.error == "Workbench itself failed while it ran: KeyError('mistake')"


async def test_a_mistake_of_ours_does_not_end_the_look_for_what_is_due(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    work, given = await scheduling(rig)
    monkeypatch.setattr(effects_module, "RETRY_SECONDS", 0.01)
    store, mistakes = rig.rig.store, [KeyError("of the look"), KeyError("of the claim")]
    look, move = store.effect, store.move_effect

    async def mistaken_look(effect_id: EffectId) -> EffectRun | None:
        if len(mistakes) == 2:
            raise mistakes.pop(0)
        return await look(effect_id)

    async def mistaken_move(changed: EffectRun, was: EffectState) -> EffectMoved | None:
        if mistakes:
            raise mistakes.pop(0)
        return await move(changed, was)

    monkeypatch.setattr(store, "effect", mistaken_look)
    monkeypatch.setattr(store, "move_effect", mistaken_move)
    with caplog.at_level("CRITICAL"):
        done = await ended(rig, await rig.engine.threads.effects.schedule(work, "note", {}, 5))

    assert (done.state, mistakes, given) == (EffectState.COMPLETED, [], [{}])

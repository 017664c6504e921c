"""Effects: scheduled by a thread's tools, run when they are due, by hand, again, or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import closing

import pytest

from tests.engine.effect_rig import ended, held, scheduling, state_of
from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UsageError, UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import EffectId
from workbench.domain.definitions import DefinitionKind
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved, Event
from workbench.engine.ports import CallLink
from workbench.engine.threads.effects import AT_ONCE


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


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


@pytest.mark.parametrize("delay", [1e300, float("nan")])
async def test_a_delay_that_no_clock_has_is_refused_in_words(rig: ThreadRig, delay: float) -> None:
    work, _ = await scheduling(rig)

    with pytest.raises(UserError, match="within a hundred years"):
        await rig.engine.threads.effects.schedule(work, "note", {}, delay)
    with pytest.raises(UserError, match="within a hundred years"):
        await rig.engine.threads.effects.remind(work, "Tea", delay)

    assert await rig.rig.store.effects() == []


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

"""Effects where several processes or a mistake meet them: each is run by one, and whoever lives goes on."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import closing

import pytest

from tests.engine.effect_rig import ended, held, scheduling, state_of
from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from tests.engine.two_processes import process_on
from workbench.base.clock import SystemClock
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import EffectId
from workbench.domain.definitions import DefinitionKind
from workbench.domain.effects import MOST_ATTEMPTS, EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.engine.ports import CallLink
from workbench.engine.threads import effects as effects_module


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T16")
async def test_two_processes_never_run_an_effect_twice(rig: ThreadRig) -> None:
    work, given = await scheduling(rig)
    async with process_on(rig) as other:
        await other.engine.threads.effects.resume()
        await rig.engine.threads.effects.resume()
        ids = [await rig.engine.threads.effects.schedule(work, "note", {"n": n}, 0) for n in range(20)]
        await asyncio.gather(*(other.engine.threads.effects.heed() for _ in range(5)))
        await rig.engine.threads.effects.quiet()
        await other.engine.threads.effects.quiet()

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

    async with process_on(rig) as other:
        await other.rig.store.close_abandoned()
        await other.engine.threads.effects.resume()
        with pytest.raises(UserError, match="has not begun"):
            await other.engine.threads.effects.run_now(effect_id)
        assert (await state_of(rig, effect_id)).state is EffectState.PROCESSING
        go_on.set()
        await rig.engine.threads.effects.quiet()

    assert len(begun) == 1


@pytest.mark.rule("T16")
async def test_a_process_stops_what_another_one_cancelled_and_lets_go_of_it(rig: ThreadRig) -> None:
    work, go_on, begun = await held(rig)
    effect_id = await rig.engine.threads.effects.schedule(work, "wait", {}, 0)
    await rig.rig.until(lambda: bool(begun))

    async with process_on(rig) as other:
        await other.engine.threads.effects.cancel(effect_id)
        assert await other.rig.store.is_effect_held(effect_id)
        await rig.engine.threads.heed()
        assert not await other.rig.store.is_effect_held(effect_id)

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
    async with process_on(rig) as other:
        theirs = await other.engine.threads.effects.schedule(work, "note", {"of": "them"}, 60_000)
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

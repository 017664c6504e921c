"""Effects: scheduled by a thread's tools, run when they are due, by hand, again, or not at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.effects import EffectRun, EffectState
from workbench.engine.ports import CallLink
from workbench.engine.threads.work import Work


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
    return next(one for one in await rig.rig.store.effects() if one.id == effect_id)


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

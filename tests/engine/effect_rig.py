"""Threads whose effects a test schedules, and what came of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.base.ids import EffectId
from workbench.domain.definitions import DefinitionKind
from workbench.domain.effects import EffectRun, EffectState
from workbench.engine.ports import CallLink
from workbench.engine.threads.work import Work


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


async def ended(rig: ThreadRig, effect_id: str) -> EffectRun:
    done = {state.value for state in (EffectState.COMPLETED, EffectState.FAILED)}
    await rig.rig.until(
        lambda: any(
            event.type == "effect_moved" and event.effect_id == effect_id and event.state.value in done
            for event in rig.rig.events
        )
    )
    return await state_of(rig, effect_id)

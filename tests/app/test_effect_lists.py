"""What threads have scheduled, where that is more than one list holds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.conftest import OpenProject
from workbench.app import Workbench
from workbench.base.ids import EffectId, ThreadId, uuid7
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.writes import PutEffect, PutThread

DONE = 2_100


@pytest.fixture
async def wb(opened: OpenProject, project: Path) -> AsyncIterator[Workbench]:
    async with opened(project, load=False) as wb:
        yield wb


async def many(wb: Workbench) -> tuple[EffectRun, list[EffectRun]]:
    """One that waits and was due before all others, and those, which are done."""
    thread = Thread(id=ThreadId(uuid7()), kind=ThreadKind.AGENT, created_at=1, updated_at=1)

    def effect(due_at: int, state: EffectState) -> EffectRun:
        return EffectRun(
            id=EffectId(uuid7()),
            thread_id=thread.id,
            name="note",
            arguments="{}",
            created_at=1,
            due_at=due_at,
            state=state,
        )

    waiting = effect(1, EffectState.PENDING)
    done = [effect(at, EffectState.COMPLETED) for at in range(2, DONE + 2)]
    await wb.store.commit(PutThread(thread), *map(PutEffect, (waiting, *done)))
    return waiting, done


async def test_what_waits_is_seen_behind_any_number_of_those_that_have_ended(wb: Workbench) -> None:
    waiting, done = await many(wb)

    page = await wb.effects.page(waiting.thread_id, ended=10)

    assert page.rows == (waiting, *reversed(done[-10:]))
    assert page.total == DONE + 1
    assert await wb.effects.waiting() == (waiting,)
    assert await wb.effects.list(states=(EffectState.PENDING,), limit=5) == (waiting,)


async def test_an_effect_is_found_by_the_beginning_of_its_id_however_many_are_due_after_it(
    wb: Workbench,
) -> None:
    waiting, done = await many(wb)

    assert await wb.effects.find(waiting.id[:-1]) == waiting
    assert await wb.effects.find(done[5].id) == done[5]

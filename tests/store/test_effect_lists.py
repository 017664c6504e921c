"""Lists of effects: every filter with every other, in pages that neither lose nor repeat one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tests.store.sample_history import put_thread
from workbench.base.ids import EffectId, ThreadId, uuid7
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.writes import PutEffect
from workbench.store import SqliteStore


def effect(thread_id: ThreadId, name: str, state: EffectState, due_at: int) -> EffectRun:
    return EffectRun(
        id=EffectId(uuid7()),
        thread_id=thread_id,
        name=name,
        arguments="{}",
        created_at=1,
        due_at=due_at,
        state=state,
    )


async def paged(store: SqliteStore, limit: int, thread_id: ThreadId, name: str) -> Sequence[EffectId]:
    """The ids of all pages, the one due first at the beginning."""
    ids: list[EffectId] = []
    before: EffectId | None = None
    while page := await store.effects(thread_id, limit=limit, before=before, name=name):
        ids[:0] = [one.id for one in page]
        before = page[0].id
    return ids


async def test_filters_combine_and_pages_hold_each_effect_once_by_when_it_is_due(store: SqliteStore) -> None:
    threads = [await put_thread(store), await put_thread(store)]
    states = (EffectState.PENDING, EffectState.PROCESSING, EffectState.COMPLETED)
    kinds = list(product(threads, ("note", "mail"), states)) * 2
    effects = [effect(*kind, due_at=at // 3) for at, kind in enumerate(kinds)]
    await store.commit(*map(PutEffect, effects))

    for thread_id, name, chosen in product((None, threads[0]), (None, "mail"), ((), states[:1], states[1:])):
        right = [
            one
            for one in effects
            if thread_id in (None, one.thread_id)
            and name in (None, one.name)
            and (not chosen or one.state in chosen)
        ]
        assert await store.effects(thread_id, name=name, states=chosen) == right
        assert await store.effects(thread_id, name=name, states=chosen, limit=3) == right[-3:]
        if not chosen:
            assert await store.count_effects(thread_id, name=name) == len(right)
    for limit in (1, 5):
        right_ids = [one.id for one in effects if (one.thread_id, one.name) == (threads[1], "note")]
        assert await paged(store, limit, threads[1], name="note") == right_ids

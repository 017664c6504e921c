"""Which child of the original a child of a replay stands for: of its kind the one in the same place (T22)."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.threads import ForkedFrom, Thread
from workbench.engine.ports import Store
from workbench.engine.threads.family import NewThread


async def as_part_of_replay(store: Store, new: NewThread) -> NewThread:
    """A child of a replay replays the one that was made in the same place: of those of its agent and relationship, as
    the original made them one after another. Where the original made none, it replays nothing."""
    parent = await store.thread(new.parent_id) if new.parent_id is not None else None
    if parent is None or parent.replay is None:
        return new
    place = sum(_is_alike(one, new) for one in await store.children(parent.id))
    then = parent.forked_from
    made = [one for one in await store.children(then.thread_id) if _is_alike(one, new)] if then else []
    source = ForkedFrom(thread_id=made[place].id) if place < len(made) else None
    return replace(new, replay=parent.replay, forked_from=source)


def _is_alike(child: Thread, new: NewThread) -> bool:
    return (child.origin_agent, child.relationship) == (new.agent, new.relationship)

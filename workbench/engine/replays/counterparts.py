"""Which thread of a replay stands for which thread of what it replays (T22)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread
from workbench.engine.ports import Store


async def counterparts(store: Store, thread: Thread) -> Mapping[ThreadId, ThreadId]:
    """Of each thread that is replayed in the tree of a replay's thread: the one that replays it."""
    root = thread
    while root.parent_id is not None:
        above = await store.thread(root.parent_id)
        if above is None or above.replay is None:
            break
        root = above
    found: dict[ThreadId, ThreadId] = {}
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if one.forked_from is not None:
            found[one.forked_from.thread_id] = one.id
        waiting += await store.children(one.id)
    return found


def as_there(text: str, names: Mapping[ThreadId, ThreadId]) -> str:
    """A recorded text with the replay's threads in the place of those that it names."""
    for then, now in names.items():
        text = text.replace(then, now)
    return text

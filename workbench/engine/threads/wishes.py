"""What this process wishes of others: that they stop the threads of a tree that they run (T9)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from workbench.base.errors import RunError
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.threads import Inbound
from workbench.domain.writes import PutInbound, TakeInbound
from workbench.engine.ports import Store

STOP_SECONDS = 30.0
"""How long other processes are waited for that were asked to stop a thread."""

_LOOK_AGAIN_SECONDS = 0.1


async def stop_elsewhere(store: Store, thread_id: ThreadId) -> bool:
    """Have each thread of a tree stopped that another process runs, and wait for that; False when there is none.

    One that takes up work again after that is left alone. Raises RunError when a process does not answer.
    """
    wished: dict[ThreadId, Inbound] = {}
    until = asyncio.get_running_loop().time() + STOP_SECONDS
    try:
        while unheeded := await _unheeded(store, await store.elsewhere_within(thread_id), wished):
            if asyncio.get_running_loop().time() > until:
                raise RunError(
                    f"Another process runs {_threads(len(unheeded))}, was asked to stop, and has not done so.",
                    hint="Stop it there.",
                )
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    finally:
        if wished:
            await store.commit(*(TakeInbound(wish.id) for wish in wished.values()))
    return bool(wished)


async def _unheeded(
    store: Store, at_work: Sequence[ThreadId], wished: dict[ThreadId, Inbound]
) -> list[ThreadId]:
    """Those of the threads at work that have not stopped since it was wished; what was not wished yet, is now."""
    new = {one: Inbound(id=uuid7(), thread_id=one, stop=True) for one in at_work if one not in wished}
    if new:
        await store.commit(*map(PutInbound, new.values()))
        wished |= new
    return [one for one in at_work if wished[one] in await store.inbox(one)]


def _threads(count: int) -> str:
    return "a thread" if count == 1 else f"{count} threads"

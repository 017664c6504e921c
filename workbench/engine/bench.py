"""The bench: the one thread of a project that holds its calls by hand, and what all its sessions share."""

from __future__ import annotations

from workbench.base.ids import ThreadId, uuid7
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.writes import PutThread
from workbench.engine.ports import Store
from workbench.engine.services import Services
from workbench.engine.variables import Layers


async def bench_thread(services: Services) -> Thread:
    """The project's bench, made when it is first needed."""
    return await services.store.bench_thread() or await _make(services)


async def bench_layers(store: Store) -> Layers:
    """The scopes that a call by hand sees: the values of the bench, where there is one, before those of all (V1)."""
    bench = await store.bench_thread()
    return Layers(threads=(bench.id,) if bench else ())


async def _make(services: Services) -> Thread:
    now = services.clock.now_us()
    thread = Thread(id=ThreadId(uuid7()), kind=ThreadKind.BENCH, created_at=now, updated_at=now)
    await services.store.commit(PutThread(thread))
    # Another call or another process may have made one at the same time: all take the first.
    return await services.store.bench_thread() or thread

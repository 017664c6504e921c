"""The runs of a project's threads: found when they are asked for, held on to while they work, forgotten at rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from weakref import WeakValueDictionary

from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread, ThreadKind
from workbench.engine.ports import Store
from workbench.engine.threads.family import ancestors
from workbench.engine.threads.thread_run import ThreadRun
from workbench.engine.threads.work import Work

Make = Callable[[Thread, Sequence[ThreadId]], ThreadRun]
"""Makes the run of a thread; the ids are those of the threads above it, nearest first."""


class Runs:
    """Lives in the engine's loop."""

    def __init__(self, store: Store, make: Make) -> None:
        self._store = store
        self._make = make
        self._runs: WeakValueDictionary[ThreadId, ThreadRun] = WeakValueDictionary()
        """Those that run or that somebody has to do with."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._loading = asyncio.Lock()
        self.is_closed = False
        """No run begins any more."""

    async def find(self, thread_id: ThreadId) -> ThreadRun:
        """The run of a thread, with the row as it is now unless it runs. Raises UserError when there is no thread."""
        async with self._loading:
            run = self._runs.get(thread_id)
            if run is not None and run.is_running:
                return run
            thread = await self._store.thread(thread_id)
            if thread is None or thread.kind is not ThreadKind.AGENT:
                self._runs.pop(thread_id, None)
                raise UserError(f"There is no thread {thread_id}.", hint="Run `workbench thread list`.")
            if run is None:
                run = self._runs[thread_id] = self._make(thread, await ancestors(self._store, thread))
            elif not run.is_running:
                run.work.thread = thread  # another process may have run it meanwhile
            return run

    def of(self, work: Work) -> ThreadRun:
        """What runs this work."""
        return self._runs[work.thread.id]

    def known(self, thread_id: ThreadId) -> ThreadRun | None:
        """The run of a thread that somebody here has to do with."""
        return self._runs.get(thread_id)

    def all(self) -> list[ThreadRun]:
        """Every run that somebody here has to do with."""
        return [*self._runs.values()]

    def running(self) -> list[ThreadRun]:
        """Those that run."""
        return [run for run in self.all() if run.is_running]

    def at_work(self) -> list[ThreadRun]:
        """Those that run, and those in which a call by hand does."""
        return [run for run in self.all() if run.is_running or run.calls]

    def is_within(self, thread_id: ThreadId, above: ThreadId) -> bool:
        """Whether it is that thread, or one below it, as far as it ran in this process."""
        run = self._runs.get(thread_id)
        return thread_id == above or (run is not None and above in run.work.ancestors)

    def spawn(self, run: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Let a run begin; it is held on to until it ends."""
        task = asyncio.get_running_loop().create_task(run, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

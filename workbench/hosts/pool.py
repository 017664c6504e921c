"""The workers of one project: the idle ones, the busy ones, and a spare that is always warm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from workbench.domain.definitions import DefinitionFile
from workbench.hosts.launching import CannotStartError
from workbench.hosts.worker_process import WorkerProcess

SPARE_SECONDS = 0.5
"""How long after a worker was taken the next spare starts: the work goes first, and what ends sooner needs none."""


class WorkerPool:
    """Hands out workers. `start` makes one; at most `keep` stay when they are idle."""

    def __init__(self, start: Callable[[], Coroutine[Any, Any, WorkerProcess]], keep: int) -> None:
        self._start = start
        self._keep = keep
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._spare: asyncio.Task[WorkerProcess] | None = None
        self._chores: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    @asynccontextmanager
    async def worker(self, file: DefinitionFile | None = None) -> AsyncGenerator[WorkerProcess]:
        """A worker of one's own for a while: for this file, or a fresh one. Raises CannotStartError.

        One that is left in the middle of something is ended.
        """
        worker = (self._idle_worker(file) if file else None) or await self._fresh_worker()
        self._busy.add(worker)
        try:
            yield worker
        except BaseException:
            await asyncio.shield(worker.end())
            raise
        finally:
            self._busy.discard(worker)
            self._put_back(worker)

    def forget(self, paths: Iterable[str]) -> None:
        """Files changed: a worker that has run one of them gets no new call."""
        changed = set(paths)
        for worker in self._busy:
            worker.changed |= changed
        for worker in [worker for worker in self._idle if not worker.files.isdisjoint(changed)]:
            self._idle.remove(worker)
            self._do(worker.retire())

    async def close(self) -> None:
        """End every process."""
        self._is_closed = True
        if self._spare is not None:
            self._spare.cancel()
            self._do(_end_started(self._spare))
        await asyncio.gather(*(worker.end() for worker in (*self._idle, *self._busy)))
        while self._chores:
            await asyncio.gather(*self._chores)

    def _idle_worker(self, file: DefinitionFile) -> WorkerProcess | None:
        """An idle worker that has loaded this version of the file, else one that has loaded no other."""
        best: WorkerProcess | None = None
        for worker in reversed(self._idle):
            digest = worker.loaded.get(file.path)
            if worker.gone.is_set() or digest not in {None, file.digest}:
                continue
            if digest is not None:
                best = worker
                break
            best = best or worker
        if best is not None:
            self._idle.remove(best)
        return best

    async def _fresh_worker(self) -> WorkerProcess:
        """The spare, or one that starts now; soon there is a spare again."""
        while True:
            spare, self._spare = self._spare, None
            starting = spare or self._begin_start()
            asyncio.get_running_loop().call_later(SPARE_SECONDS, self._keep_spare)
            try:
                worker = await asyncio.shield(starting)
            except asyncio.CancelledError:
                if self._spare is None and not self._is_closed:
                    self._spare = starting
                else:
                    starting.cancel()
                    self._do(_end_started(starting))
                raise
            except CannotStartError:
                if spare is None:
                    raise
                continue  # it was begun in another time: what was wrong may have been mended
            if not worker.gone.is_set():
                return worker

    def _keep_spare(self) -> None:
        if self._spare is None and not self._is_closed:
            self._spare = self._begin_start()

    def _begin_start(self) -> asyncio.Task[WorkerProcess]:
        task = asyncio.create_task(self._start())
        task.add_done_callback(_look_at)
        return task

    def _put_back(self, worker: WorkerProcess) -> None:
        is_stale = not worker.files.isdisjoint(worker.changed)
        worker.changed.clear()
        if worker.gone.is_set():
            return
        if is_stale or worker.is_worn or self._is_closed or len(self._idle) >= self._keep:
            self._do(worker.retire())
        else:
            self._idle.append(worker)

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        """Something to be done without anybody waiting for it, but before the pool is closed."""
        task = asyncio.create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


def _look_at(task: asyncio.Task[WorkerProcess]) -> None:
    """A spare that cannot start is reported to whoever needs a worker, not to the log."""
    if not task.cancelled():
        task.exception()


async def _end_started(starting: asyncio.Task[WorkerProcess]) -> None:
    with suppress(CannotStartError, asyncio.CancelledError):
        await (await starting).end()

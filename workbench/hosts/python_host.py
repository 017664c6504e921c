"""The host of Python definitions: a pool of workers in the project's interpreter, with a warm spare (C6, C13, D1)."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.engine.ports import CallLink, HostAnswer, HostCall, Stopped
from workbench.hosts import answers
from workbench.hosts.exposure import Exposure
from workbench.hosts.launching import CannotStartError
from workbench.hosts.worker_process import WorkerGoneError, WorkerProcess
from workbench.worker.frames import Header

IMPORT_SECONDS = 10.0
_SPARE_SECONDS = 0.05
_FILES_WORTH_A_WORKER = 8


class _Running:
    """A call on its way: enough to stop it, wherever it is."""

    def __init__(self) -> None:
        self.task = cast("asyncio.Task[HostAnswer]", asyncio.current_task())
        self.worker: WorkerProcess | None = None
        self.is_stopping = False
        self.ended: asyncio.Task[tuple[str, ...]] | None = None
        self.over = asyncio.Event()


class PythonHost:
    """Fills `ToolHost` for the Python files of one project. Made and used on one event loop.

    `python` is the project's interpreter, `cap` how many calls run at once (nested ones come on top),
    `import_seconds` how long one file may take to load.
    """

    def __init__(
        self,
        project: Path,
        python: Path,
        *,
        cap: int | None = None,
        import_seconds: float = IMPORT_SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._project = project.resolve()
        self._python = python
        self._cores = os.cpu_count() or 1
        self._cap = cap or max(4, self._cores)
        self._import_seconds = import_seconds
        self._environment = dict(os.environ if environment is None else environment)
        self._exposure = Exposure()
        self._lane = ThreadPoolExecutor(max(4, self._cores), thread_name_prefix="hosts")
        self._slots = asyncio.Semaphore(self._cap)
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._spare: asyncio.Task[WorkerProcess] | None = None
        self._calls: dict[CallId, _Running] = {}
        self._chores: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    # --- the port

    async def load(self, files: Sequence[DefinitionFile]) -> AsyncGenerator[LoadedFile]:
        """Shard the files over up to `cores` fresh workers; yields each file as soon as it is known."""
        waiting = deque(files)
        results: asyncio.Queue[LoadedFile] = asyncio.Queue()
        shards = [
            asyncio.create_task(self._load_shard(waiting, results))
            for _ in range(min(self._cores, -(-len(files) // _FILES_WORTH_A_WORKER)))
        ]
        try:
            for _ in range(len(files)):
                yield await results.get()
        finally:
            for shard in shards:
                shard.cancel()
            await asyncio.gather(*shards, return_exceptions=True)

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        running = self._calls[call.call_id] = _Running()
        try:
            if call.nested:
                return await self._call(call, link, running)
            async with self._slots:
                return await self._call(call, link, running)
        except asyncio.CancelledError:
            if not (running.is_stopping and running.worker is None):
                raise
            running.task.uncancel()
            return Stopped()
        finally:
            del self._calls[call.call_id]
            running.over.set()

    async def stop(self, call_id: CallId) -> None:
        running = self._calls.get(call_id)
        if running is None:
            return
        if not running.is_stopping:
            running.is_stopping = True
            if running.worker is None:
                running.task.cancel()
            else:
                running.ended = asyncio.create_task(running.worker.end())
        await running.over.wait()

    async def evaluate(self, file: DefinitionFile, field: str, arguments: bytes) -> HostAnswer:
        """Takes a worker beyond the cap: the call it decides about may be a nested one."""
        request = {"op": "evaluate", "path": file.path, "dialect": file.dialect.value, "field": field}
        return await self._run(file, request, arguments, None, None)

    async def forget(self, paths: Sequence[str]) -> None:
        for worker in [*self._idle, *self._busy]:
            if not worker.files.isdisjoint(paths):
                worker.is_worn = True
        for worker in [worker for worker in self._idle if worker.is_worn]:
            self._idle.remove(worker)
            self._do(worker.retire())

    async def close(self) -> None:
        self._is_closed = True
        for running in self._calls.values():
            running.task.cancel()
        if self._spare is not None:
            self._spare.cancel()
            self._do(_end_started(self._spare))
        await asyncio.gather(*(worker.end() for worker in (*self._idle, *self._busy)))
        while self._chores:
            await asyncio.gather(*self._chores, return_exceptions=True)
        self._lane.shutdown()
        self._exposure.remove()

    # --- one call

    async def _call(self, call: HostCall, link: CallLink, running: _Running) -> HostAnswer:
        request = {
            "op": "call",
            "path": call.file.path,
            "dialect": call.file.dialect.value,
            "identity": dict(call.identity),
        }
        return await self._run(call.file, request, call.arguments, link, running)

    async def _run(
        self,
        file: DefinitionFile,
        request: Header,
        arguments: bytes,
        link: CallLink | None,
        running: _Running | None,
    ) -> HostAnswer:
        try:
            worker = self._idle_worker(file) or await self._fresh_worker()
        except CannotStartError as error:
            return error.answer
        if running is not None:
            running.worker = worker
        async with self._in_use(worker):
            worker.took(file)
            try:
                header, parts = await worker.run(request, [arguments], link)
                left_behind = await worker.end_leftovers() if header["children"] else ()
            except WorkerGoneError as error:
                if running is not None and running.ended is not None:
                    return Stopped((f"{file.name} (pid {worker.pid})", *await running.ended))
                return answers.died(error.status, worker.stderr_tail, await worker.end_orphans())
        return answers.answer(header, parts, left_behind)

    # --- loading

    async def _load_shard(self, waiting: deque[DefinitionFile], results: asyncio.Queue[LoadedFile]) -> None:
        while waiting:
            try:
                worker = await self._fresh_worker()
            except CannotStartError as error:
                while waiting:
                    file = waiting.popleft()
                    results.put_nowait(
                        _failed(file, "no-interpreter", error.answer.message, hint=error.answer.hint)
                    )
                return
            async with self._in_use(worker):
                while waiting and not worker.is_worn and not worker.gone.is_set():
                    results.put_nowait(await self._load_file(worker, waiting.popleft()))

    async def _load_file(self, worker: WorkerProcess, file: DefinitionFile) -> LoadedFile:
        worker.took(file)
        request = {"op": "load", "path": file.path, "dialect": file.dialect.value}
        try:
            async with asyncio.timeout(self._import_seconds):
                header, _ = await worker.run(request)
        except TimeoutError:
            await worker.end()
            return _failed(
                file,
                "import-timeout",
                f"The file was still being imported after {self._import_seconds:g} seconds.",
                hint="Move slow work from module level into execute.",
            )
        except WorkerGoneError as error:
            await worker.end_orphans()
            return _failed(
                file,
                "import-exit",
                f"The process {answers.how_it_ended(error.status)} while it imported the file.",
            )
        if header["children"]:
            await worker.end_leftovers()
        worker.files.update(header["dependsOn"])
        return answers.loaded(file, header)

    # --- workers

    @asynccontextmanager
    async def _in_use(self, worker: WorkerProcess) -> AsyncGenerator[None]:
        """The worker is this user's own; one that is left in the middle of something is ended."""
        self._busy.add(worker)
        try:
            yield
        except BaseException:
            await asyncio.shield(worker.end())
            raise
        finally:
            self._busy.discard(worker)
            self._put_back(worker)

    def _put_back(self, worker: WorkerProcess) -> None:
        if worker.gone.is_set():
            return
        if worker.is_worn or self._is_closed or len(self._idle) >= self._cap:
            self._do(worker.retire())
        else:
            self._idle.append(worker)

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
            starting, self._spare = self._spare, None
            if starting is None or (starting.done() and starting.exception()):
                starting = self._start_worker()
            asyncio.get_running_loop().call_later(_SPARE_SECONDS, self._keep_spare)
            try:
                worker = await asyncio.shield(starting)
            except asyncio.CancelledError:
                self._spare = self._spare or starting
                if self._spare is not starting:
                    starting.cancel()
                raise
            if not worker.gone.is_set():
                return worker

    def _keep_spare(self) -> None:
        if self._spare is None and not self._is_closed:
            self._spare = self._start_worker()

    def _start_worker(self) -> asyncio.Task[WorkerProcess]:
        task = asyncio.create_task(
            WorkerProcess.start(self._python, self._project, self._exposure, self._lane, self._environment)
        )
        task.add_done_callback(_look_at)
        return task

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        """Something to be done without anybody waiting for it, but before the host is closed."""
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


def _failed(file: DefinitionFile, code: str, message: str, *, hint: str = "") -> LoadedFile:
    return LoadedFile(file=file, problems=(answers.problem(file, code, message, hint=hint),))

"""The host of Python definitions: workers in the project's interpreter load and call them (D1, C6, C13)."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.engine.ports import CallLink, Died, HostAnswer, HostCall, Stopped
from workbench.hosts import answers
from workbench.hosts.exposure import Exposure
from workbench.hosts.launching import CannotStartError
from workbench.hosts.pool import WorkerPool
from workbench.hosts.worker_process import WorkerGoneError, WorkerProcess
from workbench.worker.frames import Header

IMPORT_SECONDS = 10.0
_FILES_WORTH_A_WORKER = 64
"""A worker takes about as long to start, and to import what definitions need, as to load these."""


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
    `import_seconds` how long one file may take to load. Workers inherit `environment` (X3).
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
        self._import_seconds = import_seconds
        self._environment = dict(os.environ if environment is None else environment)
        self._exposure = Exposure()
        self._lane = ThreadPoolExecutor(max(4, self._cores), thread_name_prefix="hosts")
        cap = cap or max(4, self._cores)
        self._slots = asyncio.Semaphore(cap)
        self._pool = WorkerPool(self._start_worker, cap)
        self._calls: dict[CallId, _Running] = {}

    async def _start_worker(self) -> WorkerProcess:
        return await WorkerProcess.start(
            self._python, self._project, self._exposure, self._lane, self._environment
        )

    async def close(self) -> None:
        await asyncio.gather(*(self.stop(call_id) for call_id in self._calls))
        await self._pool.close()
        self._lane.shutdown()
        self._exposure.remove()

    async def forget(self, paths: Sequence[str]) -> None:
        self._pool.forget(paths)

    # --- calls

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        running = self._calls[call.call_id] = _Running()
        request: Header = {
            "op": "call",
            "path": call.file.path,
            "dialect": call.file.dialect.value,
            "identity": dict(call.identity),
        }
        if call.debug:
            request["debug"] = True
        try:
            if call.nested or call.debug:
                return await self._run(call.file, request, call.arguments, link, running)
            async with self._slots:
                return await self._run(call.file, request, call.arguments, link, running)
        except asyncio.CancelledError:
            if not running.is_stopping or running.ended is not None:
                raise
            running.task.uncancel()  # it was `stop` that cancelled, before there was a worker
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
                running.worker.is_worn = True  # also if it has just answered
                running.ended = asyncio.create_task(running.worker.end())
        await running.over.wait()

    async def evaluate(self, file: DefinitionFile, field: str, arguments: bytes) -> HostAnswer:
        """Takes a worker beyond the cap: the call it decides about may be a nested one."""
        request = {"op": "evaluate", "path": file.path, "dialect": file.dialect.value, "field": field}
        return await self._run(file, request, arguments)

    async def _run(
        self,
        file: DefinitionFile,
        request: Header,
        arguments: bytes,
        link: CallLink | None = None,
        running: _Running | None = None,
    ) -> HostAnswer:
        try:
            async with self._pool.worker(None if "debug" in request else file) as worker:
                worker.is_worn = "debug" in request
                if running is not None:
                    running.worker = worker
                worker.took(file)
                try:
                    header, parts = await worker.run(request, [arguments], link)
                    left_behind = await worker.end_leftovers() if header["children"] else ()
                except WorkerGoneError as error:
                    if running is not None and running.ended is not None:
                        return Stopped((f"{file.name} (pid {worker.pid})", *await running.ended))
                    return Died(error.reason, worker.stderr_tail, await worker.end_orphans())
                return answers.answer(header, parts, left_behind)
        except CannotStartError as error:
            return error.answer

    # --- loading

    async def load(self, files: Sequence[DefinitionFile]) -> AsyncGenerator[LoadedFile]:
        """Shard the files over up to `cores` fresh workers; yields each file as soon as it is known."""
        waiting = deque(files)
        results: asyncio.Queue[LoadedFile | asyncio.Task[None]] = asyncio.Queue()
        shards = [
            asyncio.create_task(self._load_shard(waiting, results))
            for _ in range(min(self._cores, -(-len(files) // _FILES_WORTH_A_WORKER)))
        ]
        for shard in shards:
            shard.add_done_callback(results.put_nowait)
        running = len(shards)
        try:
            while running:
                item = await results.get()
                if isinstance(item, LoadedFile):
                    yield item
                else:
                    item.result()
                    running -= 1
        finally:
            for shard in shards:
                shard.cancel()
            await asyncio.gather(*shards, return_exceptions=True)

    async def _load_shard(
        self, waiting: deque[DefinitionFile], results: asyncio.Queue[LoadedFile | asyncio.Task[None]]
    ) -> None:
        try:
            while waiting:
                async with self._pool.worker() as worker:
                    while waiting and not worker.is_worn and not worker.gone.is_set():
                        results.put_nowait(await self._load_file(worker, waiting.popleft()))
        except CannotStartError as error:
            words, hint = error.answer.message, error.answer.hint
            while waiting:
                results.put_nowait(answers.not_loaded(waiting.popleft(), "no-interpreter", words, hint))

    async def _load_file(self, worker: WorkerProcess, file: DefinitionFile) -> LoadedFile:
        worker.took(file)
        request = {"op": "load", "path": file.path, "dialect": file.dialect.value}
        try:
            async with asyncio.timeout(self._import_seconds):
                header, _ = await worker.run(request)
        except TimeoutError:
            await worker.end()
            words = f"The file was still being imported after {self._import_seconds:g} seconds."
            hint = "Move slow work from module level into execute."
            return answers.not_loaded(file, "import-timeout", words, hint)
        except WorkerGoneError as error:
            await worker.end_orphans()
            words = f"The process ended while it imported the file: {error.reason}."
            return answers.not_loaded(file, "import-exit", words)
        if header["children"]:
            await worker.end_leftovers()
        worker.files.update(header["dependsOn"])
        return answers.loaded(file, header)

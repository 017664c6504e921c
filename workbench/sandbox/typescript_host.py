"""The host of TypeScript and JavaScript definitions: each call is a run of its own in the sandbox (D1, D4, X3)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.engine.ports import CallLink, HostAnswer, HostCall, Raised, Unavailable
from workbench.sandbox.answers import answered, is_steady, loaded, not_loaded
from workbench.sandbox.call_way import CallWay
from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.descriptions import Descriptions
from workbench.sandbox.fetching import Fetcher
from workbench.sandbox.numbers import rounded, too_big
from workbench.sandbox.program import Program
from workbench.sandbox.project_modules import ENTRY, AskedNames, ProjectModules
from workbench.sandbox.resources import SandboxComing, SandboxUnavailable
from workbench.sandbox.results import CodeResult
from workbench.sandbox.sandbox import Sandbox

IMPORT_SECONDS = 10.0


class _Done(NamedTuple):
    """A run that has ended."""

    modules: ProjectModules
    run: CodeRun
    result: CodeResult


class TypescriptHost:
    """Fills `ToolHost` for the TypeScript and JavaScript files of one project. Made and used on one event loop.

    `allowed_hosts` says which hosts `fetch` may reach, as the settings stand now (X4); `import_seconds` how long one
    file may take to load. What files were found to define is read from the file `kept`, and with `keeps` written there.
    """

    def __init__(
        self,
        project: Path,
        sandbox: Sandbox,
        allowed_hosts: Callable[[], Sequence[str]] = tuple,
        *,
        kept: Path | None = None,
        keeps: bool = True,
        import_seconds: float = IMPORT_SECONDS,
    ) -> None:
        self._project = project.resolve()
        self._sandbox = sandbox
        self._fetcher = Fetcher(allowed_hosts)
        self._import_seconds = import_seconds
        cores = os.cpu_count() or 1
        self._loads = asyncio.Semaphore(cores)
        self._slots = asyncio.Semaphore(max(4, cores))
        self._runs: dict[CallId, CodeRun] = {}
        self._asked: dict[str, AskedNames] = {}
        self._descriptions = Descriptions(kept, writes=keeps)

    async def close(self) -> None:
        for call_id in tuple(self._runs):
            await self.stop(call_id)
        self._fetcher.close()

    async def forget(self, paths: Sequence[str]) -> None:
        """Each run reads its files anew; what they ask of their packages may be something else now."""
        self._asked.clear()

    # --- loading

    async def load(self, files: Sequence[DefinitionFile]) -> AsyncGenerator[LoadedFile]:
        """As many at a time as there are cores; yields each file as soon as it is known."""
        try:
            known = await asyncio.to_thread(self._known, files)
            for loaded_before in known:
                yield loaded_before
            there = {loaded_before.file.path for loaded_before in known}
            files = [file for file in files if file.path not in there]
            if files:
                await self._sandbox.prepare()
        except SandboxUnavailable as error:
            code = "sandbox-coming" if isinstance(error, SandboxComing) else "no-sandbox"
            for file in files:
                yield not_loaded(file, code, error.message, error.hint)
            return
        tasks = [asyncio.create_task(self._load(file)) for file in files]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._descriptions.save, self._project)

    def _known(self, files: Sequence[DefinitionFile]) -> list[LoadedFile]:
        """What was found earlier and still holds. Raises SandboxUnavailable."""
        return self._descriptions.known(files, self._project, self._sandbox.content)

    async def _load(self, file: DefinitionFile) -> LoadedFile:
        loop = asyncio.get_running_loop()

        def limit(run: CodeRun) -> None:
            run.when_done(loop.call_later(self._import_seconds, run.terminate).cancel)

        async with self._loads:
            done = await self._done(file, "describe", (), begun=limit)
        found = loaded(
            file,
            done.result,
            source=done.modules.source,
            depends_on=done.modules.depends_on,
            traced=done.run.traced,
            import_seconds=self._import_seconds,
        )
        if is_steady(done.result):
            self._descriptions.keep(found, done.modules.trace)
        return found

    # --- calls

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        if call.debug:
            return Unavailable(
                "A TypeScript tool runs in the sandbox, where no debugger reaches it.",
                "console.log writes into the call's log.",
            )
        if call.nested:
            return await self._call(call, link)
        async with self._slots:
            return await self._call(call, link)

    async def _call(self, call: HostCall, link: CallLink) -> HostAnswer:
        refused = _too_big(call.arguments)
        if refused is not None:
            return refused
        way = CallWay(link, self._fetcher)
        given = (call.file.dialect.value, call.arguments.decode(), dict(call.identity))
        return await self._run(call.file, "call", given, way, call.call_id)

    async def evaluate(self, file: DefinitionFile, field: str, arguments: bytes) -> HostAnswer:
        refused = _too_big(arguments)
        if refused is not None:
            return refused
        return await self._run(file, "evaluate", (file.dialect.value, field, arguments.decode()))

    async def stop(self, call_id: CallId) -> None:
        run = self._runs.get(call_id)
        if run is not None:
            run.terminate("The call was stopped.")
            await run.ended()

    async def _run(
        self,
        file: DefinitionFile,
        operation: str,
        given: Sequence[object],
        way: CallWay | None = None,
        call_id: CallId | None = None,
    ) -> HostAnswer:
        def keep(run: CodeRun) -> None:
            if call_id is not None:
                self._runs[call_id] = run

        try:
            async with self._preparing(way):
                done = await self._done(file, operation, given, way, begun=keep)
        except SandboxUnavailable as error:
            return Unavailable(error.message, error.hint)
        finally:
            if call_id is not None:
                self._runs.pop(call_id, None)
            if way is not None:
                way.close()
        return answered(file, done.result, done.run.traced, done.run.named)

    @asynccontextmanager
    async def _preparing(self, way: CallWay | None) -> AsyncGenerator[None]:
        """While the sandbox is compiled for this machine, which takes seconds, the call says so."""
        if way is None or self._sandbox.is_prepared:
            yield
            return

        async def tell(way: CallWay) -> None:
            way.tell_doing("Preparing the sandbox, once on this machine")
            await self._sandbox.prepare()
            way.tell_doing("Running")

        telling = asyncio.create_task(tell(way))
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)

    async def _done(
        self,
        file: DefinitionFile,
        operation: str,
        given: Sequence[object],
        way: CallWay | None = None,
        *,
        begun: Callable[[CodeRun], object],
    ) -> _Done:
        """A run to its end; again where an import asked for a name that its package has and does not show: nothing
        was evaluated before that was found. Raises SandboxUnavailable."""
        asked = self._asked.get(file.path, AskedNames())
        while True:
            modules = ProjectModules(
                self._project,
                file.path,
                file.dialect,
                self._sandbox,
                asked,
                watches=operation == "describe",
            )
            run = self._start(modules, operation, given, way)
            begun(run)
            result = await run
            if result.error is not None and modules.learn(result.error.message):
                continue
            if result.status == "success":
                self._asked[file.path] = asked
            else:
                self._asked.pop(file.path, None)
            return _Done(modules, run, result)

    def _start(
        self,
        modules: ProjectModules,
        operation: str,
        given: Sequence[object],
        way: CallWay | None = None,
    ) -> CodeRun:
        return self._sandbox.start(
            Program(
                entry=ENTRY,
                modules=modules,
                image="tools",
                fn="run",
                args=[operation, *given],
                globals={"$sleep": _sleep, **({"$workbench": way.functions()} if way else {})},
                on_log=way.log if way else None,
            )
        )


async def _sleep(milliseconds: float) -> None:
    """What timers wait for."""
    await asyncio.sleep(milliseconds / 1000)


def _too_big(arguments: bytes) -> Raised | None:
    """A whole number that JavaScript would round is refused, never rounded (D7)."""
    place = too_big(arguments)
    if place is None:
        return None
    return Raised("invalid_arguments", "RangeError", rounded(place))

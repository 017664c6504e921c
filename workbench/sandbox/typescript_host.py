"""The host of TypeScript and JavaScript definitions: each call is a run of its own in the sandbox (D1, D4, X3)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.engine.ports import CallLink, HostAnswer, HostCall, Raised, Unavailable
from workbench.sandbox.answers import answered, loaded, not_loaded
from workbench.sandbox.call_way import CallWay
from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.fetching import Fetcher
from workbench.sandbox.numbers import too_big
from workbench.sandbox.program import Program
from workbench.sandbox.project_modules import ENTRY, ProjectModules
from workbench.sandbox.resources import SandboxUnavailable
from workbench.sandbox.sandbox import Sandbox

IMPORT_SECONDS = 10.0


class TypescriptHost:
    """Fills `ToolHost` for the TypeScript and JavaScript files of one project. Made and used on one event loop.

    `allowed_hosts` says which hosts `fetch` may reach, as the settings stand now (X4); `import_seconds` how long one
    file may take to load.
    """

    def __init__(
        self,
        project: Path,
        sandbox: Sandbox,
        allowed_hosts: Callable[[], Sequence[str]] = tuple,
        *,
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

    async def close(self) -> None:
        for call_id in tuple(self._runs):
            await self.stop(call_id)
        self._fetcher.close()

    async def forget(self, paths: Sequence[str]) -> None:
        """Nothing is kept between runs: each reads its files anew."""

    # --- loading

    async def load(self, files: Sequence[DefinitionFile]) -> AsyncGenerator[LoadedFile]:
        """As many at a time as there are cores; yields each file as soon as it is known."""
        try:
            await self._sandbox.prepare()
        except SandboxUnavailable as error:
            for file in files:
                yield not_loaded(file, "no-sandbox", error.message, error.hint)
            return
        tasks = [asyncio.create_task(self._load(file)) for file in files]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _load(self, file: DefinitionFile) -> LoadedFile:
        async with self._loads:
            modules = self._modules(file)
            run = self._start(modules, "describe", ())
            timer = asyncio.get_running_loop().call_later(self._import_seconds, run.terminate)
            try:
                result = await run
            finally:
                timer.cancel()
            return loaded(
                file,
                result,
                source=modules.source,
                depends_on=tuple(modules.read),
                traced=run.traced,
                import_seconds=self._import_seconds,
            )

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
        try:
            run = self._start(self._modules(file), operation, given, way)
        except SandboxUnavailable as error:
            return Unavailable(error.message, error.hint)
        if call_id is not None:
            self._runs[call_id] = run
        try:
            result = await run
        finally:
            if call_id is not None:
                del self._runs[call_id]
            if way is not None:
                way.close()
        return answered(file, result, run.traced)

    def _modules(self, file: DefinitionFile) -> ProjectModules:
        return ProjectModules(self._project, file.path, file.dialect, self._sandbox)

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
    return Raised(
        "invalid_arguments",
        "RangeError",
        f"{place} is a whole number beyond 2^53, which a TypeScript tool would get rounded. Give it as text.",
    )

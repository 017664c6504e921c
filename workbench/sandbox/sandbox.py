"""The sandbox as a whole: made once, cheap until the first run, and everything that runs in it ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import UsageError
from workbench.base.paths import user_cache_dir
from workbench.sandbox import guest
from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.engines import Engines
from workbench.sandbox.modules import SourceModules, check_exports, is_javascript, module_name
from workbench.sandbox.program import Execute, Image, Language, Program
from workbench.sandbox.resources import Resources
from workbench.sandbox.results import LogLine
from workbench.sandbox.stopping import Stop
from workbench.sandbox.threads import Threads
from workbench.sandbox.typescript import Transpiled, TypeScript

MEMORY_BYTES = 128 << 20
"""The ceiling of a run's memory (X1)."""

_LANGUAGES: Mapping[str, str] = {"typescript": ".ts", "javascript": ".js"}


class Sandbox:
    """Runs JavaScript and TypeScript. `start` and `run_code` belong to a running loop, `transpile` to any thread."""

    def __init__(
        self,
        *,
        resources: Path | None = None,
        cache: Path | None = None,
        memory_bytes: int = MEMORY_BYTES,
        clock: Clock | None = None,
    ) -> None:
        self._folder = resources
        self._cache = cache or user_cache_dir() / "sandbox"
        self._memory_bytes = memory_bytes
        self._clock = clock or SystemClock()
        self._built: _Built | None = None
        self._threads = Threads()
        self._runs: set[CodeRun] = set()

    def run_code(
        self,
        source: str,
        *,
        execute: Execute | None = None,
        imports: Mapping[str, Mapping[str, object]] | None = None,
        globals: Mapping[str, object] | None = None,
        modules: Mapping[str, str] | None = None,
        language: Language | None = None,
        filename: str | None = None,
        memory_limit_bytes: int | None = None,
        report: Callable[[object], object] | None = None,
        log: Callable[[LogLine], object] | None = None,
    ) -> CodeRun:
        """Run a module and return its handle at once (X1).

        `modules` maps specifiers relative to `filename` to text. The language is told by `language`, else by the
        filename's suffix, else it is TypeScript. `memory_limit_bytes` is accepted and changes nothing: every run has
        the same ceiling. `log` is called with each line of console as it comes. Raises UsageError for options that
        mean nothing, and SandboxUnavailable.
        """
        suffix = _LANGUAGES[language or "typescript"]
        entry = module_name(filename or f"main{suffix}")
        if memory_limit_bytes is not None and memory_limit_bytes <= 0:
            raise UsageError("memory_limit_bytes is a number above 0.")
        typescript = language == "typescript" or (language is None and not is_javascript(entry))
        for specifier, exports in (imports or {}).items():
            check_exports(specifier, list(exports))
        program = Program(
            entry=entry,
            modules=SourceModules(entry, source, modules or {}, self._transpile, typescript=typescript),
            fn=(execute or Execute()).fn,
            args=(execute or Execute()).args,
            optional=execute is None,
            imports=imports or {},
            globals=globals or {},
            on_report=report,
            on_log=log,
        )
        return self.start(program)

    def start(self, program: Program) -> CodeRun:
        """Run a program and return its handle at once. Raises SandboxUnavailable."""
        built = self._build()
        engines = built.images[program.image]
        specifiers: Mapping[str, str] = built.resources.specifiers if program.image == "tools" else {}
        run = CodeRun(
            program, engines, specifiers, self._memory_bytes, clock=self._clock, threads=self._threads
        )
        self._runs.add(run)
        run.when_done(lambda: self._runs.discard(run))
        return run

    def transpile(self, source: str, filename: str) -> Transpiled:
        """TypeScript as ECMAScript, kept by content; blocks for milliseconds. Raises SourceError."""
        return self._transpile(source, filename, Stop())

    @property
    def specifiers(self) -> frozenset[str]:
        """What the image `tools` has ready to be imported. Raises SandboxUnavailable."""
        return frozenset(self._build().resources.specifiers)

    @property
    def content(self) -> str:
        """What stands for all that files of tools run with. Raises SandboxUnavailable."""
        resources = self._build().resources
        return f"{resources.content('tools')} {resources.content('typescript')}"

    @property
    def is_prepared(self) -> bool:
        """Whether `prepare` has nothing left to compile. Raises SandboxUnavailable."""
        return self._build().is_prepared

    async def prepare(self) -> None:
        """Compile for this machine what runs of tool files need: seconds, once. Raises SandboxUnavailable."""
        await asyncio.to_thread(self._build().prepare)

    async def close(self) -> None:
        """End every run and wait for it; may be called again."""
        runs = list(self._runs)
        for run in runs:
            run.terminate("The sandbox is closed.")
        await asyncio.gather(*(run.ended() for run in runs))
        self._threads.close()
        if self._built is not None:
            self._built.close()

    def _transpile(self, source: str, filename: str, stop: Stop) -> Transpiled:
        return self._build().typescript.transpile(source, filename, stop)

    def _build(self) -> _Built:
        if self._built is None:
            self._built = _Built(Resources.find(self._folder), self._cache)
        return self._built


class _Built:
    """What the sandbox runs on, once its resources were found."""

    def __init__(self, resources: Resources, cache: Path) -> None:
        self.resources = resources
        self.typescript = TypeScript(resources, cache)
        self.images: Mapping[Image, Engines] = {
            "plain": Engines(resources, "plain", cache, guest.link),
            "tools": Engines(resources, "tools", cache, guest.link),
        }

    @property
    def is_prepared(self) -> bool:
        return self.images["tools"].is_compiled and self.typescript.is_compiled

    def prepare(self) -> None:
        engines = self.images["tools"]
        engines.give(engines.take())
        self.typescript.transpile("", "nothing.ts")

    def close(self) -> None:
        self.typescript.close()
        for engines in self.images.values():
            engines.close()

"""The verbs of code pads: make, keep, save, name and delete them, and run what they hold (X1)."""

from __future__ import annotations

import asyncio
import logging
import posixpath
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from workbench.app.drafts import FormDrafts
from workbench.app.pads.contents import Pad, PadContent, PadFile, PadInfo, content_from
from workbench.app.pads.kept import KeptPad, KeptPads, clean_name
from workbench.app.pads.options import RunOptions, read_options
from workbench.app.pads.record import PadRecord
from workbench.app.pads.running import PadRun
from workbench.app.pads.tools import MODULE, CallMode, Calls, PadTool, exports_of, functions_of
from workbench.base.errors import UserError, WorkbenchError
from workbench.base.exact_json import dump
from workbench.base.ids import uuid7
from workbench.domain.changes import Changes
from workbench.engine.services import Services
from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.sandbox import Sandbox

_LARGEST_RECORD = 8_000_000
"""Characters of a result that is kept with its pad at most."""
_log = logging.getLogger(__name__)


class CodePads:
    """Belongs to an open project and to its loop. What is kept has its secrets masked (V6)."""

    def __init__(
        self,
        data: Path,
        services: Services,
        sandbox: Sandbox,
        calls: Calls,
        tell_of_masking: Callable[[], None],
    ) -> None:
        """`data` is the project's own folder; `tell_of_masking` says which secrets cannot be hidden now (V6)."""
        self._kept = KeptPads(data / "pads")
        self._drafts = FormDrafts(data / "drafts" / "pads", services.variables, tell_of_masking)
        self._services = services
        self._sandbox = sandbox
        self._calls = calls
        self._tell_of_masking = tell_of_masking
        self._one_at_a_time = asyncio.Lock()
        self._made: dict[str, KeptPad] = {}
        """Pads that were made here, as they began; whoever else has the project open may have others."""
        self._runs: set[PadRun] = set()
        self._ends: set[asyncio.Task[None]] = set()

    # --- kept with the project

    async def all(self) -> tuple[PadInfo, ...]:
        """The pads by name; one whose file cannot be read is not among them."""
        found = await asyncio.to_thread(self._kept.all)
        drafted = await self._drafts.kept()
        infos = [_info(each, pad, has_draft=each in drafted) for each, pad in found.items()]
        return tuple(sorted(infos, key=lambda one: (one.name.casefold(), one.id)))

    async def create(self) -> PadInfo:
        """A new pad with code to begin with, under a name that no other has. Raises UserError."""
        async with self._writing():
            taken = {pad.name for pad in (await asyncio.to_thread(self._kept.all)).values()}
            name = next(one for n in range(1, len(taken) + 2) if (one := f"Pad {n}") not in taken)
            pad, made = KeptPad(name, None), uuid7()
            await asyncio.to_thread(self._kept.write, made, pad)
            self._made[made] = pad
        return _info(made, pad, has_draft=False)

    async def open(self, id: str) -> Pad:
        """A pad with what was typed into it. Raises UserError when it is gone or cannot be read."""
        pad = await asyncio.to_thread(self._kept.read, id)
        draft = await self._drafts.read(id)
        try:
            typed = None if draft is None else content_from(draft)
        except ValueError:
            typed = None
        return Pad(info=_info(id, pad, has_draft=typed is not None), saved=pad.saved, draft=typed)

    async def exists(self, id: str) -> bool:
        return await asyncio.to_thread(self._kept.exists, id)

    async def keep_draft(self, id: str, content: PadContent) -> None:
        """Keep what is typed and not saved; `open` answers with it from now on. Raises UserError."""
        if await self.exists(id):
            await self._drafts.keep(id, content.to_json())

    async def save(self, id: str, content: PadContent) -> None:
        """Put content in the place of what was saved; there is no draft then. Raises UserError."""
        masker = await self._services.variables.refresh_masker()
        self._tell_of_masking()
        masked = content_from(masker.mask_json(content.to_json()))
        async with self._writing():
            name = (await asyncio.to_thread(self._kept.read, id)).name
            await asyncio.to_thread(self._kept.write, id, KeptPad(name, masked))
        await self._drafts.forget(id)

    async def discard(self, id: str) -> None:
        """Forget what was typed since it was saved."""
        await self._drafts.forget(id)

    async def rename(self, id: str, name: str) -> str:
        """Give it another name; returns that as it is kept. Raises UserError for one that is taken or no name."""
        wanted = clean_name(name)
        async with self._writing():
            pads = await asyncio.to_thread(self._kept.all)
            if any(pad.name == wanted for other, pad in pads.items() if other != id):
                raise UserError(f"Another code pad is named {wanted}.", hint="Take another name.")
            pad = await asyncio.to_thread(self._kept.read, id)
            await asyncio.to_thread(self._kept.write, id, pad._replace(name=wanted))
        return wanted

    async def delete(self, id: str) -> None:
        """Delete it for good. Raises UserError."""
        async with self._writing():
            await asyncio.to_thread(self._kept.delete, id)
        await self._drafts.forget(id)

    # --- running

    def tools(self) -> tuple[PadTool, ...]:
        """The tools that code can be given."""
        catalog = self._services.catalog
        return tuple(
            PadTool(name=name, export=export, description=tool.description)
            for export, name in exports_of(catalog.names()).items()
            if (tool := catalog.find(name)) is not None
        )

    async def run(
        self,
        files: Sequence[PadFile],
        options: str = "{}",
        tools: Sequence[str] = (),
        *,
        pad: str | None = None,
        calls: CallMode | None = None,
    ) -> PadRun:
        """Run the first file; the others are its modules, `tools` what it can import from "tools".

        `options` is JSON text that `options.OPTIONS` accepts. The record is kept with the `pad` of this id. Raises
        UserError for options and names that mean nothing, UsageError for a number in them that JavaScript would round,
        and SandboxUnavailable.
        """
        wanted = read_options(options)
        variables = self._services.variables
        await variables.refresh_masker()
        self._tell_of_masking()
        run = PadRun(lambda: variables.masker)
        started = self._start(run, files, wanted, self._imports(wanted, tools, calls or CallMode()))
        run.follow(started, wanted.time_limit)
        self._runs.add(run)
        end = asyncio.create_task(self._end(run, pad))
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)
        return run

    @property
    def running(self) -> int:
        """How many runs are under way."""
        return len(self._runs)

    def stop_all(self) -> None:
        """Stop every run."""
        for run in tuple(self._runs):
            run.stop()

    async def record(self, id: str) -> PadRecord | None:
        """How the last run of a pad ended, if that was kept."""
        return await asyncio.to_thread(self._kept.record, id)

    async def close(self) -> None:
        """Stop what runs, write what is to be kept and waits, and let go of pads that were made and never touched."""
        for run in tuple(self._runs):
            run.stop("The project was closed.")
        await asyncio.gather(*self._ends)
        drafted = await self._drafts.kept()
        await asyncio.to_thread(self._let_go, [pad for pad in self._made if pad not in drafted])
        await self._drafts.close()

    def _let_go(self, ids: Sequence[str]) -> None:
        """Of those that are as they began and were never run: there is nothing in them."""
        found = self._kept.all()
        for pad in ids:
            if found.get(pad) == self._made[pad] and self._kept.record(pad) is None:
                with suppress(OSError):  # it stays in the list, which costs nothing
                    self._kept.delete(pad)

    def _start(
        self, run: PadRun, files: Sequence[PadFile], options: RunOptions, imports: _Imports
    ) -> CodeRun:
        entry = files[0]
        return self._sandbox.run_code(
            entry.text,
            execute=options.execute,
            imports=imports,
            globals=options.globals,
            modules={_beside(entry.name, file.name): file.text for file in files[1:]},
            language=options.language,
            filename=entry.name,
            memory_limit_bytes=options.memory_limit_bytes,
            report=run.reported,
            log=run.heard,
        )

    def _imports(self, options: RunOptions, tools: Sequence[str], mode: CallMode) -> _Imports:
        if not tools:
            return options.imports
        if MODULE in options.imports:
            raise UserError(
                f'The module "{MODULE}" is that of the project\'s tools.',
                hint="Name the module in Imports otherwise, or choose no tools.",
            )
        known = {tool.name: tool.export for tool in self.tools()}
        chosen = {known[name]: name for name in tools if name in known}
        return {**options.imports, MODULE: functions_of(chosen, self._calls, mode)}

    async def _end(self, run: PadRun, pad: str | None) -> None:
        try:
            record = await run.done()
            if pad is not None and await self.exists(pad):
                await asyncio.to_thread(self._kept.keep_record, pad, _bounded(record))
        except WorkbenchError:
            pass  # whoever follows the run is told
        except OSError as error:
            _log.warning("How a run of a code pad ended was not kept: %s", error)
        finally:
            self._runs.discard(run)

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[None]:
        """One change at a time, since each reads the file that it replaces; then everybody is told."""
        async with self._one_at_a_time:
            try:
                yield
            except OSError as error:
                raise UserError(
                    f"The code pad cannot be written: {error.strerror}.", hint="Nothing was changed."
                ) from error
        self._services.bus.changed(Changes(pads=True))


_Imports = Mapping[str, Mapping[str, object]]


def _info(id: str, pad: KeptPad, *, has_draft: bool) -> PadInfo:
    return PadInfo(id=id, name=pad.name, is_saved=pad.saved is not None, has_draft=has_draft)


def _beside(entry: str, name: str) -> str:
    """A file as the file that is run imports it."""
    return posixpath.relpath(name, posixpath.dirname(entry) or ".")


def _bounded(record: PadRecord) -> PadRecord:
    """Without what would make its file too large."""
    if len(record.result_json or "") + len(record.reports_json) <= _LARGEST_RECORD:
        return record
    words = dump("It was too large to be kept; run it again to see it.")
    return record.model_copy(update={"result_json": words if record.is_ok else None, "reports_json": "[]"})

"""An engine over a real store, with a host and a vault that the tests script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.base.clock import Clock, SystemClock
from workbench.base.ids import CallId, new_call_id
from workbench.domain.calls import Call, CallRequest, CallState, Origin
from workbench.domain.definitions import Language
from workbench.domain.events import Event
from workbench.engine.approvals import Approvals
from workbench.engine.bus import Bus
from workbench.engine.catalog import Catalog
from workbench.engine.doubles.host import ScriptedHost
from workbench.engine.doubles.vault import MemoryVault
from workbench.engine.engine import Engine
from workbench.engine.folders import Folders
from workbench.engine.ports import ModelPort, ToolHost
from workbench.engine.services import Services
from workbench.engine.threads.runtime import HOOK_SECONDS, QUIET_SECONDS
from workbench.engine.variables import Variables
from workbench.models import RecordedModels, ScriptedModels
from workbench.store import SqliteAccountStore, SqliteStore


class GatedModels(ScriptedModels):
    """Scripted models that can be held in the middle of an answer."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, pause=self._pause_or_wait)
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> None:
        """Every answer stops after its first piece from now on."""
        self._open.clear()

    def let_go(self) -> None:
        self._open.set()

    async def _pause_or_wait(self, seconds: float) -> None:
        """The pace of a script is not kept: a test waits for what it wants to see."""
        await asyncio.sleep(0)
        await self._open.wait()


@dataclass
class Rig:
    """What an engine test works with."""

    engine: Engine
    host: ScriptedHost
    store: SqliteStore
    variables: Variables
    vault: MemoryVault
    accounts: SqliteAccountStore
    folder: Path
    events: list[Event] = field(default_factory=list[Event])

    async def reopened(self) -> Rig:
        """The same project as a new process finds it: nothing is known that is not kept."""
        models = self.engine.services.models
        engine = make_engine(
            self.store, self.accounts, self.folder, host=self.host, vault=self.vault, models=models
        )
        await engine.services.variables.load()
        rig = replace(self, engine=engine, variables=engine.services.variables, events=[])
        engine.services.bus.subscribe(rig.events.append)
        return rig

    async def load(self) -> None:
        """Take the scripted tools into the catalog."""
        catalog = self.engine.services.catalog
        stale = catalog.discovered(self.host.files(), ())
        async for loaded in self.host.load(stale):
            catalog.loaded(loaded, f"# {loaded.file.name}")

    async def request(
        self, tool: str, arguments: str = "{}", *, origin: Origin = Origin.FORM, **more: object
    ) -> CallRequest:
        thread = await self.engine.bench()
        return CallRequest.model_validate(
            {
                "tool": tool,
                "arguments": arguments.encode(),
                "origin": origin,
                "thread_id": thread.id,
                "call_id": new_call_id(tool),
                **more,
            }
        )

    async def call(self, tool: str, arguments: str = "{}", **more: object) -> Call:
        """Run one call to its end."""
        await self.load()
        request = await self.request(tool, arguments, **more)  # pyright: ignore[reportArgumentType]
        return await (await self.engine.start(request, await self.engine.bench()))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return when an event made the condition true; fails after five seconds."""
        happened = asyncio.Event()
        stop = self.engine.services.bus.subscribe(lambda _: happened.set())
        try:
            async with asyncio.timeout(30):
                while not condition():
                    await happened.wait()
                    happened.clear()
        finally:
            stop()

    async def next_event(self) -> None:
        """Return when anything has happened."""
        seen = len(self.events)
        await self.until(lambda: len(self.events) > seen)

    async def until_event(self, type: str) -> None:
        """Return when an event of this type has happened."""
        await self.until(lambda: any(event.type == type for event in self.events))

    async def until_state(self, state: CallState) -> CallId:
        """The id of the first call that is in this state."""

        def found() -> list[CallId]:
            return [call.id for call in self.engine.live_calls() if call.state is state]

        await self.until(lambda: bool(found()))
        return found()[0]

    def types(self, call: Call) -> list[str]:
        """The kinds of events of a call, in order."""
        return [event.type for event in self.events if getattr(event, "call_id", None) == call.id]


def make_engine(
    store: SqliteStore,
    accounts: SqliteAccountStore,
    data_dir: Path,
    *,
    host: ToolHost,
    vault: MemoryVault,
    environ: Mapping[str, str] | None = None,
    models: ModelPort | None = None,
    hook_seconds: float = HOOK_SECONDS,
    quiet_seconds: float = QUIET_SECONDS,
    person_attached: bool = False,
    clock: Clock | None = None,
) -> Engine:
    """An engine from real and scripted parts."""
    bus = Bus()
    return Engine(
        Services(
            store=store,
            hosts={Language.PYTHON: host},
            models=models or GatedModels(data_dir),
            recorded_models=RecordedModels(store),
            variables=Variables(store, accounts, vault, bus, environ or {}),
            catalog=Catalog([Language.PYTHON]),
            approvals=Approvals(),
            bus=bus,
            clock=clock or SystemClock(),
            folders=Folders(data_dir),
        ),
        hook_seconds=hook_seconds,
        quiet_seconds=quiet_seconds,
        person_attached=person_attached,
    )

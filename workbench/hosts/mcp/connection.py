"""One connection: reached, kept up, reached again after a pause when it is lost, and called through (H6)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.shared.exceptions import MCPError

from workbench.base.errors import RunError
from workbench.domain.connections import ConnectionSpec, ConnectionState, ConnectionStatus
from workbench.hosts.mcp.failures import is_forgotten
from workbench.hosts.mcp.listing import ListedTool
from workbench.hosts.mcp.reach import reach
from workbench.hosts.mcp.session import McpSession, Progress
from workbench.hosts.mcp.traffic import Traffic

CONNECT_SECONDS = 30.0
"""How long a server may take to answer for the first time; some are downloaded when they are started."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds before a lost connection is tried again; the pause doubles with every failure."""
MOST_OTHERS = 8
"""Sessions of callers with other values of the variables that are kept open."""

_BETWEEN_LISTS = 0.2
"""Seconds; a server may say of each of a hundred tools that its list has changed."""

Values = tuple[tuple[str, str], ...]
"""What the variables of a connection are for somebody, by name."""

Resolve = Callable[[str], Awaitable[str | None]]


class MissingVariablesError(RunError):
    """Variables that the connection needs have no value."""

    def __init__(self, connection: str, names: tuple[str, ...]) -> None:
        words = ", ".join(names)
        which = "the variable" if len(names) == 1 else "the variables"
        super().__init__(
            f"The connection {connection} needs {which} {words}.",
            hint=f"Set {'it' if len(names) == 1 else 'them'}: workbench var set {names[0]}",
        )
        self.names = names


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all connections of a project share.

    `resolve` gives the value of a variable for the project as a whole, `mask` hides secrets; `changed` is told
    the name of a connection that stands otherwise, `listed` of one whose tools are others now.
    """

    folder: Path
    resolve: Resolve
    mask: Callable[[str], str]
    changed: Callable[[str], None]
    listed: Callable[[str], None]
    first_pause: float = FIRST_PAUSE
    connect_seconds: float = CONNECT_SECONDS
    lane: Executor = field(default_factory=lambda: ThreadPoolExecutor(2, thread_name_prefix="mcp"))


class Connection:
    """Kept up from `start` until `stop`. `tools` are those of its last list, also while it is lost."""

    def __init__(self, spec: ConnectionSpec, around: Surroundings) -> None:
        self.spec = spec
        self.traffic = Traffic(around.mask, lambda: around.changed(spec.name))
        self.tools: tuple[ListedTool, ...] = ()
        self._around = around
        self._status = ConnectionStatus(
            name=spec.name,
            target=spec.target,
            state=ConnectionState.STOPPED,
            is_process=spec.url is None,
            advertises=spec.advertise_tools,
        )
        self._keeping: asyncio.Task[None] | None = None
        self._main: McpSession | None = None
        self._main_values: Values = ()
        self._others: dict[Values, McpSession] = {}
        self._opening: dict[Values, asyncio.Task[McpSession]] = {}
        self._moved = asyncio.Event()
        self._try_now = asyncio.Event()
        self._relist = asyncio.Event()

    @property
    def status(self) -> ConnectionStatus:
        """How it stands now."""
        return self._status

    # --- keeping it up

    def start(self) -> None:
        """Begin to connect, at once if it waits for its next try."""
        self._try_now.set()
        if self._keeping is None or self._keeping.done():
            self._move(ConnectionState.CONNECTING)
            self._keeping = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """End it with all its sessions and processes; it stays so until `start`."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait({self._keeping})
            self._keeping = None
        self._status = self._status.model_copy(update={"state": ConnectionState.STOPPED})
        opening = [*self._opening.values()]
        for task in opening:
            task.cancel()
        await asyncio.gather(*opening, return_exceptions=True)
        others, self._others = [*self._others.values()], {}
        await asyncio.gather(*(session.close() for session in others))
        self._move(ConnectionState.STOPPED)

    async def settled(self) -> None:
        """Return when it has said what it has, or why it has nothing."""
        while not self._status.is_settled:
            await self._moved.wait()

    async def variables_changed(self) -> None:
        """Connect again where a variable that it uses has another value now."""
        if not self.spec.variables or self._status.state is ConnectionState.STOPPED:
            return
        if await self._own_values() != self._main_values:
            self._try_now.set()
            if self._main is not None:
                await self._main.close()

    async def _keep(self) -> None:
        pause = self._around.first_pause
        while True:
            self._try_now.clear()
            self._try_again()
            try:
                why = await self._one_session()
                pause = self._around.first_pause
            except MissingVariablesError as missing:
                self._fail(ConnectionState.WAITING_FOR_VARIABLE, missing, missing=missing.names)
                await self._try_now.wait()
                continue
            except RunError as error:
                why = error
            self._fail(ConnectionState.FAILED, why, retry_at=_in(pause))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._try_now.wait()
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _one_session(self) -> RunError:
        """Reach the server, tell its tools, and wait until it is lost; why it was. Raises RunError."""
        values = await self._values(self._around.resolve)
        session = self._session(values, self._relist.set)
        await session.open(self._around.connect_seconds)
        try:
            await self._take_tools(session)
            self._main, self._main_values = session, values
            self._move(
                ConnectionState.READY,
                server=session.server.name,
                protocol=session.server.protocol,
                instructions=session.server.instructions,
                pid=session.pid,
            )
            return await self._lost(session)
        finally:
            self._main = None
            await session.close()

    async def _lost(self, session: McpSession) -> RunError:
        losing = asyncio.create_task(session.lost())
        try:
            while not await self._is_lost_first(losing):
                await asyncio.sleep(_BETWEEN_LISTS)
                await self._take_tools(session)
                self._move(ConnectionState.READY, pid=session.pid)
            return losing.result()
        finally:
            losing.cancel()

    async def _is_lost_first(self, losing: asyncio.Task[RunError]) -> bool:
        """Wait for the end, or for word of another list of tools; whether it is the end."""
        relisting = asyncio.create_task(self._relist.wait())
        try:
            await asyncio.wait({losing, relisting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            relisting.cancel()
        return losing.done()

    async def _take_tools(self, session: McpSession) -> None:
        self._relist.clear()
        tools = await session.tools()
        changed, self.tools = tools != self.tools, tools
        if changed:
            self._around.listed(self.spec.name)

    def _session(self, values: Values, on_tools: Callable[[], None]) -> McpSession:
        way = reach(self.spec, dict(values), self._around.folder, self.traffic, self._around.lane)
        return McpSession(way, self.traffic, on_tools)

    async def _values(self, resolve: Resolve) -> Values:
        values = [(name, await resolve(name)) for name in self.spec.variables]
        missing = tuple(name for name, value in values if value is None)
        if missing:
            raise MissingVariablesError(self.spec.name, missing)
        return tuple((name, value) for name, value in values if value is not None)

    # --- calling

    async def call(
        self, tool: str, arguments: dict[str, Any], on_progress: Progress, resolve: Resolve
    ) -> Mapping[str, Any]:
        """The raw result of a call by somebody for whom `resolve` gives the variables.

        A session that the server has forgotten is replaced, and the call made in the new one. Raises RunError when
        it cannot be reached, and what the library raises; see `failures`.
        """
        session = await self._session_of(resolve)
        try:
            return await session.call(tool, arguments, on_progress)
        except MCPError as error:
            if not is_forgotten(error):
                raise
        await self._forget(session)
        session = await self._session_of(resolve)
        return await session.call(tool, arguments, on_progress)

    async def _forget(self, session: McpSession) -> None:
        self.traffic.log("workbench", "The server has forgotten the session; another one is begun.")
        if session is self._main:
            self._main = None
        self._others = {values: one for values, one in self._others.items() if one is not session}
        await session.close()
        self._try_now.set()

    async def _session_of(self, resolve: Resolve) -> McpSession:
        if self._status.state is ConnectionState.STOPPED:
            raise self._is_stopped()
        values = await self._values(resolve)
        if self._main is not None and self._main.is_open and values == self._main_values:
            return self._main
        if values == await self._own_values():
            return await self._main_session()
        other = self._others.get(values)
        return other if other is not None and other.is_open else await self._other(values)

    async def _own_values(self) -> Values | None:
        try:
            return await self._values(self._around.resolve)
        except MissingVariablesError:
            return None

    async def _main_session(self) -> McpSession:
        """The connection's own session, tried for at once."""
        if self._status.state is not ConnectionState.CONNECTING:
            self._status = self._status.model_copy(update={"state": ConnectionState.CONNECTING})
        self._try_now.set()
        await self.settled()
        if self._main is None:
            raise RunError(
                f"The connection {self.spec.name} cannot be used: {self._status.message}",
                hint=self._status.hint,
            )
        return self._main

    async def _other(self, values: Values) -> McpSession:
        """A session for these values, opened once for all who want it; it outlives one who waits no longer."""

        def opened(task: asyncio.Task[McpSession]) -> None:
            del self._opening[values]
            if not task.cancelled():
                task.exception()  # which nobody may wait for any more

        opening = self._opening.get(values)
        if opening is None:
            opening = self._opening[values] = asyncio.create_task(self._open_other(values))
            opening.add_done_callback(opened)
        await asyncio.wait({opening})
        if opening.cancelled():
            raise self._is_stopped()
        return opening.result()

    def _is_stopped(self) -> RunError:
        return RunError(f"The connection {self.spec.name} is stopped.", hint="Connect it again.")

    async def _open_other(self, values: Values) -> McpSession:
        idle = [key for key, session in self._others.items() if session.calls == 0 or not session.is_open]
        for key in idle[: max(0, len(self._others) + len(self._opening) - MOST_OTHERS)]:
            if (one := self._others.pop(key, None)) is not None:
                await one.close()
        session = self._session(values, lambda: None)
        await session.open(self._around.connect_seconds)
        self._others[values] = session
        return session

    # --- telling

    def _move(self, state: ConnectionState, **changes: object) -> None:
        fresh = {"message": "", "hint": "", "retry_at": None, "missing": (), "tools": len(self.tools)}
        if state is not ConnectionState.READY:
            fresh["pid"] = None
        self._become(self._status.model_copy(update={**fresh, "state": state, **changes}))

    def _try_again(self) -> None:
        """Why it failed stays to be read: of a server that hangs there is little else to see."""
        last = self._status if self._status.state is ConnectionState.FAILED else None
        self._move(
            ConnectionState.CONNECTING, message=last.message if last else "", hint=last.hint if last else ""
        )

    def _fail(self, state: ConnectionState, why: RunError, **changes: object) -> None:
        message, hint = self._around.mask(why.message), self._around.mask(why.hint)
        self.traffic.log("workbench", message)
        self._move(state, message=message, hint=hint, **changes)

    def _become(self, status: ConnectionStatus) -> None:
        self._status = status
        self._moved.set()
        self._moved = asyncio.Event()
        self._around.changed(self.spec.name)


def _in(seconds: float) -> int:
    """The moment so many seconds from now, in microseconds."""
    return time.time_ns() // 1000 + int(seconds * 1_000_000)

"""The host of tools that MCP servers have: every connection of a project, its tools as definitions, calls of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import cast

from workbench.base.errors import NotThere
from workbench.base.ids import CallId
from workbench.domain.connections import ConnectionSpec
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.engine.ports import CallLink, HostAnswer, HostCall, Stopped, Unavailable
from workbench.hosts.mcp.calling import call_tool
from workbench.hosts.mcp.connection import Connection, Surroundings
from workbench.hosts.mcp.listing import ListedTool, file_of, loaded


class _Running:
    """A call on its way: enough to stop it."""

    def __init__(self) -> None:
        self.task = cast("asyncio.Task[HostAnswer]", asyncio.current_task())
        self.is_stopping = False
        self.over = asyncio.Event()


class McpHost:
    """Fills `ToolHost` for what the connections of one project list (H6). Made and used on one event loop."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._connections: dict[str, Connection] = {}
        self._calls: dict[CallId, _Running] = {}

    # --- connections

    async def set(self, specs: Iterable[ConnectionSpec]) -> None:
        """These are the connections from now on: begin to keep up what is new or other, end what is gone."""
        wanted = {spec.name: spec for spec in specs}
        gone = [one for one in self._connections.values() if wanted.get(one.spec.name) != one.spec]
        for connection in gone:
            del self._connections[connection.spec.name]
        await asyncio.gather(*(connection.stop() for connection in gone))
        for name, spec in wanted.items():
            if name not in self._connections:
                self._connections[name] = Connection(spec, self._around)
                self._connections[name].start()
        for connection in gone:
            self._around.listed(connection.spec.name)

    @property
    def connections(self) -> tuple[Connection, ...]:
        """Every connection, in the order of the settings."""
        return tuple(self._connections.values())

    def connection(self, name: str) -> Connection:
        """Raises UserError when there is none of this name."""
        found = self._connections.get(name)
        if found is None:
            known = ", ".join(sorted(self._connections)) or "none"
            raise NotThere(
                f"There is no connection named {name}.",
                hint=f"workbench.toml has these connections: {known}.",
            )
        return found

    async def settled(self) -> None:
        """Return when every connection has said what it has, or why it has nothing."""
        await asyncio.gather(*(connection.settled() for connection in self.connections))

    async def variables_changed(self) -> None:
        """Variables have other values now; connections that use them connect again."""
        await asyncio.gather(*(connection.variables_changed() for connection in self.connections))

    def files(self) -> tuple[DefinitionFile, ...]:
        """What stands for the tools of the connections that advertise them, among the definition files."""
        return tuple(
            file_of(connection.spec, tool)
            for connection in self.connections
            if connection.spec.advertise_tools
            for tool in connection.tools
        )

    def _find(self, file: DefinitionFile) -> tuple[Connection, ListedTool] | None:
        connection = self._connections.get(file.connection or "")
        tools = connection.tools if connection else ()
        tool = next((tool for tool in tools if tool.name == file.name), None)
        return (connection, tool) if connection is not None and tool is not None else None

    # --- the port

    async def load(self, files: Sequence[DefinitionFile]) -> AsyncGenerator[LoadedFile]:
        by_name = {
            (connection.spec.name, tool.name): (connection.spec, tool)
            for connection in self.connections
            for tool in connection.tools
        }
        for file in files:
            found = by_name.get((file.connection or "", file.name))
            if found is not None:  # else it went meanwhile, and the next look says so
                yield loaded(found[0], file, found[1])

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        running = self._calls[call.call_id] = _Running()
        try:
            found = self._find(call.file)
            if found is None:
                return Unavailable(
                    f"The connection {call.file.connection} has no tool {call.file.name} any more.",
                    "Look at the connection: its server may list other tools now.",
                )

            async def resolve(name: str) -> str | None:
                return cast("str | None", await link.ask("env", {"name": name}))

            return await call_tool(found[0], found[1].name, call.arguments, link, resolve)
        except asyncio.CancelledError:
            if not running.is_stopping:
                raise
            running.task.uncancel()
            return Stopped()
        finally:
            del self._calls[call.call_id]
            running.over.set()

    async def stop(self, call_id: CallId) -> None:
        """Tell the server and wait no longer; its process goes on, for it serves other calls, too."""
        running = self._calls.get(call_id)
        if running is None:
            return
        if not running.is_stopping:
            running.is_stopping = True
            running.task.cancel()
        await running.over.wait()

    async def evaluate(self, file: DefinitionFile, field: str, arguments: bytes) -> HostAnswer:
        del field, arguments
        return Unavailable(f"{file.name} of the connection {file.connection} has no functions to ask.")

    async def forget(self, paths: Sequence[str]) -> None:
        """No file of a project is a tool of a server's."""

    async def close(self) -> None:
        await asyncio.gather(*(self.stop(call_id) for call_id in tuple(self._calls)))
        await asyncio.gather(*(connection.stop() for connection in self.connections))
        self._around.lane.shutdown()

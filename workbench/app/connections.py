"""The MCP servers that a project names: kept up while it is open, looked at, stopped and connected by hand (H6)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.app.project_settings import ProjectSettings
from workbench.base.errors import NotThere
from workbench.domain.changes import Changes
from workbench.domain.connections import (
    ConnectionLine,
    ConnectionSpec,
    ConnectionState,
    ConnectionStatus,
    ConnectionTool,
    WireMessage,
)
from workbench.domain.definitions import DefinitionFile, Diagnostic, Language, Severity
from workbench.engine.bench import bench_layers
from workbench.engine.ports import ToolHost
from workbench.engine.services import Services
from workbench.project.places import SETTINGS_FILE

if TYPE_CHECKING:
    from workbench.hosts.mcp.connection import Connection, Surroundings
    from workbench.hosts.mcp.host import McpHost

TELL_EVERY = 0.1
"""Seconds between two tellings that there is more to see of a connection."""
PATIENCE = 10.0
"""Seconds that are waited for servers when a project is opened for one question; those that are slower are missing."""

_AMISS = (ConnectionState.FAILED, ConnectionState.WAITING_FOR_VARIABLE)


class Connections:
    """Belongs to the engine's loop. `hosts` gets a host for their tools with the first connection."""

    def __init__(
        self, root: Path, settings: ProjectSettings, services: Services, hosts: dict[Language, ToolHost]
    ) -> None:
        self._root = root
        self._settings = settings
        self._services = services
        self._hosts = hosts
        self._host: McpHost | None = None
        self._changed: set[str] = set()
        self._shown: dict[str, ConnectionStatus] = {}
        self._woken = asyncio.Event()
        self._has_other_tools = False
        self._has_other_values = False

    # --- keeping them true to the settings

    async def apply(self) -> None:
        """Begin and end connections until they are those of the settings."""
        specs = [
            ConnectionSpec(name=name, **found.model_dump())
            for name, found in self._settings.settings.connections.items()
        ]
        if self._host is None and specs:
            self._host = self._hosts[Language.MCP] = await self._make_host()
        if self._host is not None:
            await self._host.set(specs)

    async def _make_host(self) -> McpHost:
        # The library takes a second to import, which a project without connections need not wait for.
        make, surroundings = await asyncio.to_thread(_imported)
        return make(
            surroundings(
                folder=self._root,
                resolve=self._value,
                mask=self._masked,
                changed=self._on_changed,
                listed=self._on_listed,
            )
        )

    async def _value(self, name: str) -> str | None:
        await self._services.variables.refresh_masker()
        layers = await bench_layers(self._services.store)
        return (await self._services.variables.resolve(name, layers)).value

    def _masked(self, text: str) -> str:
        return self._services.variables.masker.mask(text)  # asked for each text: it changes with the secrets

    async def follow(self, refresh: Callable[[], Awaitable[None]]) -> None:
        """Take over for as long as this runs what servers list anew, and what is set that connections use."""
        stop = self._services.bus.subscribe(on_changes=self._on_changes)
        try:
            while True:
                await self._woken.wait()
                self._woken.clear()
                if self._has_other_values and self._host is not None:
                    self._has_other_values = False
                    await self._host.variables_changed()
                if self._has_other_tools:
                    self._has_other_tools = False
                    await refresh()
        finally:
            stop()

    async def settled(self, patience: float = PATIENCE) -> bool:
        """Reach every server, and return when each has said what it has or patience ends; whether there are any."""
        if self._host is None:
            await self.apply()
        if self._host is None:
            return False
        try:
            async with asyncio.timeout(patience):
                await self._host.settled()
        except TimeoutError:
            pass  # what is missing says so itself
        return True

    def files(self) -> tuple[DefinitionFile, ...]:
        """What stands for their tools among the definition files."""
        return self._host.files() if self._host else ()

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """A remark for each connection that cannot be used now."""
        return tuple(
            Diagnostic(
                code="connection-failed",
                severity=Severity.WARNING,
                path=SETTINGS_FILE,
                line=self._settings.line_of("connections", status.name),
                name=f"connections.{status.name}",
                message=f"The connection {status.name} cannot be used. {status.message}",
                hint=status.hint,
            )
            for status in self.statuses()
            if status.state in _AMISS
        )

    # --- telling

    def _on_changes(self, changes: Changes) -> None:
        if changes.variables:
            self._has_other_values = True
            self._woken.set()

    def _on_listed(self, name: str) -> None:
        self._has_other_tools = True
        self._woken.set()
        self._on_changed(name)

    def _on_changed(self, name: str) -> None:
        if not self._changed:
            asyncio.get_running_loop().call_later(TELL_EVERY, self._tell)
        self._changed.add(name)

    def _tell(self) -> None:
        names, self._changed = frozenset(self._changed), set()
        now = {status.name: status for status in self.statuses()}
        before, self._shown = self._shown, now
        self._services.bus.changed(Changes(connections=names, diagnostics=before != now))

    # --- looking and doing

    def statuses(self) -> tuple[ConnectionStatus, ...]:
        """How every connection stands, in the order of the settings."""
        return tuple(connection.status for connection in self._host.connections) if self._host else ()

    def status(self, name: str) -> ConnectionStatus:
        """How a connection stands. This and what follows raise UserError when there is none of this name."""
        return self._find(name).status

    def tools(self, name: str) -> tuple[ConnectionTool, ...]:
        """What its server lists, what cannot be used included."""
        return tuple(tool.to_value() for tool in self._find(name).tools)

    def log(self, name: str) -> tuple[ConnectionLine, ...]:
        """The last lines of its log, secrets masked."""
        return self._find(name).traffic.lines()

    def messages(self, name: str, since: int = 0) -> tuple[WireMessage, ...]:
        """The last messages with a number above `since`, secrets masked."""
        return self._find(name).traffic.messages(since)

    def connect(self, name: str) -> None:
        """Connect one that is stopped, or waits for its next try."""
        self._find(name).start()

    async def reconnect(self, name: str) -> None:
        """End one with its process and connect it anew."""
        connection = self._find(name)
        await connection.stop()
        connection.start()

    async def stop(self, name: str) -> None:
        """End one with its process; it stays so until it is connected, or the project is opened again."""
        await self._find(name).stop()

    def _find(self, name: str) -> Connection:
        if self._host is None:
            raise NotThere(
                f"There is no connection named {name}.", hint=f"{SETTINGS_FILE} of this project names none."
            )
        return self._host.connection(name)


def _imported() -> tuple[type[McpHost], type[Surroundings]]:
    from workbench.hosts.mcp.connection import Surroundings
    from workbench.hosts.mcp.host import McpHost

    return McpHost, Surroundings

"""Connections to test peers, with the words that tests need."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from tests.hosts.conftest import RecordingLink
from workbench.base.ids import CallId
from workbench.domain.connections import ConnectionSpec, ConnectionState, ConnectionStatus
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.engine.ports import HostAnswer, HostCall
from workbench.hosts.mcp.connection import Surroundings
from workbench.hosts.mcp.host import McpHost

PEERS = Path(__file__).parent / "peers"
LIMIT = 30.0
"""Seconds that anything may take on a loaded machine."""


def raw_peer(
    name: str = "peer", *, env: Mapping[str, str] | None = None, **settings: object
) -> ConnectionSpec:
    """A connection to the peer without a library."""
    return ConnectionSpec(
        name=name,
        command=sys.executable,
        args=(str(PEERS / "raw_peer.py"), json.dumps(settings)),
        env=env or {},
    )


def tool(name: str, **fields: object) -> dict[str, object]:
    """A tool as a server lists it."""
    return {"name": name, "inputSchema": {"type": "object"}, **fields}


class McpBench:
    """A host with connections, and what it told."""

    def __init__(
        self, folder: Path, *, connect_seconds: float = LIMIT, mask: Callable[[str], str] = str
    ) -> None:
        self.values: dict[str, str] = {}
        """What variables are for the project as a whole."""
        self.changed = asyncio.Event()
        self.listed: list[str] = []
        self._numbers = itertools.count(1)
        self.host = McpHost(
            Surroundings(
                folder=folder,
                resolve=self._resolve,
                mask=mask,
                changed=lambda _: self._tell(),
                listed=self._take_listed,
                first_pause=0.05,
                connect_seconds=connect_seconds,
            )
        )

    async def _resolve(self, name: str) -> str | None:
        return self.values.get(name)

    def _tell(self) -> None:
        self.changed.set()

    def _take_listed(self, name: str) -> None:
        self.listed.append(name)
        self._tell()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until it holds; looked at whenever a connection tells something."""
        async with asyncio.timeout(LIMIT):
            while not holds():
                self.changed.clear()
                if holds():
                    return
                await self.changed.wait()

    async def connect(self, *specs: ConnectionSpec) -> ConnectionStatus:
        """Set these connections and wait until each has settled; the first one's status."""
        await self.host.set(specs)
        async with asyncio.timeout(LIMIT):
            await self.host.settled()
        return self.status(specs[0].name)

    def status(self, name: str = "peer") -> ConnectionStatus:
        return self.host.connection(name).status

    async def until_state(self, state: ConnectionState, name: str = "peer") -> ConnectionStatus:
        await self.until(lambda: self.status(name).state is state)
        return self.status(name)

    def log(self, name: str = "peer") -> str:
        return "\n".join(line.text for line in self.host.connection(name).traffic.lines())

    def file(self, name: str, connection: str = "peer") -> DefinitionFile:
        files = [file for file in self.host.files() if (file.connection, file.name) == (connection, name)]
        assert len(files) == 1, [file.path for file in self.host.files()]
        return files[0]

    async def loaded(self) -> dict[str, LoadedFile]:
        async with aclosing(self.host.load(self.host.files())) as found:
            return {one.file.name: one async for one in found}

    def start(
        self, name: str, link: RecordingLink | None = None, /, connection: str = "peer", **arguments: object
    ) -> tuple[CallId, asyncio.Task[HostAnswer]]:
        call_id = CallId(f"tool_{name}_{next(self._numbers)}")
        call = HostCall(call_id, self.file(name, connection), json.dumps(arguments).encode())
        return call_id, asyncio.create_task(self.host.call(call, link or RecordingLink()))

    async def call(
        self, name: str, link: RecordingLink | None = None, /, connection: str = "peer", **arguments: object
    ) -> HostAnswer:
        async with asyncio.timeout(LIMIT):
            return await self.start(name, link, connection=connection, **arguments)[1]


@asynccontextmanager
async def mcp_bench(
    folder: Path, *, connect_seconds: float = LIMIT, mask: Callable[[str], str] = str
) -> AsyncGenerator[McpBench]:
    bench = McpBench(folder, connect_seconds=connect_seconds, mask=mask)
    try:
        yield bench
    finally:
        await bench.host.close()

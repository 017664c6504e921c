"""Our client as the protocol's conformance tests start it, with the address of their server: it calls every tool."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from workbench.domain.connections import ConnectionSpec, ConnectionState
from workbench.hosts.mcp.connection import Surroundings
from workbench.hosts.mcp.host import McpHost

ARGUMENTS: dict[str, object] = {"a": 5, "b": 3}


async def no_value(name: str) -> str | None:
    return None


def ignored(current: float, total: float | None, message: str | None) -> None:
    """Progress that nobody looks at."""


async def main(url: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        around = Surroundings(
            folder=Path(folder),
            resolve=no_value,
            mask=str,
            changed=lambda name: None,
            listed=lambda name: None,
        )
        host = McpHost(around)
        await host.set([ConnectionSpec(name="peer", url=url)])
        await host.settled()
        connection = host.connection("peer")
        try:
            for tool in connection.tools:
                await connection.call(tool.name, ARGUMENTS, ignored, no_value)
        finally:
            state = connection.status.state
            await host.close()
    return 0 if state is ConnectionState.READY else 1


sys.exit(asyncio.run(main(sys.argv[-1])))

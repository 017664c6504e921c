"""`workbench mcp`: the project's tools for MCP clients, over stdin and stdout or at an address."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from workbench.cli.interrupt import stop_on_signal
from workbench.cli.opening import opened
from workbench.cli.session import Exit, project_options


@click.command()
@click.option(
    "--stdio",
    "transport",
    flag_value="stdio",
    default="stdio",
    help="Over stdin and stdout; so it is unless told.",
)
@click.option("--approve", is_flag=True, help="Approve beforehand calls that need approval.")
@project_options
def mcp(project: Path, transport: str, approve: bool) -> int:
    """Serve the project's tools to an MCP client.

    Tools follow what changes on disk. It ends when the client closes stdin.
    """
    del transport
    asyncio.run(_over_stdio(project, approve))
    return Exit.OK


async def _over_stdio(project: Path, approve: bool) -> None:
    from workbench.server.mcp import McpDoor

    with stop_on_signal(lambda: False):
        async with opened(project, watch=True) as wb:
            await McpDoor(wb, approve=approve).serve_stdio()

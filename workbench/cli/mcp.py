"""`workbench mcp`: the project's tools for MCP clients, over stdin and stdout or at an address."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from workbench.cli.interrupt import stop_on_signal
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.serve import Listening, say_where, serve_until_stopped
from workbench.cli.session import Exit, project_options


@click.command()
@click.option(
    "--stdio", "transport", flag_value="stdio", default="stdio", help="Over stdin and stdout; the default."
)
@click.option("--http", "transport", flag_value="http", help="At an address of this machine.")
@click.option("--port", type=click.IntRange(0, 65_535), help="With --http: the port; 0 takes a free one.")
@click.option("--no-auth", is_flag=True, help="With --http: ask for no token.")
@click.option("--approve", is_flag=True, help="Approve beforehand calls that need approval.")
@project_options
def mcp(project: Path, transport: str, port: int | None, no_auth: bool, approve: bool) -> int:
    """Serve the project's tools to MCP clients.

    Tools follow what changes on disk. Over stdin it ends when the client closes it. With --http the address and the
    token are told on stderr; WORKBENCH_TOKEN in the environment gives the token.
    """
    if transport == "http":
        asyncio.run(_over_http(project, Listening(port=port, auth=not no_auth), approve))
    else:
        asyncio.run(_over_stdio(project, approve))
    return Exit.OK


async def _over_stdio(project: Path, approve: bool) -> None:
    from workbench.server.mcp import McpDoor

    if sys.stdin.isatty():
        say("An MCP client starts this, and speaks to it over stdin and stdout. Ctrl+D ends it.")
    with stop_on_signal(lambda: False):
        async with opened(project, watch=True) as wb:
            await McpDoor(wb, approve=approve).serve_stdio()


async def _over_http(project: Path, listening: Listening, approve: bool) -> None:
    async with opened(project, watch=True) as wb:
        await serve_until_stopped(wb, listening, say_where, approve=approve)

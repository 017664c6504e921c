"""`workbench serve`: the project's tools for other programs, over HTTP and MCP, until somebody stops it (H1)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from workbench.cli.opening import opened
from workbench.cli.output import print_json, say
from workbench.cli.session import Exit, json_option, project_options
from workbench.domain.tokens import TOKEN_VARIABLE

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.server import Server


class Listening(NamedTuple):
    """How it was asked to listen; None is what the settings say."""

    host: str = "127.0.0.1"
    port: int | None = None
    auth: bool = True
    hosts: tuple[str, ...] = ()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port; 0 takes a free one.  [3000]")
@click.option("--no-auth", is_flag=True, help="Ask for no token; on this machine only.")
@click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="Another name that this server may be addressed by; may be given several times.",
)
@json_option
@project_options
def serve(project: Path, *, as_json: bool, no_auth: bool, **given: object) -> int:
    """Serve the project's tools over HTTP, and to MCP clients, until Ctrl+C; files that change are taken up.

    Callers send a token: that of WORKBENCH_TOKEN in the environment, else a new one, which is shown. Ctrl+C lets
    calls end for a few seconds; a second one stops them at once.
    """
    listening = Listening(auth=not no_auth, **given)  # pyright: ignore[reportArgumentType]
    asyncio.run(_serve(project, listening, as_json=as_json))
    return Exit.OK


async def _serve(project: Path, listening: Listening, *, as_json: bool) -> None:
    def tell(server: Server, token: str | None) -> None:
        if as_json:
            print_json({"url": server.url, "token": token}, compact=True)
            return
        say(f"Tools:   {server.url}/v1/tools/NAME")
        say(f"OpenAPI: {server.url}/openapi.json")
        say_where(server, token)

    say("Starting: the project is loaded first.")
    async with opened(project, watch=True) as wb:
        await wb.settled()
        await serve_until_stopped(wb, listening, tell)


async def serve_until_stopped(
    wb: Workbench, listening: Listening, tell: Callable[[Server, str | None], None], *, approve: bool = False
) -> None:
    """Serve an open project until a signal asks to stop; `tell` is given the server and its token, if it has one."""
    from workbench.server import Server
    from workbench.server.serving import Place
    from workbench.server.tokens import server_token

    settings = wb.server_settings
    token = server_token() if listening.auth and settings.auth else None
    place = Place(listening.host, settings.port if listening.port is None else listening.port)
    server = await Server.start(wb, place, token=token, hosts=listening.hosts, approve=approve)
    try:
        tell(server, token)
        await _until_asked_to_stop(server)
    finally:
        await server.stop(grace=0.0)


def say_where(server: Server, token: str | None) -> None:
    """Where MCP clients are served, what callers send, and how the server is stopped."""
    say(f"MCP:     {server.url}/mcp")
    if token is None:
        say("Token:   none is asked for")
    else:
        known = TOKEN_VARIABLE in os.environ
        say(f"Token:   {f'that of {TOKEN_VARIABLE}' if known else token}")
    if server.callers:
        say(f"Callers: {', '.join(server.callers)}, by tokens of their own")
    say("Ctrl+C stops it.")


async def _until_asked_to_stop(server: Server) -> None:
    loop = asyncio.get_running_loop()
    asked: asyncio.Queue[None] = asyncio.Queue()
    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, asked.put_nowait, None)
    try:
        await asked.get()
        say("Stopping. Ctrl+C again stops the calls under way at once.")
        stopping = asyncio.create_task(server.stop())
        again = asyncio.create_task(asked.get())
        await asyncio.wait({stopping, again}, return_when=asyncio.FIRST_COMPLETED)
        again.cancel()
        if not stopping.done():
            await server.stop(grace=0.0)
        await stopping
    finally:
        for number in signals:
            loop.remove_signal_handler(number)

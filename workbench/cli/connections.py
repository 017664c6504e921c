"""`workbench connection`: the MCP servers that a project names, how they stand, and what goes over them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from workbench.cli.opening import opened
from workbench.cli.output import local_time, one_line, print_json, print_table, print_text, say
from workbench.cli.session import Exit, json_option, project_options
from workbench.domain.connections import (
    ConnectionLine,
    ConnectionState,
    ConnectionStatus,
    ConnectionTool,
    WireMessage,
)


class _Look(NamedTuple):
    """Everything that is shown of one connection."""

    status: ConnectionStatus
    tools: tuple[ConnectionTool, ...]
    log: tuple[ConnectionLine, ...]
    messages: tuple[WireMessage, ...]


@click.group()
def connection() -> None:
    """List the connections of a project to MCP servers, look at one."""


@connection.command("list")
@json_option
@project_options
def list_connections(project: Path, as_json: bool) -> int:
    """Connect to every server, and list what came of it."""
    found = asyncio.run(_statuses(project))
    if as_json:
        print_json([_row(one) for one in found])
        return Exit.OK
    if not found:
        say("No connections yet: workbench.toml names them as [connections.NAME].")
    rows = [(one.name, _state(one), str(one.tools), one.server, one_line(_about(one))) for one in found]
    print_table(("Name", "State", "Tools", "Server", ""), rows)
    return Exit.OK


async def _statuses(project: Path) -> tuple[ConnectionStatus, ...]:
    async with opened(project, read_only=True) as wb:
        return wb.connections.statuses()


@connection.command("show", short_help="Show how a connection stands.")
@click.argument("name")
@click.option("--messages", "with_messages", is_flag=True, help="Show the messages that went over it, too.")
@json_option
@project_options
def show_connection(project: Path, name: str, with_messages: bool, as_json: bool) -> int:
    """Connect to a server, and show its tools and its log.

    Ends with 3 when workbench.toml names no such connection, 4 when it cannot be reached.
    """
    look = asyncio.run(_look(project, name))
    if as_json:
        shown: dict[str, object] = {
            **_row(look.status),
            "listed": [tool.to_json() for tool in look.tools],
            "log": [line.to_json() for line in look.log],
        }
        if with_messages:
            shown["messages"] = [message.to_json() for message in look.messages]
        print_json(shown)
    else:
        print_text("\n".join(_sheet(look, with_messages)))
    return Exit.OK if look.status.state is ConnectionState.READY else Exit.UNAVAILABLE


async def _look(project: Path, name: str) -> _Look:
    async with opened(project, read_only=True) as wb:
        of = wb.connections
        return _Look(of.status(name), of.tools(name), of.log(name), of.messages(name))


def _sheet(look: _Look, with_messages: bool) -> Iterator[str]:
    status = look.status
    yield f"{status.name}  ({_state(status)})"
    yield status.target
    if about := _about(status):
        yield about
    if status.server:
        yield f"{status.server}, MCP {status.protocol}"
    for tool in look.tools:
        yield f"  {tool.name}  {one_line(tool.problem or tool.description)}"
    if look.log:
        yield "\nLog"
        yield from (f"  {local_time(line.at)}  {line.source}  {line.text}" for line in look.log)
    if with_messages:
        yield "\nMessages"
        for message in look.messages:
            yield f"  {local_time(message.at)}  {'→' if message.is_ours else '←'}  {message.text}"


def _state(status: ConnectionStatus) -> str:
    return status.state.value.replace("_", " ")


def _about(status: ConnectionStatus) -> str:
    return f"{status.message} {status.hint}".strip()


def _row(status: ConnectionStatus) -> dict[str, object]:
    return {
        "name": status.name,
        "state": status.state,
        "target": status.target,
        "server": status.server,
        "protocol": status.protocol,
        "tools": status.tools,
        "advertised": status.advertises,
        "message": status.message,
        "hint": status.hint,
        "missing": list(status.missing),
    }

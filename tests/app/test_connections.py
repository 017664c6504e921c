"""A project with connections: their tools are its tools, for forms, programs and models (H6)."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from tests.hosts.mcp_bench import LIMIT, PEERS, tool
from workbench.app import Workbench
from workbench.base.exact_json import parse
from workbench.base.ids import CallId
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.changes import Changes
from workbench.domain.connections import ConnectionState
from workbench.domain.variables import Scope

PICTURE = base64.b64encode(b"a picture").decode()


def connect(project: Path, name: str = "peer", more: str = "", **settings: object) -> None:
    """Add a connection to the test peer to the project's settings."""
    args = json.dumps([str(PEERS / "raw_peer.py"), json.dumps(settings)])
    text = f"[connections.{name}]\ncommand = {json.dumps(sys.executable)}\nargs = {args}\n{more}\n"
    with (project / "workbench.toml").open("a") as file:
        file.write(text)


async def until(wb: Workbench, holds: Callable[[], object]) -> None:
    """Wait until it holds; looked at whenever something changes."""
    changed = asyncio.Event()
    stop = wb.subscribe(on_changes=lambda _: changed.set())
    try:
        async with asyncio.timeout(LIMIT):
            while not holds():
                await changed.wait()
                changed.clear()
    finally:
        stop()


def names(wb: Workbench) -> set[str]:
    return {listing.name for listing in wb.listings() if listing.callable}


@pytest.mark.rule("H6")
async def test_tools_of_connections_stand_beside_the_projects_own(opened: OpenProject, project: Path) -> None:
    connect(project, "peer", tools=[tool("echo", description="The server's."), tool("steps")])
    async with opened(project, read_only=True) as wb:
        assert names(wb) == {"echo", "peer__echo", "steps"}
        listing = next(one for one in wb.listings() if one.name == "peer__echo")
        assert (listing.description, listing.file.connection) == ("The server's.", "peer")
        assert '"description": "The server\'s."' in wb.source(listing.file.path)
        (status,) = wb.connections.statuses()
        assert (status.name, status.state, status.tools) == ("peer", ConnectionState.READY, 2)
        assert [one.name for one in wb.connections.tools("peer")] == ["echo", "steps"]


@pytest.mark.rule("H6", "C17")
async def test_a_connections_tool_is_called_like_any_other(opened: OpenProject, project: Path) -> None:
    connect(project, tools=[tool("steps"), tool("missing")])
    async with opened(project) as wb:
        record = await wb.call_tool("steps", {})
        assert not record.is_error
        call = await wb.call(CallId(record.call_id))
        assert call.result is not None
        assert call.result.text == "walked"
        assert call.progress is not None
        assert (call.progress.fraction, call.progress.message) == (1.0, "step 3")
        failed = await wb.call_tool("missing", {})
        assert (failed.is_error, failed.result) == (True, "no tool missing")


@pytest.mark.rule("H6", "D8")
async def test_what_a_server_sends_beside_text_is_kept_with_the_call(
    opened: OpenProject, project: Path
) -> None:
    connect(project, tools=[tool("media")], picture=PICTURE)
    async with opened(project) as wb:
        record = await wb.call_tool("media", {})
        call = await wb.call(CallId(record.call_id))
        assert call.result is not None
        assert [one.name for one in call.result.attachments] == ["image.png", "audio.wav", "raw.bin"]
        assert call.result.text == "a picture and a sound\nreport: file:///a/report.txt\nsome notes"


@pytest.mark.rule("C13")
async def test_a_call_of_a_connections_tool_is_stopped(opened: OpenProject, project: Path) -> None:
    connect(project, tools=[tool("wait")])
    async with opened(project) as wb:
        call_id = await wb.start_call("wait", b"{}", origin=Origin.FORM)
        await until_progress(wb)
        assert await wb.stop_call(call_id)
        call = await wb.call(call_id)
        assert (call.state, call.result and call.result.failure and call.result.failure.kind) == (
            CallState.STOPPED,
            FailureKind.CANCELLED,
        )


async def until_progress(wb: Workbench) -> None:
    """Wait until a call under way has said how far it is."""
    moved = asyncio.Event()
    stop = wb.subscribe(on_event=lambda event: moved.set() if event.type == "progress" else None)
    try:
        async with asyncio.timeout(LIMIT):
            while not any(call.progress for call in wb.live_calls()):
                await moved.wait()
                moved.clear()
    finally:
        stop()


@pytest.mark.rule("H6", "C5")
async def test_a_variable_that_a_connection_needs_is_asked_for_and_connects_it(
    opened: OpenProject, project: Path
) -> None:
    connect(project, more='env = { KEY = "${PEER_KEY}" }', tools=[tool("env")])
    async with opened(project) as wb:
        (problem,) = (one for one in wb.diagnostics() if one.code == "connection-failed")
        assert "needs the variable PEER_KEY" in problem.message
        assert (problem.path, problem.line) == ("workbench.toml", 1)

        await wb.variables.set("PEER_KEY", "s3cr3t-value", Scope.INSTANCE)
        await until(wb, lambda: "env" in names(wb))
        assert not any(one.code == "connection-failed" for one in wb.diagnostics())
        record = await wb.call_tool("env", {"name": "KEY"})
        assert parse(record.result_json) == {"content": [{"type": "text", "text": "[[secret:PEER_KEY]]"}]}
        shown = str(wb.connections.messages("peer")) + str(wb.connections.log("peer"))
        assert "s3cr3t-value" not in shown
        assert "[[secret:PEER_KEY]]" in shown
        line = next(line for line in await wb.variables.lines() if line.name == "PEER_KEY")
        assert line.used_by == ("env",)


@pytest.mark.rule("H6")
async def test_other_settings_make_other_connections_while_the_project_is_open(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project, watch=True) as wb:
        await until(wb, lambda: names(wb) == {"echo"})
        assert wb.connections.statuses() == ()
        connect(project, tools=[tool("grow")])
        await until(wb, lambda: names(wb) == {"echo", "grow"})
        await wb.call_tool("grow", {})
        await until(wb, lambda: names(wb) == {"echo", "grow", "echo_1"})
        (project / "workbench.toml").write_text("")
        await until(wb, lambda: names(wb) == {"echo"})


@pytest.mark.rule("H6")
async def test_a_call_of_an_unknown_tool_waits_until_the_servers_have_said_what_they_have(
    opened: OpenProject, project: Path
) -> None:
    connect(project, tools=[tool("steps")])
    async with opened(project, connect=False) as wb:
        assert not (await wb.call_tool("echo", {"text": "own"})).is_error
        assert wb.connections.statuses() == ()
        assert not (await wb.call_tool("steps", {})).is_error


async def test_a_connection_that_cannot_be_reached_stands_in_nobodys_way(
    opened: OpenProject, project: Path
) -> None:
    connect(project, mode="exits")
    async with opened(project) as wb:
        assert names(wb) == {"echo"}
        (problem,) = (one for one in wb.diagnostics() if one.code == "connection-failed")
        assert "its process exited with code 3" in problem.message


async def test_a_connection_is_stopped_and_connected_by_hand(opened: OpenProject, project: Path) -> None:
    connect(project, tools=[tool("steps")])
    told: list[Changes] = []
    async with opened(project) as wb:
        wb.subscribe(on_changes=told.append)
        await wb.connections.stop("peer")
        assert wb.connections.status("peer").state is ConnectionState.STOPPED
        record = await wb.call_tool("steps", {})
        assert record.failure is not None
        assert record.failure.kind is FailureKind.HOST_UNAVAILABLE
        wb.connections.connect("peer")
        await until(wb, lambda: wb.connections.status("peer").state is ConnectionState.READY)
        await wb.connections.reconnect("peer")
        await until(wb, lambda: wb.connections.status("peer").state is ConnectionState.READY)
        assert not (await wb.call_tool("steps", {})).is_error
        await until(wb, lambda: any("peer" in changes.connections for changes in told))

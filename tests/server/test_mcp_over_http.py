"""The project's tools over MCP at an address, behind the checks of every other door."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import mcp_types
import pytest
from mcp import Client
from mcp.client import IncomingMessage
from mcp.client.session import MessageHandlerFnT
from mcp.client.streamable_http import streamable_http_client
from mcp.server.session import ServerSession

from tests.app.projects import ECHO, write_tool
from tests.hosts.mcp_bench import LIMIT
from tests.server.http import TOKEN, At, ask
from tests.server.mcp_project import write_project
from workbench.app import Workbench, open_workbench
from workbench.domain.calls import CallState
from workbench.domain.pages import CallFilter
from workbench.engine.doubles.vault import MemoryVault
from workbench.server import Server
from workbench.server.serving import Place

HOLD = """
import asyncio
from pathlib import Path
from pydantic import BaseModel
from workbench import define_tool

class Args(BaseModel):
    until: str

async def execute(state, args):
    state.emit("progress", {"message": "holding"})
    while not Path(args.until).exists():
        await asyncio.sleep(0.01)
    return "held"

tool = define_tool(description="Hold.", args=Args, execute=execute)
"""


@asynccontextmanager
async def open_project(tmp_path: Path) -> AsyncGenerator[Workbench]:
    project = write_project(tmp_path / "desk")
    async with open_workbench(project, data_dir=tmp_path / "person", vault=MemoryVault()) as wb:
        yield wb


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncGenerator[tuple[Workbench, str]]:
    """A project, and where its door is."""
    async with open_project(tmp_path) as wb:
        server = await Server.start(wb, Place(port=0), token=TOKEN)
        yield wb, f"{server.url}/mcp"
        await server.stop(grace=0.0)


@asynccontextmanager
async def asking(
    url: str, mode: str = "auto", hear: MessageHandlerFnT | None = None
) -> AsyncGenerator[Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers, timeout=LIMIT) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, message_handler=hear) as client:
            yield client


@pytest.mark.rule("H6")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_clients_of_both_versions_list_and_call_at_once(tmp_path: Path, mode: str) -> None:
    async with asyncio.timeout(LIMIT), served(tmp_path) as (_, url):
        async with asking(url, mode) as one, asking(url) as two:
            assert "echo" in [tool.name for tool in (await one.list_tools()).tools]
            results = await asyncio.gather(
                *(client.call_tool("echo", {"text": str(n)}) for n in range(5) for client in (one, two))
            )
        said = [result.structured_content for result in results]
        assert said == [{"echo": {"text": str(n)}} for n in range(5) for _ in range(2)]


@pytest.mark.rule("H6", "C17", "C13")
async def test_progress_comes_while_a_call_runs_and_a_cancelled_one_is_stopped(tmp_path: Path) -> None:
    waiting = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        waiting.set()

    async with asyncio.timeout(LIMIT), served(tmp_path) as (wb, url), asking(url) as client:
        calling = asyncio.create_task(client.call_tool("wait", progress_callback=hear))
        await waiting.wait()
        calling.cancel()
        await wb.idle()
        (call,) = (await wb.calls(CallFilter(tool="wait"))).rows
        assert call.state is CallState.STOPPED


@pytest.mark.rule("H6")
async def test_a_client_of_the_older_version_is_told_of_other_tools(tmp_path: Path) -> None:
    changed = asyncio.Event()

    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            changed.set()

    async with (
        asyncio.timeout(LIMIT),
        served(tmp_path) as (wb, url),
        asking(url, "legacy", hear) as client,
    ):
        await client.list_tools()
        write_tool(wb.project.root, "echo_again", ECHO)
        await wb.settled()
        await changed.wait()


@pytest.mark.rule("H6")
async def test_a_client_of_the_older_version_that_has_left_is_forgotten(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), served(tmp_path) as (_, url):
        for _ in range(3):
            async with asking(url, "legacy") as client:
                await client.list_tools()
        while [one for one in gc.get_objects() if type(one) is ServerSession]:
            await asyncio.sleep(0.01)
            gc.collect()


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
async def test_whoever_may_not_ask_is_refused_before_anything_is_read(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    good = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    async with served(tmp_path) as (_, url), httpx2.AsyncClient(timeout=LIMIT) as http:
        answer = await http.post(url, headers={**good, **headers}, content=b"{}")
        assert answer.status_code == status


@pytest.mark.rule("H1", "H6")
async def test_a_body_of_50_megabytes_is_refused_here_as_well(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, url):
        body = b"x" * 50_000_000
        answer = await ask(At(url.removesuffix("/mcp")), "POST", "/mcp", body)
        assert answer.status == 413


@pytest.mark.rule("H1", "H6")
async def test_a_server_that_stops_lets_the_calls_of_mcp_clients_end(tmp_path: Path) -> None:
    waiting, go = asyncio.Event(), tmp_path / "go"

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        waiting.set()

    async with asyncio.timeout(LIMIT), open_project(tmp_path) as wb:
        write_tool(wb.project.root, "hold", HOLD)
        await wb.settled()
        server = await Server.start(wb, Place(port=0), token=TOKEN)
        async with asking(f"{server.url}/mcp") as client:
            await client.list_tools()  # a client looks at the schema of what it got
            calling = asyncio.create_task(
                client.call_tool("hold", {"until": str(go)}, progress_callback=hear)
            )
            await waiting.wait()
            stopping = asyncio.create_task(server.stop(grace=LIMIT))
            go.touch()
            content = (await calling).content
            assert [block.text for block in content if isinstance(block, mcp_types.TextContent)] == ["held"]
        await stopping


@pytest.mark.rule("H1", "C13")
async def test_a_call_of_an_mcp_client_that_outlasts_the_grace_is_stopped_and_answered(
    tmp_path: Path,
) -> None:
    waiting = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        waiting.set()

    async with asyncio.timeout(LIMIT), open_project(tmp_path) as wb:
        server = await Server.start(wb, Place(port=0), token=TOKEN)
        async with asking(f"{server.url}/mcp") as client:
            await client.list_tools()  # a client looks at the schema of what it got
            calling = asyncio.create_task(client.call_tool("wait", progress_callback=hear))
            await waiting.wait()
            await server.stop(grace=0.0)
            assert (await calling).is_error
        (call,) = (await wb.calls(CallFilter(tool="wait"))).rows
        assert call.state is CallState.STOPPED

"""The project's tools over MCP, asked by the official client: lists, calls, progress, stops, files, changes (H6)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client import IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from tests.app.projects import ECHO, write_tool
from tests.hosts.mcp_bench import LIMIT
from tests.server.mcp_project import write_project
from workbench.app import Workbench, open_workbench
from workbench.domain.calls import CallState, Origin
from workbench.domain.pages import CallFilter
from workbench.engine.doubles.vault import MemoryVault
from workbench.server.mcp import McpDoor
from workbench.server.work import UnderWay


@pytest_asyncio.fixture
async def wb(tmp_path: Path) -> AsyncIterator[Workbench]:
    project = write_project(tmp_path / "desk")
    async with open_workbench(project, data_dir=tmp_path / "person", vault=MemoryVault()) as made:
        yield made


def asking(wb: Workbench, *, approve: bool = False) -> Client:
    """A client of the project's, over a door of its own."""
    return Client(McpDoor(wb, approve=approve).server)


@asynccontextmanager
async def greeted_and_deaf(door: McpDoor) -> AsyncGenerator[None]:
    """A client that says who it is and then reads nothing any more."""
    to_door, reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writes, from_door = anyio.create_memory_object_stream[SessionMessage](0)
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "deaf", "version": "1"},
    }
    options = door.server.create_initialization_options()
    with to_door, reads, writes, from_door:
        serving = asyncio.create_task(door.server.run(reads, writes, options))
        asks = mcp_types.JSONRPCRequest(jsonrpc="2.0", id=1, method="initialize", params=hello)
        await to_door.send(SessionMessage(asks))
        await from_door.receive()
        done = mcp_types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
        await to_door.send(SessionMessage(done))
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.wait({serving})


def text_of(result: mcp_types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, mcp_types.TextContent))


@pytest.mark.rule("H6", "D6")
async def test_every_callable_tool_is_listed_with_its_schemas_and_hints(wb: Workbench) -> None:
    async with asking(wb) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == ["ask_first", "blocks", "draw", "echo", "wait", "walk", "weather"]
        assert tools["echo"].input_schema["required"] == ["text"]
        assert tools["draw"].input_schema == {
            "type": "object",
            "properties": {},
            "additionalProperties": False,
        }
        assert tools["weather"].input_schema["type"] == "object"
        assert tools["weather"].output_schema is not None
        assert tools["weather"].output_schema["required"] == ["degrees"]


@pytest.mark.rule("H6", "C9")
async def test_hints_follow_from_the_effect(wb: Workbench) -> None:
    async with asking(wb) as client:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

        def hints(name: str) -> dict[str, Any]:
            found = tools[name]
            return found.model_dump(by_alias=True, exclude_none=True) if found else {}

        assert hints("draw") == {"readOnlyHint": True}
        assert hints("walk") == {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
        assert hints("echo") == {"readOnlyHint": False}
        assert hints("weather") == {}


@pytest.mark.rule("H6")
async def test_a_call_goes_through_the_history_like_any_other(wb: Workbench) -> None:
    async with asking(wb) as client:
        result = await client.call_tool("echo", {"text": "hello"})
        assert (result.is_error, result.structured_content) == (False, {"echo": {"text": "hello"}})
        assert text_of(result) == '{"echo":{"text":"hello"}}'
        (call,) = (await wb.calls(CallFilter(origins=(Origin.MCP,)))).rows
        assert (call.tool, call.state) == ("echo", CallState.SUCCEEDED)


@pytest.mark.rule("D7")
async def test_structured_results_keep_what_their_schema_promises(wb: Workbench) -> None:
    async with asking(wb) as client:
        result = await client.call_tool("weather", {"city": "Utrecht"})
        assert result.structured_content == {"degrees": 21.5, "in": "Utrecht"}


@pytest.mark.rule("D7", "D8")
async def test_files_are_sent_as_content(wb: Workbench) -> None:
    async with asking(wb) as client:
        drawn = await client.call_tool("draw")
        text, picture, other = drawn.content
        assert isinstance(text, mcp_types.TextContent)
        assert isinstance(picture, mcp_types.ImageContent)
        assert (picture.mime_type, picture.data) == ("image/png", "YSBwaWN0dXJl")
        assert isinstance(other, mcp_types.EmbeddedResource)
        assert isinstance(other.resource, mcp_types.BlobResourceContents)
        assert other.resource.blob == "YSBwaWN0dXJl"


@pytest.mark.rule("D7")
async def test_an_envelope_arrives_as_its_tool_made_it(wb: Workbench) -> None:
    async with asking(wb) as client:
        result = await client.call_tool("blocks")
        text, picture = result.content
        assert isinstance(text, mcp_types.TextContent)
        assert isinstance(picture, mcp_types.ImageContent)
        assert (text.text, picture.data, result.structured_content) == ("one", "AAAA", {"n": 1})
        assert (await client.call_tool("blocks", {"fails": True})).is_error


@pytest.mark.rule("C17")
async def test_progress_is_told_with_growing_numbers(wb: Workbench) -> None:
    async with asking(wb) as client:
        told: list[tuple[float, float | None, str | None]] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total, message))

        assert text_of(await client.call_tool("walk", progress_callback=hear)) == "walked"
        assert told[-1][2] == "nearly there"
        assert [step for step, _, _ in told] == sorted({step for step, _, _ in told})


@pytest.mark.rule("C13")
async def test_a_call_that_its_client_cancels_is_stopped(wb: Workbench) -> None:
    async with asking(wb) as client:
        waiting = asyncio.Event()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            waiting.set()

        calling = asyncio.create_task(client.call_tool("wait", progress_callback=hear))
        async with asyncio.timeout(LIMIT):
            await waiting.wait()
            calling.cancel()
            await wb.idle()
        (call,) = (await wb.calls(CallFilter(tool="wait"))).rows
        assert call.state is CallState.STOPPED


async def test_arguments_that_do_not_fit_are_an_error_that_a_model_can_act_on(wb: Workbench) -> None:
    async with asking(wb) as client:
        result = await client.call_tool("echo", {"text": 3})
        assert result.is_error
        assert "/text" in text_of(result)


async def test_an_unknown_tool_is_an_error_of_the_protocol(wb: Workbench) -> None:
    async with asking(wb) as client:
        with pytest.raises(MCPError, match="no tool named nothing") as caught:
            await client.call_tool("nothing")
        assert caught.value.code == mcp_types.INVALID_PARAMS


@pytest.mark.rule("C12")
async def test_a_call_that_needs_a_yes_runs_only_where_it_was_given_beforehand(wb: Workbench) -> None:
    async with asking(wb) as client:
        refused = await client.call_tool("ask_first")
        assert refused.is_error
        assert "approval" in text_of(refused)
        async with asking(wb, approve=True) as trusted:
            assert text_of(await trusted.call_tool("ask_first")) == "done"


async def test_two_clients_at_once_get_their_own_results(wb: Workbench) -> None:
    door = McpDoor(wb)
    async with Client(door.server) as one, Client(door.server) as two:
        results = await asyncio.gather(
            *(client.call_tool("echo", {"text": str(n)}) for n in range(10) for client in (one, two))
        )
    said = [result.structured_content for result in results]
    assert said == [{"echo": {"text": str(n)}} for n in range(10) for _ in range(2)]


@pytest.mark.rule("H6")
async def test_a_client_that_reads_nothing_keeps_no_other_from_being_told(
    wb: Workbench,
) -> None:
    told = asyncio.Event()

    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            told.set()

    door = McpDoor(wb)
    async with (
        asyncio.timeout(LIMIT),
        door.routes(UnderWay()),
        greeted_and_deaf(door),
        Client(door.server, mode="legacy", message_handler=hear),
    ):
        for name in ("first", "second"):
            told.clear()
            write_tool(wb.project.root, name, ECHO)
            await wb.settled()
            await told.wait()


@pytest.mark.rule("H6")
async def test_clients_are_told_when_the_tools_are_others(wb: Workbench) -> None:
    door = McpDoor(wb)
    async with asyncio.timeout(LIMIT), door.routes(UnderWay()), Client(door.server) as client:
        async with client.listen(tools_list_changed=True) as changes:
            write_tool(wb.project.root, "echo_again", ECHO)
            await wb.settled()
            await anext(changes)
        assert "echo_again" in [tool.name for tool in (await client.list_tools()).tools]

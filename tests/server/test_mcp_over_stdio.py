"""`workbench mcp` as MCP clients start it: a process that is spoken to over stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import mcp_types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import IncomingMessage

from tests.app.projects import ECHO, write_tool
from tests.server.mcp_project import write_project

LIMIT = 60.0
pytestmark = pytest.mark.slow


def command(project: Path, *more: str) -> StdioServerParameters:
    arguments = ["-m", "workbench", "mcp", "--project", str(project), *more]
    env = {"HOME": str(project.parent), "XDG_DATA_HOME": str(project.parent / "data")}
    return StdioServerParameters(command=sys.executable, args=arguments, env=env)


@pytest.mark.rule("H6")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_starts_it_lists_calls_and_is_told_of_changes(tmp_path: Path, mode: str) -> None:
    project = write_project(tmp_path / "desk")
    changed = asyncio.Event()

    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            changed.set()

    async with asyncio.timeout(LIMIT), Client(command(project), mode=mode, message_handler=hear) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "echo" in names
        result = await client.call_tool("echo", {"text": "over a pipe"})
        assert result.structured_content == {"echo": {"text": "over a pipe"}}
        if mode == "legacy":
            write_tool(project, "echo_again", ECHO)
            await changed.wait()
        else:
            async with client.listen(tools_list_changed=True) as changes:
                write_tool(project, "echo_again", ECHO)
                await anext(changes)
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "echo_again" in names


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (None, 0)])
def test_it_ends_when_it_is_told_to_and_when_its_client_leaves(
    tmp_path: Path, number: signal.Signals | None, code: int
) -> None:
    server = command(write_project(tmp_path / "desk"))
    with subprocess.Popen(
        [server.command, *server.args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["title"] == "desk"
        if number is None:
            process.stdin.close()
        else:
            process.send_signal(number)
        assert process.wait(LIMIT) == code


def test_what_is_said_in_a_file_is_answered_to_its_end(tmp_path: Path) -> None:
    server = command(write_project(tmp_path / "desk"))
    long = {"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {"_meta": {"note": "x" * 300_000}}}
    said = tmp_path / "said.jsonl"
    said.write_text("".join(f"{json.dumps(message)}\n" for message in (HELLO, long)))
    with said.open("rb") as file:
        ended = subprocess.run(
            [server.command, *server.args], stdin=file, capture_output=True, timeout=LIMIT, check=True
        )
    assert {json.loads(line)["id"] for line in ended.stdout.splitlines()} == {1, 2}

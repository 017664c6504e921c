"""The reference server of the protocol as a connection, over both ways, and its inspector as a client of ours."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hosts.conftest import RecordingLink
from tests.hosts.mcp_bench import McpBench, mcp_bench
from tests.npm_peers import Npm, npm_peers
from tests.server.mcp_project import write_project
from workbench.domain.connections import ConnectionSpec, ConnectionState
from workbench.engine.ports import Returned, Stopped

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
LIMIT = 120.0


@contextmanager
def everything_over_http(npm: Npm) -> Generator[ConnectionSpec]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [npm.program("mcp-server-everything"), "streamableHttp"]
    env = {**os.environ, **npm.env, "PORT": str(port)}
    with subprocess.Popen(program, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield ConnectionSpec(name="peer", url=f"http://127.0.0.1:{port}/mcp")
        finally:
            server.terminate()


async def exercised(bench: McpBench) -> None:
    """List, call, watch and stop the tools of the reference server."""
    await bench.until_state(ConnectionState.READY)
    names = {file.name for file in bench.host.files()}
    assert {"echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"} <= names
    echoed = await bench.call("echo", message="hello")
    assert isinstance(echoed, Returned)
    assert b"Echo: hello" in (echoed.json or b"")
    picture = await bench.call("get-tiny-image")
    assert isinstance(picture, Returned)
    assert b'"image"' in (picture.json or b"")
    structured = await bench.call("get-structured-content", location="Chicago")
    assert isinstance(structured, Returned)
    assert b"structuredContent" in (structured.json or b"")
    link = RecordingLink()
    call_id, calling = bench.start("trigger-long-running-operation", link, duration=60, steps=60)
    async with asyncio.timeout(LIMIT):
        await link.something_came.wait()
        await bench.host.stop(call_id)
        assert await calling == Stopped()
    assert link.emitted[0][0] == "progress"


@pytest.mark.rule("H6")
async def test_the_reference_server_over_stdio(tmp_path: Path) -> None:
    npm = npm_peers()
    program = npm.program("mcp-server-everything")
    async with mcp_bench(tmp_path) as bench:
        await bench.host.set([ConnectionSpec(name="peer", command=program, args=("stdio",), env=npm.env)])
        await exercised(bench)


@pytest.mark.rule("H6")
async def test_the_reference_server_over_http(tmp_path: Path) -> None:
    with everything_over_http(npm_peers()) as spec:
        async with mcp_bench(tmp_path) as bench:
            await bench.host.set([spec])
            await exercised(bench)


@pytest.mark.rule("H6")
def test_the_inspector_lists_and_calls_our_tools(tmp_path: Path) -> None:
    project = write_project(tmp_path / "desk")
    ours = (sys.executable, "-m", "workbench", "mcp", "--project", str(project))

    def inspected(*arguments: str) -> Mapping[str, object]:
        ended = npm_peers().run("mcp-inspector", "--cli", *ours, *arguments, seconds=LIMIT)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        answer: Mapping[str, object] = json.loads(ended.stdout)
        return answer

    assert '"name": "weather"' in json.dumps(inspected("--method", "tools/list"))
    called = inspected("--method", "tools/call", "--tool-name", "weather", "--tool-arg", "city=Utrecht")
    assert called["structuredContent"] == {"degrees": 21.5, "in": "Utrecht"}

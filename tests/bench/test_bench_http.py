"""What a direct call over HTTP costs, stored, beside a bare Starlette route that calls the same function."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.app.projects import write_tool
from tests.bench.conftest import Table
from tests.bench.pairs import measured_in_turn, per_second
from workbench.app import open_workbench
from workbench.engine.doubles.vault import MemoryVault
from workbench.server import Server
from workbench.server.serving import Place

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

CALLS = 400

NOOP = """
from workbench import define_tool
tool = define_tool(description="Nothing.", execute=lambda input, ctx: "ok", effect="read")
"""


async def bare(request: Request) -> JSONResponse:
    await request.json()
    return JSONResponse({"result": "ok"})


class Caller:
    """One client that keeps its connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        self._reader = reader
        self._writer = writer
        body = b'{"input": {}}'
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\n"
        self._request = (
            f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        )
        self._request += body

    async def call(self) -> None:
        self._writer.write(self._request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await self._reader.readexactly(length)


@asynccontextmanager
async def calling(port: int, path: str, callers: int) -> AsyncGenerator[Callable[[], Awaitable[None]]]:
    """Calls over so many connections that are kept, each by whoever finds it free."""
    free: asyncio.LifoQueue[Caller] = asyncio.LifoQueue()
    writers: list[asyncio.StreamWriter] = []
    for _ in range(callers):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writers.append(writer)
        free.put_nowait(Caller(reader, writer, path))

    async def call() -> None:
        caller = await free.get()
        await caller.call()
        free.put_nowait(caller)

    try:
        yield call
    finally:
        for writer in writers:
            writer.close()


class Bare(uvicorn.Server):
    """Leaves the program's signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def bare_server() -> AsyncGenerator[int]:
    app = Starlette(routes=[Route("/noop", bare, methods=["POST"])])
    config = uvicorn.Config(
        app, port=0, log_config=None, log_level="critical", access_log=False, lifespan="off"
    )
    server = Bare(config)
    task = asyncio.create_task(server.serve())
    await server.listens.wait()
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


@pytest.mark.parametrize("callers", [1, 32])
async def test_stored_calls_over_http_beside_a_bare_route(tmp_path: Path, table: Table, callers: int) -> None:
    """Each call waits for two flushes of the disk, and for a process of its own that runs the tool."""
    root = tmp_path / "desk"
    write_tool(root, "noop", NOOP, "bot/tools")
    async with AsyncExitStack() as stack:
        opening = open_workbench(root, data_dir=tmp_path / "person", vault=MemoryVault())
        wb = await stack.enter_async_context(opening)
        bare_port = await stack.enter_async_context(bare_server())
        server = await Server.start(wb, Place(port=0), token="bench")
        stack.push_async_callback(server.stop, 0.0)
        port = int(server.url.rsplit(":", 1)[1].partition("/")[0])
        ours = await stack.enter_async_context(calling(port, "/desk/v1/tools/noop", callers))
        theirs = await stack.enter_async_context(calling(bare_port, "/noop", callers))
        await per_second(ours, CALLS, callers)
        found = await measured_in_turn(
            partial(per_second, ours, CALLS, callers), partial(per_second, theirs, CALLS, callers)
        )
    table.ratio(
        f"direct calls over HTTP, {callers} callers",
        found.ratio,
        measured=f"{median(found.ours):,.0f} calls/s",
        beside=f"bare Starlette route {median(found.theirs):,.0f} calls/s",
    )

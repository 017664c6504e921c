"""An MCP server of the official library at an address in this process, whose answers tests can take away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import mcp_types
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

Context = ServerRequestContext[Any]


class HttpPeer:
    """`refuse` answers every request with a status instead; `seen` are the headers of the last one."""

    def __init__(self) -> None:
        self.tools = [mcp_types.Tool(name="echo", input_schema={"type": "object"})]
        self.refuse: int | None = None
        self.seen: Mapping[str, str] = {}
        self.sessions: set[str] = set()
        self.stopped = asyncio.Event()
        """Set when a call of `wait` was called off."""
        self.changes = InMemorySubscriptionBus()
        self.url = ""
        self._listeners = ListenHandler(self.changes)
        self._server = Server(
            "http peer",
            version="2",
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=self._listeners,
        )

    async def grow(self) -> None:
        """List one more tool, and say so."""
        self.tools.append(mcp_types.Tool(name=f"echo_{len(self.tools)}", input_schema={"type": "object"}))
        await self.changes.publish(ToolsListChanged())

    async def _list(
        self, context: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=self.tools)

    async def _call(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        if params.name == "wait":
            await context.session.report_progress(1, 2, "waiting")
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped.set()
        text = mcp_types.TextContent(type="text", text=str(params.arguments))
        return mcp_types.CallToolResult(content=[text])

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncGenerator[HttpPeer]:
        """At an address of this machine until the block ends."""
        app = self._server.streamable_http_app()

        async def gate(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                self.seen = {name.decode(): value.decode() for name, value in scope["headers"]}
                if self.refuse is not None:
                    await PlainTextResponse("no", self.refuse)(scope, receive, send)
                    return
            await app(scope, receive, send)

        config = uvicorn.Config(
            gate, port=port, log_config=None, ws="none", lifespan="on", timeout_graceful_shutdown=1
        )
        server = _Quiet(config)
        serving = asyncio.create_task(server.serve())
        async with asyncio.timeout(30):
            while not server.started:  # noqa: ASYNC110 - it has no event for that
                await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/mcp"
        try:
            yield self
        finally:
            self._listeners.close()
            server.should_exit = True
            await asyncio.wait({serving})


class _Quiet(uvicorn.Server):
    """Leaves the signals of the process alone."""

    def install_signal_handlers(self) -> None: ...

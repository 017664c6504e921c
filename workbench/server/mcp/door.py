"""The door for MCP clients: what they ask, answered from an open project (H6)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import mcp_types
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.app import CallRefused, Workbench
from workbench.app.calls.direct_calls import Wish
from workbench.base.exact_json import dump
from workbench.domain.auth import Auth
from workbench.domain.calls import Call, Origin, ToolResult
from workbench.domain.changes import Changes
from workbench.domain.tools import ToolDefinition
from workbench.server.gate import caller_of
from workbench.server.mcp.progress import ProgressReport
from workbench.server.mcp.results import failed, sent
from workbench.server.mcp.stdio import standard_streams
from workbench.server.mcp.tools import described, input_schema, served
from workbench.server.work import UnderWay

MOST_TOLD = 1_000
"""Clients that are told of changes at a time, of those that have no way of asking for that."""
_TELL_AFTER = 0.2
"""Seconds: many files change at once."""

_Context = ServerRequestContext[Any]


class McpDoor:
    """Serves one project to any number of clients. `approve` lets calls run that ask for an approval (C12)."""

    def __init__(self, workbench: Workbench, *, approve: bool = False) -> None:
        self._workbench = workbench
        self._approve = approve
        self._changes = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._changes)
        self._told = 0
        self._has_changed = asyncio.Event()
        self.server = Server[Any](
            workbench.project.slug,
            title=workbench.project.name,
            version=version("agent-tool-workbench"),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self._listeners,
            get_tool_input_schema=self._input_schema,
        )
        self.server.middleware.clear()  # it makes spans that lead nowhere: those of a call are made from the history
        self.server.add_notification_handler(
            "notifications/initialized", mcp_types.NotificationParams, self._tell_for_good
        )

    # --- being reached

    async def serve_stdio(self) -> None:
        """Serve one client over stdin and stdout until it closes them."""
        async with self._telling(), standard_streams() as (reads, writes):
            options = self.server.create_initialization_options(NotificationOptions(tools_changed=True))
            await self.server.run(reads, writes, options)

    @asynccontextmanager
    async def routes(self, under_way: UnderWay) -> AsyncGenerator[tuple[BaseRoute, ...]]:
        """What an HTTP server has to mount while the block runs; who may ask is the server's to check.

        Clients are let go when it ends, which must be before their server stops.
        """
        manager = StreamableHTTPSessionManager(self.server)
        async with self._telling(), manager.run():
            counted = _Counted(StreamableHTTPASGIApp(manager), under_way)
            yield (Route(f"/{self._workbench.project.slug}/mcp", counted),)

    def let_go(self) -> None:
        """End what clients listen to; their calls go on."""
        self._listeners.close()

    @asynccontextmanager
    async def _telling(self) -> AsyncGenerator[None]:
        stop = self._workbench.subscribe(on_changes=self._hear)
        telling = asyncio.create_task(self._tell_of_changes())
        try:
            yield
        finally:
            stop()
            self.let_go()
            telling.cancel()
            await asyncio.wait({telling})

    def _hear(self, changes: Changes) -> None:
        if changes.definitions:
            self._has_changed.set()

    async def _tell_of_changes(self) -> None:
        while True:
            await self._has_changed.wait()
            await asyncio.sleep(_TELL_AFTER)
            self._has_changed.clear()
            await self._changes.publish(ToolsListChanged())

    async def _tell_for_good(self, context: _Context, params: mcp_types.NotificationParams) -> None:
        """Tell a client of changes that has no way of asking for it, until its connection ends and cancels this.

        Each client has its own: one that does not read what it is sent keeps nobody else waiting.
        """
        del params
        if self._told >= MOST_TOLD:
            return
        changed = asyncio.Event()
        unsubscribe = self._changes.subscribe(lambda _: changed.set())
        self._told += 1
        try:
            while True:
                await changed.wait()
                changed.clear()
                await context.session.send_tool_list_changed()
        finally:
            self._told -= 1
            unsubscribe()

    # --- being asked

    def _tools(self) -> list[ToolDefinition]:
        return [tool for listing in self._workbench.listings() if (tool := served(listing)) is not None]

    def _find(self, name: str) -> ToolDefinition | None:
        named = (listing for listing in self._workbench.listings() if listing.name == name)
        return next((tool for listing in named if (tool := served(listing)) is not None), None)

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        tool = self._find(name)
        return None if tool is None else input_schema(tool)

    async def _list_tools(
        self, context: _Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        del context, params
        await self._workbench.settled()
        return mcp_types.ListToolsResult(tools=[described(tool) for tool in self._tools()])

    async def _call_tool(
        self, context: _Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        """A call of a client's, which stops when the client cancels it or leaves (C13)."""
        if self._find(params.name) is None:
            await self._workbench.settled()
            if self._find(params.name) is None:
                raise MCPError(mcp_types.INVALID_PARAMS, f"There is no tool named {params.name}.")
        progress = ProgressReport(context.session.report_progress)
        calls: list[Call] = []
        wish = Wish(
            origin=Origin.MCP,
            approve=self._approve,
            auth=_caller(context),
            begun=progress.begun,
            ended=calls.append,
        )
        try:
            async with progress.of(self._workbench):
                await self._workbench.serve_call(params.name, dump(params.arguments or {}), wish)
        except CallRefused as refusal:
            return failed(f"{refusal.message} {refusal.hint}".strip())
        (call,) = calls

        async def read(path: str) -> bytes:
            return await self._workbench.read_file(call.thread_id, path)

        return await sent(call.result or ToolResult(), read)


def _caller(context: _Context) -> Auth:
    """Who asks at an address is told by the token; over stdin it is the program that started us."""
    return Auth(principal="mcp") if context.request is None else caller_of(context.request)


class _Counted:
    """Whatever is asked is under way until it is answered; a stream that a client holds open asks for nothing."""

    def __init__(self, app: ASGIApp, under_way: UnderWay) -> None:
        self._app = app
        self._under_way = under_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        with self._under_way:
            await self._app(scope, receive, send)

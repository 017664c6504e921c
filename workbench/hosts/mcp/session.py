"""One session with an MCP server: opened, listed, called, and told when it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import mcp_types
from mcp import Client
from mcp.client import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from workbench.base.errors import RunError
from workbench.hosts.mcp.failures import trouble
from workbench.hosts.mcp.listing import ListedTool, OddTool, listed
from workbench.hosts.mcp.reach import Reach
from workbench.hosts.mcp.tap import Listener, tapped
from workbench.hosts.mcp.traffic import Traffic

CLIENT = mcp_types.Implementation(
    name="workbench", title="Workbench", version=version("agent-tool-workbench")
)
MOST_PAGES = 200
"""Pages of a list of tools; a list that never ends is cut there."""
LIST_SECONDS = 60.0
"""How long one page of it may take."""
_CLOSE_SECONDS = 5.0


class _Raw(BaseModel):
    """A result as it came."""

    model_config = ConfigDict(extra="allow")


_JSON: TypeAdapter[object] = TypeAdapter(object)

Progress = Callable[[float, float | None, str | None], None]


@dataclass(frozen=True, slots=True)
class Server:
    """What a server said of itself."""

    name: str = ""
    protocol: str = ""
    instructions: str = ""


class McpSession:
    """Kept by a task of its own from `open` until `close`, or until it is lost.

    `on_tools` is called when the server says that its list of tools is another one now.
    """

    def __init__(self, reach: Reach, traffic: Traffic, on_tools: Callable[[], None]) -> None:
        self._reach = reach
        self._traffic = traffic
        self._on_tools = on_tools
        self._listener = Listener(traffic, self._take_odd, self._over)
        self._odd: list[OddTool] = []
        self._client: Client
        self._is_open = asyncio.Event()
        self._is_over = asyncio.Event()
        self._task: asyncio.Task[None]
        self._trouble: RunError | None = None
        self.server = Server()
        self.calls = 0
        """How many calls are under way."""

    @property
    def pid(self) -> int | None:
        """The server's process, where it is one of ours."""
        return self._reach.pid

    @property
    def is_open(self) -> bool:
        """Whether it can be called."""
        return self._is_open.is_set() and not self._is_over.is_set() and not self._task.done()

    # --- life

    async def open(self, seconds: float) -> None:
        """Connect and agree on a version of the protocol. Raises RunError, after which it is closed."""
        self._task = asyncio.create_task(self._serve())
        opened = asyncio.create_task(self._is_open.wait())
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait({opened, self._task}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            await self._cancel()
            raise RunError(
                f"The server did not answer within {seconds:g} seconds.", hint="Its log may say why."
            ) from None
        except asyncio.CancelledError:
            await self._cancel()
            raise
        finally:
            opened.cancel()
        if not self._is_open.is_set():
            raise self._trouble or trouble(ConnectionError("it ended at once"), self._reach.why_it_ended)

    async def lost(self) -> RunError:
        """Wait until the session is over; why it is."""
        await asyncio.wait({self._task})
        return self._trouble or RunError("The connection was closed.")

    async def close(self) -> None:
        """End one that was opened, and the process behind it."""
        self._is_over.set()
        await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        await self._cancel()

    async def _cancel(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    def _over(self) -> None:
        self._trouble = trouble(ConnectionError("it closed the connection"), self._reach.why_it_ended)
        self._is_over.set()

    async def _serve(self) -> None:
        """Enter and leave everything in one task: the library binds it to that."""
        try:
            async with AsyncExitStack() as stack:
                transport = await stack.enter_async_context(self._reach.transport())
                client = Client(
                    tapped(transport, self._listener),
                    client_info=CLIENT,
                    cache=None,
                    message_handler=self._on_message,
                    logging_callback=self._on_log,
                    log_level="debug",
                )
                self._client = await stack.enter_async_context(client)
                self.server = _introduction(client)
                self._listen_beside(stack, client)
                self._is_open.set()
                await self._is_over.wait()
        except Exception as error:
            self._trouble = trouble(error, self._reach.why_it_ended)

    def _listen_beside(self, stack: AsyncExitStack, client: Client) -> None:
        """Newer servers tell of changes only to who asks them to."""
        tools = client.server_capabilities.tools
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS and tools is not None and tools.list_changed:
            listening = asyncio.create_task(self._listen(client))
            stack.push_async_callback(_ended, listening)

    async def _listen(self, client: Client) -> None:
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._on_tools()
        except (MCPError, SubscriptionLost) as error:
            self._traffic.log("workbench", f"Changes of its tools are not told any more: {error}")

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._on_tools()

    async def _on_log(self, params: mcp_types.LoggingMessageNotificationParams) -> None:
        data = params.data if isinstance(params.data, str) else _JSON.dump_json(params.data).decode()
        self._traffic.log("server", f"{params.level}: {data}")

    def _take_odd(self, odd: list[OddTool]) -> None:
        self._odd += odd

    # --- asking

    async def tools(self) -> tuple[ListedTool, ...]:
        """Everything that the server lists, what is no tool included. Raises RunError."""
        found: list[Mapping[str, Any]] = []
        self._odd = []
        cursor: str | None = None
        if self._client.server_capabilities.tools is None:
            return ()
        try:
            for _ in range(MOST_PAGES):
                async with asyncio.timeout(LIST_SECONDS):
                    page = await self._client.list_tools(cursor=cursor)
                found += (
                    tool.model_dump(mode="json", by_alias=True, exclude_unset=True) for tool in page.tools
                )
                cursor = page.next_cursor
                if not cursor:
                    break
            else:
                self._traffic.log("workbench", f"Its list of tools has no end; {len(found)} were taken.")
        except TimeoutError:
            raise RunError(f"The server did not list its tools within {LIST_SECONDS:g} seconds.") from None
        except (MCPError, ValidationError) as error:
            raise trouble(error, self._reach.why_it_ended) from error
        return listed(found, self._odd)

    async def call(self, tool: str, arguments: dict[str, Any], on_progress: Progress) -> dict[str, Any]:
        """The raw result of a call. Raises what the library raises; see `failures`."""

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            on_progress(progress, total, message)

        self.calls += 1
        try:
            params = mcp_types.CallToolRequestParams(name=tool, arguments=arguments)
            result = await self._client.session.send_request(
                mcp_types.CallToolRequest(params=params), _Raw, progress_callback=progressed
            )
            return result.model_extra or {}
        finally:
            self.calls -= 1


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})


def _introduction(client: Client) -> Server:
    info = client.server_info
    name = f"{info.title or info.name} {info.version}".strip() if info else ""
    return Server(name, client.protocol_version, client.instructions or "")

"""Listening in on a transport: every message is told, and a list of tools loses those that are none."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Protocol, Self, cast

import mcp_types
from mcp.client import Transport
from mcp.shared.message import SessionMessage

from workbench.hosts.mcp.listing import OddTool, without_odd_tools
from workbench.hosts.mcp.traffic import Traffic

FLOOD = 2_000
"""Messages a second; a server that sends more is read more slowly, so that it keeps nobody else waiting."""

_WAITING = 1_000
"""Requests whose method is remembered until they are answered."""


class Listener:
    """Tells the traffic what passes.

    `on_odd_tools` is told what stood in a list of tools and is none, `on_end` that the server's side has ended.
    """

    def __init__(
        self, traffic: Traffic, on_odd_tools: Callable[[list[OddTool]], None], on_end: Callable[[], None]
    ) -> None:
        self._traffic = traffic
        self._on_odd_tools = on_odd_tools
        self.on_end = on_end
        self._methods: dict[str, str] = {}

    def sent(self, item: SessionMessage) -> None:
        """A message of ours is on its way."""
        message = item.message
        method, key = getattr(message, "method", ""), str(getattr(message, "id", ""))
        if isinstance(message, mcp_types.JSONRPCRequest):
            self._methods[key] = method
            if len(self._methods) > _WAITING:
                del self._methods[next(iter(self._methods))]
        self._traffic.sent(method, key, _text(item))

    def received(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        """What is to be made of a message of the server's."""
        if isinstance(item, Exception):
            self._traffic.log("workbench", f"A message cannot be read: {item}")
            return item
        message = item.message
        key = str(getattr(message, "id", ""))
        if isinstance(message, (mcp_types.JSONRPCRequest, mcp_types.JSONRPCNotification)):
            self._traffic.received(message.method, key, _text(item))
            return item
        method = self._methods.pop(key, "")
        self._traffic.received(method, key, _text(item), is_error=isinstance(message, mcp_types.JSONRPCError))
        if method == "tools/list" and isinstance(message, mcp_types.JSONRPCResponse):
            good, odd = without_odd_tools(cast("Mapping[str, object]", message.result))
            if odd:
                self._on_odd_tools(odd)
                return SessionMessage(message.model_copy(update={"result": good}), item.metadata)
        return item


def _text(item: SessionMessage) -> str:
    return item.message.model_dump_json(by_alias=True, exclude_unset=True)


@asynccontextmanager
async def tapped(transport: Transport, listener: Listener) -> AsyncGenerator[tuple[_Reading, _Writing]]:
    """The same transport, listened to."""
    async with transport as (reads, writes):
        yield _Reading(reads, listener), _Writing(writes, listener)


class _Readable(Protocol):
    async def receive(self) -> SessionMessage | Exception: ...
    async def aclose(self) -> None: ...
    async def __anext__(self) -> SessionMessage | Exception: ...


class _Writable(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...
    async def aclose(self) -> None: ...


class _Stream:
    """What both directions have."""

    def __init__(self, inner: _Readable | _Writable) -> None:
        self._ending = inner.aclose

    async def aclose(self) -> None:
        await self._ending()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Reading(_Stream):
    """The server's side, looked at as it is read, and no faster than is good for the others."""

    def __init__(self, inner: _Readable, listener: Listener) -> None:
        super().__init__(inner)
        self._inner = inner
        self._listener = listener
        self._since = time.monotonic()
        self._count = 0

    async def receive(self) -> SessionMessage | Exception:
        await self._in_good_time()
        return self._listener.received(await self._inner.receive())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        await self._in_good_time()
        try:
            item = await self._inner.__anext__()
        except StopAsyncIteration:
            self._listener.on_end()
            raise
        return self._listener.received(item)

    async def _in_good_time(self) -> None:
        self._count += 1
        if self._count > FLOOD:
            await asyncio.sleep(max(0.0, self._since + 1.0 - time.monotonic()))
            self._since, self._count = time.monotonic(), 0


class _Writing(_Stream):
    """Our side, looked at as it is written."""

    def __init__(self, inner: _Writable, listener: Listener) -> None:
        super().__init__(inner)
        self._inner = inner
        self._listener = listener

    async def send(self, item: SessionMessage, /) -> None:
        self._listener.sent(item)
        await self._inner.send(item)

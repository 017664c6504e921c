"""An MCP server at an address: spoken to over streamable HTTP, its refusals made readable, its answers bounded."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client

from workbench.hosts.mcp.traffic import Traffic

LONGEST_MESSAGE = 32 << 20
"""Bytes of one message; a server that sends longer ones is given up."""
_CONNECT_SECONDS = 10.0
_LONGEST_REFUSAL = 64 * 1024
REFUSED = -32_050
"""The code of an error that the server did not put into a message; its data has `httpStatus`."""


@asynccontextmanager
async def http_transport(url: str, headers: Mapping[str, str], traffic: Traffic) -> AsyncGenerator[Transport]:
    """A transport to the address, with these headers on every request. An answer may take any time."""
    timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None)
    async with _Client(headers=dict(headers), timeout=timeout) as client:
        client.traffic = traffic
        yield streamable_http_client(url, http_client=client, max_sse_event_size=LONGEST_MESSAGE)


class _Client(httpx2.AsyncClient):
    """Says of every refusal which it was: what speaks over it keeps no status."""

    traffic: Traffic

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        response = await super().send(request, **options)
        if response.status_code >= 400:
            return await self._spoken(request, response)
        if response.headers.get("content-type", "").lower().startswith("application/json"):
            response.stream = _Bounded(cast(httpx2.AsyncByteStream, response.stream))
        return response

    async def _spoken(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """The refusal as an error message, unless it is one."""
        body = await _beginning(response)
        words = f"HTTP {response.status_code} {response.reason_phrase}".strip()
        self.traffic.log("workbench", f"{request.method} {request.url.path}: {words}")
        if request.method != "POST" or _is_error_message(body):
            content, kind = body, response.headers.get("content-type", "")
        else:
            error = {"code": REFUSED, "message": words, "data": {"httpStatus": response.status_code}}
            content = json.dumps({"jsonrpc": "2.0", "id": 0, "error": error}).encode()
            kind = "application/json"
        await response.aclose()
        headers = {"content-type": kind}
        return httpx2.Response(response.status_code, headers=headers, content=content, request=request)


async def _beginning(response: httpx2.Response) -> bytes:
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _LONGEST_REFUSAL:
            break
    return body


def _is_error_message(body: bytes) -> bool:
    try:
        value: object = json.loads(body)
    except ValueError:
        return False
    return isinstance(value, dict) and {"jsonrpc", "error"} <= cast("dict[str, object]", value).keys()


class _Bounded(httpx2.AsyncByteStream):
    """A body that is given up when it does not end."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > LONGEST_MESSAGE:
                raise httpx2.ReadError(f"The answer has more than {LONGEST_MESSAGE >> 20} MB.")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()

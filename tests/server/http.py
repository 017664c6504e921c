"""A client that says exactly what a test wants it to say, over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit


@dataclass(frozen=True)
class At:
    """Where something is served."""

    url: str


class Served(Protocol):
    """A server, or `At` where one is."""

    @property
    def url(self) -> str: ...


TOKEN = "a-token-of-this-test"
PATIENCE = 60.0


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """Of a refusal."""
        assert self.json["ok"] is False
        return str(self.json["error"]["code"])


class Connection:
    """One connection to a server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> Answer:
        """The next answer, whole."""
        async with asyncio.timeout(PATIENCE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.split("\r\n")
            headers = {
                name.lower(): value.strip()
                for name, _, value in (line.partition(":") for line in lines if line)
            }
            body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Answer(int(first.split()[1]), headers, body)


@asynccontextmanager
async def connected(server: Served) -> AsyncGenerator[Connection]:
    parts = urlsplit(server.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        yield Connection(reader, writer)
    finally:
        writer.close()


def request(
    server: Served, method: str, path: str, body: bytes = b"", headers: Mapping[str, str | None] | None = None
) -> bytes:
    """A request's bytes; `path` is below the project's, unless it begins with `//`. None takes a header away."""
    parts = urlsplit(server.url)
    full = path[1:] if path.startswith("//") else parts.path + path
    said: dict[str, str | None] = {
        "Host": parts.netloc,
        "Authorization": f"Bearer {TOKEN}",
        **(
            {"Content-Type": "application/json", "Content-Length": str(len(body))} if method == "POST" else {}
        ),
        **(headers or {}),
    }
    lines = [f"{name}: {value}" for name, value in said.items() if value is not None]
    return "\r\n".join([f"{method} {full} HTTP/1.1", *lines, "", ""]).encode() + body


async def ask(
    server: Served,
    method: str,
    path: str,
    body: bytes = b"",
    headers: Mapping[str, str | None] | None = None,
) -> Answer:
    async with connected(server) as connection:
        await connection.send(request(server, method, path, body, headers))
        return await connection.answer()


async def post(server: Served, tool: str, body: object, **headers: str | None) -> Answer:
    """Call a tool; `body` is JSON, or the text or bytes in its place. Headers with `_` for `-`."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await ask(server, "POST", f"/v1/tools/{tool}", data, named)

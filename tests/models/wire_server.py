"""A server on this machine that plays a provider: it sends bytes in any pieces, hangs, breaks off, and remembers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Reply:
    """What one request gets: a status with a body, or a stream of frames, written `piece` bytes at a time."""

    frames: Iterable[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: object = None
    ending: Literal["end", "cut", "hang"] = "end"
    piece: int = 1_000_000
    hangs_first: bool = False


@dataclass(frozen=True)
class Asked:
    path: str
    headers: Mapping[str, str]
    body: Any


class WireServer:
    """Gives its replies in turn, the last of them for ever."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.disconnected = asyncio.Event()
        self._replies: list[Reply] = []
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

    def reply(self, *replies: Reply) -> None:
        self._replies = list(replies)

    async def close(self) -> None:
        """Drop every connection that a client keeps open."""
        open_ = dict(self._open)
        for writer in open_:
            writer.close()
        if open_:
            await asyncio.wait(open_.values(), timeout=10)

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open[writer] = asyncio.ensure_future(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                self.asked.append(await _read_request(reader))
                reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
                answering = asyncio.ensure_future(_answer(writer, reply))
                leaving = asyncio.ensure_future(reader.read(1))
                await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if not answering.done() or answering.exception():
                    answering.cancel()
                    leaving.cancel()
                    self.disconnected.set()
                    return
                leaving.cancel()
                await asyncio.wait({leaving})
                if answering.result() == "cut":
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            del self._open[writer]
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(head[0].split(" ")[1], headers, json.loads(body) if body else None)


async def _answer(writer: asyncio.StreamWriter, reply: Reply) -> str:
    if reply.hangs_first:
        await asyncio.Event().wait()
    head = f"HTTP/1.1 {reply.status} X\r\n" + "".join(f"{k}: {v}\r\n" for k, v in reply.headers.items())
    if reply.status != 200:
        body = json.dumps(reply.body).encode()
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        return "end"
    writer.write((head + "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n").encode())
    for frame in reply.frames:
        for start in range(0, len(frame), reply.piece):
            part = frame[start : start + reply.piece]
            writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
    if reply.ending == "hang":
        await asyncio.Event().wait()
    if reply.ending == "end":
        writer.write(b"0\r\n\r\n")
        await writer.drain()
    return reply.ending


@asynccontextmanager
async def wire_server(*replies: Reply) -> AsyncGenerator[WireServer]:
    """A server that listens while the context is open."""
    server = WireServer()
    server.reply(*replies)
    async with await asyncio.start_server(server.connected, "127.0.0.1", 0, limit=2**24) as listening:
        server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            yield server
        finally:
            listening.close()
            await server.close()


def frame(data: object, event: str = "") -> bytes:
    """One server-sent event, not escaped to ASCII, so that pieces split code points."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {event}\n" if event else "").encode() + f"data: {text}\n\n".encode()


def frames(*events: object) -> Sequence[bytes]:
    return [frame(event) for event in events]

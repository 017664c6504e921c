"""Our own stdin and stdout as the streams of an MCP client, so that nothing else gets in between.

What is printed while a client is served goes to stderr. A wait for the client never holds up the end of the program.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

_CHUNK = 64 * 1024
_AHEAD = 16
"""Messages that wait to be taken before no more are read."""
_BIG = 256 * 1024
"""Bytes from which on a message is taken apart in another thread."""
_STDIN = 0
_STDOUT = 1
_STDERR = 2

_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def standard_streams() -> AsyncGenerator[Streams]:
    """Messages of the client, and to it, until the block ends."""
    to_us, reads = anyio.create_memory_object_stream[SessionMessage | Exception](_AHEAD)
    writes, to_client = anyio.create_memory_object_stream[SessionMessage](_AHEAD)
    with _stdout_for_messages() as out:
        reading = asyncio.create_task(_read(to_us))
        writing = asyncio.create_task(_write(out, to_client))
        try:
            yield reads, writes
        finally:
            writes.close()
            reading.cancel()
            await asyncio.wait({reading, writing})
            for stream in (reads, to_us, to_client):
                stream.close()


@contextmanager
def _stdout_for_messages() -> Generator[int]:
    """A descriptor of what was stdout; what is printed goes to stderr meanwhile."""
    sys.stdout.flush()
    out = os.dup(_STDOUT)
    try:
        os.dup2(_STDERR, _STDOUT)
        yield out
    finally:
        sys.stdout.flush()
        os.dup2(out, _STDOUT)
        os.close(out)


async def _read(to_us: _Incoming) -> None:
    parts: list[bytes] = []
    with to_us, suppress(anyio.BrokenResourceError):  # nobody wants to know any more
        async for chunk in _chunks():
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                await _hand_on(to_us, b"".join((*parts, line)))
                parts = []
            parts.append(rest)


async def _chunks() -> AsyncGenerator[bytes]:
    """What is said on stdin, until its end. It is read only when there is something, so that nothing ever waits."""
    loop = asyncio.get_running_loop()
    while True:
        said = loop.create_future()
        try:
            loop.add_reader(_STDIN, said.set_result, None)
        except PermissionError:  # a file, which always has something
            said.set_result(None)
        try:
            await said
        finally:
            loop.remove_reader(_STDIN)
        try:
            chunk = os.read(_STDIN, _CHUNK)
        except OSError:  # its terminal has gone
            return
        if not chunk:
            return
        yield chunk


async def _hand_on(to_us: _Incoming, line: bytes) -> None:
    if not line.strip():
        return
    item = _message(line) if len(line) < _BIG else await asyncio.to_thread(_message, line)
    try:
        to_us.send_nowait(item)
    except anyio.WouldBlock:
        await to_us.send(item)


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write(out: int, to_client: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async for item in to_client:
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        with suppress(OSError):  # it has gone; what it no longer reads, it need not be told
            data = text.encode() + b"\n"
            if len(data) <= select.PIPE_BUF and select.select([], [out], [], 0)[1]:
                os.write(out, data)  # there is room for it, so nothing waits
            else:
                await asyncio.to_thread(_write_whole, out, data)


def _write_whole(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]

"""Our own stdin and stdout as the streams of an MCP client, so that nothing else gets in between.

What is printed while a client is served goes to stderr. A wait for the client never holds up the end of the program.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

_CHUNK = 64 * 1024
_STDOUT = 1
_STDERR = 2

_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def standard_streams() -> AsyncGenerator[Streams]:
    """Messages of the client, and to it, until the block ends."""
    to_us, reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writes, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    with _stdout_for_messages() as out:
        reader = threading.Thread(
            target=_read, args=(asyncio.get_running_loop(), to_us), name="mcp-stdin", daemon=True
        )
        reader.start()
        writing = asyncio.create_task(_write(out, to_client))
        try:
            yield reads, writes
        finally:
            writes.close()
            await asyncio.wait({writing})
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


def _read(loop: asyncio.AbstractEventLoop, to_us: _Incoming) -> None:
    """In a thread of its own, since a read of stdin cannot be called off."""
    parts: list[bytes] = []
    with suppress(RuntimeError, CancelledError, OSError):  # the loop ended before the client did
        while chunk := os.read(0, _CHUNK):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                _hand_on(loop, to_us, b"".join((*parts, line)))
                parts = []
            parts.append(rest)
        loop.call_soon_threadsafe(to_us.close)


def _hand_on(loop: asyncio.AbstractEventLoop, to_us: _Incoming, line: bytes) -> None:
    if not line.strip():
        return
    item: SessionMessage | Exception
    try:
        item = SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        item = error
    asyncio.run_coroutine_threadsafe(_send(to_us, item), loop).result()


async def _send(to_us: _Incoming, item: SessionMessage | Exception) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await to_us.send(item)


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

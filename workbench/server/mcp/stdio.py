"""Our own stdin and stdout as the streams of an MCP client, so that nothing else gets in between.

What is printed while a client is served goes to stderr. A wait for the client never holds up the end of the program.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
from collections import deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import TracebackType
from typing import Self, TypeAlias

import anyio
import mcp_types
from mcp.shared.message import SessionMessage

_CHUNK = 64 * 1024
_BIG = 256 * 1024
"""Bytes from which on a message is taken apart in another thread."""
_STDIN = 0
_STDOUT = 1
_STDERR = 2

Message: TypeAlias = SessionMessage | Exception


@asynccontextmanager
async def standard_streams() -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """Messages of the client, and to it, until the block ends."""
    with _stdout_for_messages() as out:
        writes = Outgoing(out)
        try:
            yield Incoming(), writes
        finally:
            await writes.settled()


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


class _Stream:
    """What the library asks of each of its streams; ours are there as long as the program is."""

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        pass


class Incoming(_Stream):
    """What a client says, message by message; stdin is read when the next one is asked for."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._parts: list[bytes] = []
        self._has_ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        while True:
            while self._lines:
                line = self._lines.popleft()
                if line.strip():
                    return _message(line) if len(line) < _BIG else await asyncio.to_thread(_message, line)
            chunk = b"" if self._has_ended else await _said()
            if not chunk:
                self._has_ended = True  # a terminal goes on behind its end
                raise StopAsyncIteration
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                self._lines.append(b"".join((*self._parts, line)))
                self._parts = []
            self._parts.append(rest)

    async def receive(self) -> Message:
        """The next message. Raises EndOfStream."""
        try:
            return await anext(self)
        except StopAsyncIteration:
            raise anyio.EndOfStream from None


async def _said() -> bytes:
    """What there is on stdin, once there is something; empty at its end."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    try:
        loop.add_reader(_STDIN, ready.set_result, None)
    except PermissionError:  # a file, which never lets anybody wait
        ready.set_result(None)
    try:
        await ready
    finally:
        loop.remove_reader(_STDIN)
    with suppress(OSError):  # its terminal has gone
        return os.read(_STDIN, _CHUNK)
    return b""


def _message(line: bytes) -> Message:
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


class Outgoing(_Stream):
    """What a client is told, one message after another."""

    def __init__(self, out: int) -> None:
        self._out = out
        self._one_at_a_time = asyncio.Lock()
        self._writing: set[asyncio.Task[None]] = set()

    async def send(self, item: SessionMessage, /) -> None:
        """Return when it is written. Whoever is called off meanwhile leaves no half of a message."""
        data = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        if self._has_room(data):
            with suppress(OSError):  # it has gone; what it no longer reads, it need not be told
                os.write(self._out, data)
            return
        writing = asyncio.create_task(self._write(data))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        await asyncio.shield(writing)

    async def settled(self) -> None:
        """Return when nothing is being written any more."""
        if self._writing:
            await asyncio.wait(self._writing)

    def _has_room(self, data: bytes) -> bool:
        """Whether writing it now waits for nothing."""
        is_next = not self._writing and len(data) <= select.PIPE_BUF
        return is_next and bool(select.select([], [self._out], [], 0)[1])

    async def _write(self, data: bytes) -> None:
        async with self._one_at_a_time:
            with suppress(OSError):
                await asyncio.to_thread(_write_whole, self._out, data)


def _write_whole(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]

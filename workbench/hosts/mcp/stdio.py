"""An MCP server as a process of ours: started with its own environment, read line by line, ended with its tree."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from workbench.base.errors import RunError
from workbench.hosts.answers import how_it_ended
from workbench.hosts.mcp.traffic import Traffic
from workbench.hosts.process_tree import MARK, end_tree

LONGEST_MESSAGE = 32 << 20
"""Bytes of one line; a server that writes longer ones is given up."""

INHERITED = frozenset(
    {
        "HOME",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "USER",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TMPDIR",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
    }
)
"""What a server is given of our environment: it is another's program, and much of what stands there is not for it."""

_CHUNK = 64 * 1024
_GRACE_SECONDS = 1.0
_NOISE = 200
_numbers = itertools.count(1)

Reads = MemoryObjectReceiveStream[SessionMessage | Exception]
Writes = MemoryObjectSendStream[SessionMessage]


@dataclass(frozen=True, slots=True)
class Program:
    """What is started, where, and with what beside the inherited environment."""

    command: str
    args: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]


class ServerProcess:
    """The process behind a connection. `why_it_ended` says so once it has."""

    def __init__(self, program: Program, traffic: Traffic, lane: Executor) -> None:
        self._program = program
        self._traffic = traffic
        self._lane = lane
        self._mark = f"{os.getpid()}.mcp.{next(_numbers)}"
        self._process: asyncio.subprocess.Process
        self.pid: int | None = None
        self.why_it_ended = ""

    @asynccontextmanager
    async def transport(self) -> AsyncGenerator[tuple[Reads, Writes]]:
        """The streams of its messages. Raises RunError when it cannot be started."""
        await self._start()
        to_us, reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        writes, to_it = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(self._read(to_us)),
            asyncio.create_task(self._write(to_it)),
            asyncio.create_task(self._log()),
        ]
        try:
            yield reads, writes
        finally:
            await asyncio.shield(self._end(tasks))
            for stream in (reads, writes, to_us, to_it):
                stream.close()

    async def _start(self) -> None:
        program = self._program
        inherited = {name: value for name, value in os.environ.items() if name in INHERITED}
        try:
            self._process = await asyncio.create_subprocess_exec(
                program.command,
                *program.args,
                cwd=program.folder,
                env={**inherited, **program.environment, MARK: self._mark},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_CHUNK,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise RunError(
                f"The program {program.command} cannot be started: {reason}.",
                hint="Is it installed, and does its `command` in workbench.toml name it?",
            ) from error
        self.pid = self._process.pid
        self._traffic.log("workbench", f"Started {program.command} (pid {self.pid}).")

    async def _read(self, to_us: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand on every line that is a message; what else it prints stands in the log."""
        noise = 0
        with to_us, contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for line in self._lines():
                try:
                    message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    noise += 1
                    if noise <= _NOISE:
                        self._traffic.log("stdout", line.decode(errors="replace"))
                    continue
                await to_us.send(SessionMessage(message))
            if not self.why_it_ended:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_GRACE_SECONDS):
                        self.why_it_ended = f"its process {how_it_ended(await self._process.wait())}"

    async def _lines(self) -> AsyncGenerator[bytes]:
        """What it writes, line by line. Little is read ahead: the pipe holds back one that writes too much."""
        pipe = cast("asyncio.StreamReader", self._process.stdout)
        parts: list[bytes] = []
        size = 0
        while chunk := await pipe.read(_CHUNK):
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                yield b"".join((*parts, line))
                parts, size = [], 0
            parts.append(rest)
            size += len(rest)
            if size > LONGEST_MESSAGE:
                self.why_it_ended = (
                    f"it wrote more than {LONGEST_MESSAGE >> 20} MB without the end of a message"
                )
                return

    async def _write(self, to_it: MemoryObjectReceiveStream[SessionMessage]) -> None:
        pipe = cast("asyncio.StreamWriter", self._process.stdin)
        with to_it, contextlib.suppress(OSError):
            async for item in to_it:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                pipe.write(text.encode() + b"\n")
                await pipe.drain()

    async def _log(self) -> None:
        while chunk := await cast("asyncio.StreamReader", self._process.stderr).read(1 << 16):
            self._traffic.log("stderr", chunk.decode(errors="replace"))

    async def _end(self, tasks: list[asyncio.Task[None]]) -> None:
        """Ask it to end by closing its input, then end it with all that it started (C13)."""
        cast("asyncio.StreamWriter", self._process.stdin).close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_SECONDS):
                await self._process.wait()
        pid = self._process.pid
        ended = await asyncio.get_running_loop().run_in_executor(self._lane, end_tree, pid, self._mark)
        for line in ended:
            self._traffic.log("workbench", f"Ended with it: {line}")
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for pipe in (self._process.stdout, self._process.stderr):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(
                    _GRACE_SECONDS
                ):  # they close themselves once they are read to the end
                    while await cast("asyncio.StreamReader", pipe).read(1 << 20):
                        pass
        await self._process.wait()
        self._traffic.log("workbench", f"Its process (pid {pid}) is gone.")

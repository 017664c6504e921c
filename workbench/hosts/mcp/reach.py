"""From a connection's settings to a way of reaching its server, with the values of variables put in (V6)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

from mcp.client import Transport

from workbench.base.errors import RunError
from workbench.domain.connections import ConnectionSpec, filled
from workbench.hosts.mcp.http import http_transport
from workbench.hosts.mcp.stdio import Program, ServerProcess
from workbench.hosts.mcp.traffic import Traffic

_UNSENDABLE = re.compile(r"[\r\n\0]")


class Reach(Protocol):
    """One way to one server, used once. `why_it_ended` says what became of its process."""

    @property
    def pid(self) -> int | None: ...

    @property
    def why_it_ended(self) -> str: ...

    def transport(self) -> AbstractAsyncContextManager[Transport]:
        """What carries the messages. Raises RunError when the server cannot be started."""
        ...


def reach(
    spec: ConnectionSpec, values: Mapping[str, str], folder: Path, traffic: Traffic, lane: Executor
) -> Reach:
    """How the server of a connection is reached by somebody for whom the variables have these values."""
    if spec.url is not None:
        return _Address(spec.url, filled(spec.headers, values), traffic)
    program = Program(spec.command or "", spec.args, folder, filled(spec.env, values))
    return _Program(ServerProcess(program, traffic, lane))


class _Program:
    def __init__(self, process: ServerProcess) -> None:
        self._process = process

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def why_it_ended(self) -> str:
        return self._process.why_it_ended

    @asynccontextmanager
    async def transport(self) -> AsyncGenerator[Transport]:
        yield self._process.transport()


class _Address:
    pid: int | None = None
    why_it_ended: str = ""

    def __init__(self, url: str, headers: Mapping[str, str], traffic: Traffic) -> None:
        self._url = url
        self._headers = headers
        self._traffic = traffic

    @asynccontextmanager
    async def transport(self) -> AsyncGenerator[Transport]:
        for name, value in self._headers.items():
            if _UNSENDABLE.search(value):  # the library's own words would quote it
                raise RunError(
                    f"The header {name} has a value that cannot be sent: it holds a line break.",
                    hint="Set the variable that it names again.",
                )
        async with http_transport(self._url, self._headers, self._traffic) as transport:
            yield transport

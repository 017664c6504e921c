"""The server itself: its socket, its doors, and how it stops without breaking off what runs."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Callable, Collection, Generator, Sequence
from functools import partial
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from workbench.app import Workbench
from workbench.base.clock import SystemClock
from workbench.base.errors import BugError, UserError, WorkbenchError
from workbench.domain.auth import Auth
from workbench.domain.calls import Origin
from workbench.domain.serving import RequestLine
from workbench.server.answers import Refused, answered, refused
from workbench.server.gate import Gate, is_loopback
from workbench.server.heads import PatientProtocol
from workbench.server.mcp import McpDoor
from workbench.server.openapi import document
from workbench.server.requests import RequestLog
from workbench.server.sessions import Sessions
from workbench.server.tools import ToolCalls
from workbench.server.work import UnderWay

GRACE = 5.0
"""Seconds that calls under way are given when the server stops; then they are stopped, and answered as such."""
_LAST_ANSWERS = 3
"""Seconds that answers are given to leave."""


class Place(NamedTuple):
    """Where to listen; port 0 takes a free one."""

    host: str = "127.0.0.1"
    port: int = 3000


class Server:
    """A project's tools over HTTP and MCP, in the loop that opened the project."""

    def __init__(
        self,
        workbench: Workbench,
        door: McpDoor,
        under_way: UnderWay,
        *,
        url: str,
        callers: Sequence[str],
        log: RequestLog,
    ) -> None:
        self.url = url
        """Up to the project's name: tools are at `<url>/v1/tools/<name>`, MCP clients are served at `<url>/mcp`."""
        self.callers = tuple(callers)
        """Who has a token of their own."""
        self.log = log
        self._workbench = workbench
        self._door = door
        self._under_way = under_way
        self._listens = asyncio.Event()
        self._leaves = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        workbench: Workbench,
        place: Place,
        *,
        token: str | None,
        hosts: Collection[str] = (),
        approve: bool = False,
        on_request: Callable[[RequestLine], None] | None = None,
    ) -> Server:
        """Listen from now on. `token` None asks for none, which only this machine may do; callers that the settings
        name have tokens of their own. `hosts` are further names of this server; `approve` lets calls of MCP clients
        run that ask for an approval, which others say themselves. Raises UserError when it cannot listen there, or
        where a caller's token is none.
        """
        if token is None and not is_loopback(place.host):
            raise UserError(
                f"A server at {place.host} needs a token: other machines reach it.",
                hint="Leave out --no-auth, or listen at 127.0.0.1.",
            )
        named = await workbench.server_callers()
        callers = named if token is None else {token: Auth(principal="token"), **named}
        stranger = Auth(principal="anonymous") if token is None else None
        under_way, log = UnderWay(), RequestLog(on_request)
        listening = _bound(place)
        port = listening.getsockname()[1]
        shown = f"[{place.host}]" if ":" in place.host else place.host
        url = f"http://{shown}:{port}/{workbench.project.slug}"
        names = [caller.principal for caller in named.values()]
        door = McpDoor(workbench, approve=approve)
        server = cls(workbench, door, under_way, url=url, callers=names, log=log)

        def application(routes: Sequence[BaseRoute]) -> Gate:
            return Gate(
                _app(workbench, under_way, routes, asks_token=token is not None),
                callers=callers,
                stranger=stranger,
                hosts=(*hosts, *_own_names(place.host)),
                log=log,
                clock=SystemClock(),
            )

        await server._begin(application, listening)
        return server

    async def _begin(
        self, application: Callable[[Sequence[BaseRoute]], ASGIApp], listening: socket.socket
    ) -> None:
        self._task = asyncio.create_task(self._serve(application, listening), name="server")
        listens = asyncio.ensure_future(self._listens.wait())
        await asyncio.wait([self._task, listens], return_when=asyncio.FIRST_COMPLETED)
        listens.cancel()
        if self._task.done():
            await self._task

    async def _serve(
        self, application: Callable[[Sequence[BaseRoute]], ASGIApp], listening: socket.socket
    ) -> None:
        """MCP clients keep connections open: they are let go before the rest is waited for."""
        async with self._door.routes(self._under_way) as routes:
            http = _Quiet(_configured(application(routes)), self._listens)
            serving = asyncio.create_task(http.serve([listening]), name="http server")
            leaves = asyncio.ensure_future(self._leaves.wait())
            await asyncio.wait([serving, leaves], return_when=asyncio.FIRST_COMPLETED)
            leaves.cancel()
        http.should_exit = True
        await serving

    async def stop(self, grace: float = GRACE) -> None:
        """Take no more calls, wait for those under way, then stop them; every caller gets its answer."""
        self._under_way.stop()
        self._door.let_go()
        if not await self._under_way.nothing(grace):
            for call in self._workbench.live_calls():
                if call.origin in (Origin.HTTP, Origin.MCP):
                    await self._workbench.stop_call(call.id)
            await self._under_way.nothing(_LAST_ANSWERS)
        self._leaves.set()
        await self.stopped()

    async def stopped(self) -> None:
        """Return when it has stopped."""
        if self._task is not None:
            await asyncio.wait([self._task])


class _Quiet(uvicorn.Server):
    """Leaves the program's signals to the program, and tells when it listens."""

    def __init__(self, config: uvicorn.Config, listens: asyncio.Event) -> None:
        super().__init__(config)
        self._listens = listens

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listens.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _configured(application: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        application,
        http=PatientProtocol,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )


def _app(
    workbench: Workbench, under_way: UnderWay, routes: Sequence[BaseRoute], *, asks_token: bool
) -> Starlette:
    slug = workbench.project.slug
    calls = ToolCalls(workbench, under_way)
    sessions = Sessions(workbench, under_way.stopping)

    async def openapi(request: Request) -> Response:
        del request
        info = workbench.project
        return answered(document(info.name, info.slug, workbench.listings(), auth=asks_token))

    refusal = partial(_refusal, slug)
    app = Starlette(
        routes=[
            Route(f"/{slug}/v1/tools/{{name:path}}", calls.serve, methods=["POST"]),
            Route(f"/{slug}/v1/sessions", sessions.list, methods=["GET"]),
            Route(f"/{slug}/v1/sessions/{{id}}/events", sessions.events, methods=["GET"]),
            Route("/openapi.json", openapi, methods=["GET"]),
            Route(f"/{slug}/openapi.json", openapi, methods=["GET"]),
            *routes,
        ],
        exception_handlers={
            HTTPException: refusal,
            Refused: refusal,
            ClientDisconnect: refusal,
            Exception: _failure,
        },
    )
    app.router.redirect_slashes = False  # what is nowhere is told in words, not sent on with none
    return app


async def _refusal(slug: str, request: Request, error: Exception) -> Response:
    if isinstance(error, Refused):
        return refused(error.code, error.message)
    if isinstance(error, ClientDisconnect):  # nobody reads this
        return refused("invalid_request", "The request was not finished.")
    if isinstance(error, HTTPException) and error.status_code == 405:
        return refused("method_not_allowed", f"{request.method} is not served here.", error.headers)
    return refused("not_found", f"There is nothing at this address. Tools are at /{slug}/v1/tools/NAME.")


async def _failure(request: Request, error: Exception) -> Response:
    """What went wrong on our side; only what is meant for people is told."""
    del request
    if isinstance(error, WorkbenchError) and not isinstance(error, BugError):
        return refused("unavailable", f"{error.message} {error.hint}".strip())
    return refused("internal_error", "The server itself failed; its log says more.")


def _bound(place: Place) -> socket.socket:
    """A socket of TCP by name: for another one asyncio leaves Nagle's algorithm on, and each answer waits 40 ms."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((place.host, place.port))
    except (OSError, OverflowError) as error:
        listening.close()
        words = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise UserError(
            f"The server cannot listen at {place.host}, port {place.port}: {words}.",
            hint="Choose another port: here, or under [server] in workbench.toml.",
        ) from error
    listening.setblocking(False)
    return listening


def _own_names(host: str) -> tuple[str, ...]:
    """The names that its own address gives it; one that stands for every address gives none."""
    try:
        return () if ipaddress.ip_address(host).is_unspecified else (host,)
    except ValueError:
        return (host,)

"""The server that a person starts and stops by hand: at most one, with its token and what was asked of it (H1).

It lives in the loop that opened the project. Its token is in memory only, and the same each time it is started.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from workbench.app import Workbench
from workbench.domain.serving import RequestLine, ServerState, ServerView
from workbench.server.serving import GRACE, Place, Server
from workbench.server.tokens import server_token


class ServerDesk:
    """`on_change` is told that there is something new to see, and must be quick."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._server: Server | None = None
        self._state = ServerState.STOPPED
        self._token: str | None = None
        self._asks_token = True
        self._requests: Sequence[RequestLine] = ()
        self._one_at_a_time = asyncio.Lock()

    def view(self) -> ServerView:
        """How it stands now."""
        lines = self._server.log.lines() if self._server is not None else self._requests
        return ServerView(
            state=self._state,
            url=self._server.url if self._server is not None else "",
            asks_token=self._asks_token,
            callers=self._server.callers if self._server is not None else (),
            requests=tuple(lines),
        )

    @property
    def token(self) -> str | None:
        """What callers send; None before it was first started, and where none is asked for."""
        return self._token if self._asks_token else None

    async def start(self, workbench: Workbench, port: int, *, auth: bool) -> None:
        """Listen on this machine; does nothing while it does already. Raises UserError when it cannot listen there."""
        async with self._one_at_a_time:
            if self._server is not None:
                return
            if auth and self._token is None:
                self._token = server_token()
            self._asks_token = auth
            self._turn(ServerState.STARTING)
            try:
                self._server = await Server.start(
                    workbench,
                    Place(port=port),
                    token=self.token,
                    on_request=lambda _: self._on_change(),
                )
            finally:
                self._turn(ServerState.STOPPED if self._server is None else ServerState.RUNNING)

    async def stop(self, grace: float = GRACE) -> None:
        """Let calls under way end, for so many seconds; then stop them. Their callers are answered."""
        async with self._one_at_a_time:
            server = self._server
            if server is None:
                return
            self._turn(ServerState.STOPPING)
            try:
                await server.stop(grace)
            finally:
                self._requests, self._server = server.log.lines(), None
                self._turn(ServerState.STOPPED)

    def _turn(self, state: ServerState) -> None:
        self._state = state
        self._on_change()

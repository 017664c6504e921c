"""Reading a request's head: bounded in time, whatever the client does. Its size is bounded by the protocol."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 30.0
"""How long a head may take to arrive."""


class PatientProtocol(H11Protocol):
    """Closes a connection whose client begins a request, or only the connection, and does not go on."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._look_at_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look_at_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_limit()
        super().connection_lost(exc)

    def _look_at_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._end_limit()
        elif self._limit is None:
            self._limit = self.loop.call_later(SECONDS, self.timeout_keep_alive_handler)

    def _end_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

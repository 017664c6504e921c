"""How much is being served: whoever stops the server waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import TracebackType

from workbench.server.answers import Refused


class UnderWay:
    """Entered by each call that is served; refuses more once the server is stopping."""

    def __init__(self) -> None:
        self.stopping = asyncio.Event()
        self._limits: set[asyncio.Timeout] = set()
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    def stop(self) -> None:
        """Take no more, and wait for no client that is still asking."""
        self.stopping.set()
        for limit in self._limits:
            limit.reschedule(0)

    @asynccontextmanager
    async def asking(self, seconds: float) -> AsyncGenerator[None]:
        """Raise Refused when what is inside takes longer, or the server stops: it waits for what a client says."""
        try:
            async with asyncio.timeout(seconds) as limit:
                self._limits.add(limit)
                try:
                    yield
                finally:
                    self._limits.discard(limit)
        except TimeoutError:
            self._refuse_when_stopping()
            raise Refused("request_timeout", f"The body did not arrive within {seconds:g} seconds.") from None

    def _refuse_when_stopping(self) -> None:
        if self.stopping.is_set():
            raise Refused("unavailable", "The server is stopping.")

    def __enter__(self) -> None:
        self._refuse_when_stopping()
        self._count += 1
        self._none.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._count -= 1
        if not self._count:
            self._none.set()

    async def nothing(self, within: float) -> bool:
        """Return when nothing is under way any more; False when it still is after so many seconds."""
        try:
            await asyncio.wait_for(self._none.wait(), within)
        except TimeoutError:
            return False
        return True

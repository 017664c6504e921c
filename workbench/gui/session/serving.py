"""The window's server: made when it is first asked for, in the engine's thread, which pays for what it imports."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.server import ServerDesk


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """There is something new to see of the server, which is reached at `url`, "" for nowhere."""

    url: str


class Serving:
    """Lives in the engine's thread; `post` hands a value to the window."""

    def __init__(self, post: Callable[[object], None]) -> None:
        self._post = post
        self._desk: ServerDesk | None = None

    async def desk(self) -> ServerDesk:
        """The one server there is."""
        if self._desk is None:
            await asyncio.to_thread(importlib.import_module, "workbench.server")
            from workbench.server import ServerDesk

            self._desk = self._desk or ServerDesk(self._tell)
        return self._desk

    async def close(self) -> None:
        """The project closes: whoever is served is answered at once."""
        if self._desk is not None:
            await self._desk.stop(grace=0.0)

    def _tell(self) -> None:
        if self._desk is not None:
            self._post(ServerChanged(self._desk.view().url))

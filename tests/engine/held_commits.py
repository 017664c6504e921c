"""A commit that is held while something else happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import Thread
from workbench.domain.writes import Write


class HeldCommit:
    """The first commit of a store that carries such a write is held until it is let go."""

    def __init__(self, rig: ThreadRig, patch: pytest.MonkeyPatch, is_it: Callable[[Write], bool]) -> None:
        self.reached, self._open = asyncio.Event(), asyncio.Event()
        self._is_it, self._commit = is_it, rig.rig.store.commit
        patch.setattr(rig.rig.store, "commit", self._held)

    async def _held(self, *writes: Write, flush: bool = True) -> None:
        if not self.reached.is_set() and any(map(self._is_it, writes)):
            self.reached.set()
            await self._open.wait()
        await self._commit(*writes, flush=flush)

    def let_go(self) -> None:
        self._open.set()


async def give_it_time(rig: ThreadRig, thread: Thread) -> None:
    """What can begin in the thread meanwhile has had its chance."""
    for _ in range(50):
        await rig.rig.store.thread(thread.id)

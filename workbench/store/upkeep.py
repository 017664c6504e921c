"""What a store does beside its commits: indexing them, and removing the traces of deletions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import monotonic

from workbench.base.errors import UserError
from workbench.store import deletion
from workbench.store.lanes import WriterLane
from workbench.store.search import Indexer
from workbench.store.writes import Recorder

_log = logging.getLogger(__name__)

_DELAY = 0.25
"""Seconds between a commit and its indexing, so that a call's few writes are indexed once and off their path."""

_CATCH_UP_SECONDS = 0.5


class Upkeep:
    """Work in short steps in the writer's lane, so that commits come in between; it belongs to the writer's loop."""

    def __init__(self, writer: WriterLane) -> None:
        self._writer = writer
        self._indexer = Indexer()
        self._task: asyncio.Task[None] | None = None
        self._catching_up: asyncio.Task[None] | None = None
        self._has_work = False
        writer.on_commit = self._begin
        self._begin()  # what an earlier opening left

    async def index(self, until: Callable[[], bool] = lambda: False) -> None:
        """Index what was committed; all of it, unless `until` says that it is enough."""
        while await self._writer.run(self._index_step) and not until():
            pass

    async def catch_up(self) -> None:
        """Index before a search what was committed a moment ago; what takes long is left to the background.

        While another program keeps the file to itself, or the disk is full, a search finds what was indexed before.
        """
        if self._catching_up is None or self._catching_up.done():
            deadline = monotonic() + _CATCH_UP_SECONDS
            self._catching_up = asyncio.ensure_future(self._index_or_say(lambda: monotonic() > deadline))
        await asyncio.wait([self._catching_up], timeout=_CATCH_UP_SECONDS)

    async def remove_traces(self) -> None:
        """Make deletions final in the file itself. What cannot be done now (the disk is full) is tried again."""
        try:
            await self.index()
            while await self._writer.run(lambda recorder: deletion.tidy(recorder.connection)):
                pass
        except UserError as error:
            _log.info("The upkeep of the store has to wait: %s", error)

    async def close(self) -> None:
        if self._catching_up is not None:
            await asyncio.wait([self._catching_up])
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _index_or_say(self, until: Callable[[], bool]) -> None:
        try:
            await self.index(until)
        except UserError as error:
            _log.info("A search goes without the newest calls: %s", error)

    def _index_step(self, recorder: Recorder) -> bool:
        return self._indexer.step(recorder.connection)

    def _begin(self) -> None:
        self._has_work = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._keep_up())

    async def _keep_up(self) -> None:
        while self._has_work:
            await asyncio.sleep(_DELAY)
            self._has_work = False
            await self.remove_traces()

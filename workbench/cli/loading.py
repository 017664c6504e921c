"""Waiting for a project's definitions, and saying so when it takes a while."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from workbench.domain.changes import Changes

if TYPE_CHECKING:
    from workbench.app import Workbench

PATIENCE = 0.5
"""Seconds after which a person is told what the command waits for."""


async def load_definitions(wb: Workbench) -> None:
    """Return when every definition is loaded; on a terminal, a slow load is counted on stderr."""
    task = asyncio.create_task(wb.settled())
    try:
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if not done and sys.stderr.isatty():
            await _counted(wb, task)
        await task
    finally:
        task.cancel()


async def _counted(wb: Workbench, task: asyncio.Task[None]) -> None:
    from rich.console import Console

    def words() -> str:
        listings = wb.listings()
        loaded = sum(1 for one in listings if one.definition or one.diagnostics)
        return f"Loading definitions: {loaded} of {len(listings)}"

    with Console(stderr=True).status(words()) as status:

        def on_changes(_: Changes) -> None:
            status.update(words())

        unsubscribe = wb.subscribe(on_changes=on_changes)
        try:
            await asyncio.wait({task})
        finally:
            unsubscribe()

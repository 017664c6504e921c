"""Runs trees of threads without end, taking up what was stopped before; started, and killed, by a test.

`crash_threads.py PROJECT PERSON` prints `ended ID` once a call's result is kept, and goes on until it is killed.
With `finish` it gives the variable that some wait for, begins nothing new, and ends when everything has parked.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.app import Workbench, open_workbench
from workbench.base.ids import ThreadId
from workbench.domain.events import CallFinished, Event
from workbench.domain.pages import ThreadFilter
from workbench.domain.threads import ThreadStatus
from workbench.engine.doubles.vault import MemoryVault

AT_ONCE = 3


def say(event: Event) -> None:
    if isinstance(event, CallFinished):
        os.write(1, f"ended {event.call_id}\n".encode())


async def stopped(wb: Workbench) -> Sequence[ThreadId]:
    """What is to be taken up, parents before their children."""
    page = await wb.threads.page(ThreadFilter(statuses=(ThreadStatus.STOPPED,)), limit=1_000)
    return [row.id for row in reversed(page.rows)]


async def quiet(wb: Workbench) -> None:
    """Return when no thread is at work."""
    while wb.threads.running():
        await asyncio.gather(*(wb.threads.parked(thread.id) for thread in wb.threads.running()))


async def main(project: Path, person: Path, *, finish: bool) -> None:
    async with open_workbench(project, data_dir=person, vault=MemoryVault(), person_attached=True) as wb:
        wb.subscribe(on_event=say)
        for thread_id in await stopped(wb):
            await wb.threads.go_on(thread_id)
        if finish:
            await wb.variables.set("DESK", "north")
            await quiet(wb)
            return

        async def boss() -> None:
            while True:
                thread = await wb.threads.start("boss", message="Go")
                await wb.threads.parked(thread.id)

        await asyncio.gather(*(boss() for _ in range(AT_ONCE)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), finish=sys.argv[3:] == ["finish"]))

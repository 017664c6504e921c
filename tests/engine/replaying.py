"""Replays over a thread rig: one at its end, and a tool whose result is another one each time."""

from __future__ import annotations

from typing import Any

from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import ReplayMode, Thread

ADD = {"calls": [{"name": "add", "arguments": {"by": 2}}]}


async def replayed(rig: ThreadRig, thread: Thread, *, tools: bool = False, live: bool = False) -> Thread:
    """A replay at its end."""
    mode = ReplayMode(recorded_models=not live, recorded_tools=tools)
    original = await rig.rig.store.thread(thread.id)
    assert original is not None
    made = await rig.engine.replays.start(original, mode, dry_run=False, as_of=None)
    await ended(rig)
    found = await rig.rig.store.thread(made.id)
    assert found is not None
    return found


async def ended(rig: ThreadRig) -> None:
    threads = rig.engine.threads
    while running := threads.running():
        for one in running:
            await threads.parked(one.id)
        await rig.engine.replays.settled()


def counter(rig: ThreadRig) -> list[Any]:
    """A tool that counts, whose result is another one each time."""
    seen: list[Any] = []

    def add(given: Any) -> str:
        seen.append(given["by"])
        return f"now {sum(seen)}"

    rig.tool("add", add)
    return seen

"""How a bench and a process that it measures talk: a line with a number of steps in, a line with seconds out."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter, process_time


async def _nothing() -> None:
    pass


async def answer_rounds(
    turn: Callable[[int], Awaitable[object]], rest: Callable[[], Awaitable[object]] = _nothing
) -> None:
    """For each line on stdin take a turn of so many steps; print how long it took and what CPU of this process.

    `rest` lets what follows a turn be done, so that it is not charged to whoever is measured next.
    """
    _say(ready=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        steps = int(line)
        started, used = perf_counter(), process_time()
        await turn(steps)
        wall = perf_counter() - started
        await rest()
        _say(wall=wall, cpu=process_time() - used)


def _say(**words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()

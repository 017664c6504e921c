"""Two ways measured in turn, so that what else the machine does falls on both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

PAIRS = 7

Measure = Callable[[], Awaitable[float]]


@dataclass(frozen=True, slots=True)
class Pairs:
    """What `measured_in_turn` found: one number of each way for every pair."""

    ours: list[float]
    theirs: list[float]

    @property
    def ratio(self) -> float:
        """The median of ours divided by theirs."""
        return median(our / their for our, their in zip(self.ours, self.theirs, strict=True))


async def measured_in_turn(ours: Measure, theirs: Measure, pairs: int = PAIRS) -> Pairs:
    """Measure both, one right after the other, so many times; who goes first changes."""
    found = Pairs([], [])
    for number in range(pairs):
        first_is_ours = number % 2 == 0
        for is_ours in (first_is_ours, not first_is_ours):
            if is_ours:
                found.ours.append(await ours())
            else:
                found.theirs.append(await theirs())
    return found


async def per_second(call: Callable[[], Awaitable[object]], calls: int, callers: int) -> float:
    """Calls that end in a second when so many callers each wait for one call after another."""
    left = calls

    async def caller() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await call()

    started = perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return calls / (perf_counter() - started)

"""Ctrl+C: first the call is stopped, then the command gives up."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from workbench.cli.interrupt import Interruption, stop_on_signal


async def interrupted(*answers: bool) -> tuple[int, bool]:
    """How often a stop was begun, and whether the task was cancelled, after one Ctrl+C for each answer."""
    begun = 0
    arrived = asyncio.Event()

    def begin_to_stop() -> bool:
        nonlocal begun
        begun += 1
        arrived.set()
        return answers[begun - 1]

    async def work() -> None:
        with stop_on_signal(begin_to_stop):
            for _ in answers:
                arrived.clear()
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.wait_for(arrived.wait(), 30)

    try:
        await asyncio.create_task(work())
    except asyncio.CancelledError:
        return begun, True
    return begun, False


async def test_the_first_interrupt_stops_the_call_and_lets_the_command_go_on() -> None:
    assert await interrupted(True) == (1, False)


async def test_the_second_interrupt_leaves_at_once() -> None:
    assert await interrupted(True, True) == (1, True)


async def test_an_interrupt_with_nothing_to_stop_leaves_at_once() -> None:
    async def work(interruption: list[Interruption]) -> None:
        with stop_on_signal(lambda: False) as asked:
            interruption.append(asked)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.wait_for(asyncio.Event().wait(), 30)

    interruption: list[Interruption] = []
    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(work(interruption))

    assert interruption[0].asked

"""Ctrl+C while a call runs: the first stops the call and waits for its record, the second gives up."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager

from workbench.cli.output import say

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Whether somebody asked to stop."""

    def __init__(self) -> None:
        self.asked = False
        self.stopping: asyncio.Task[None] | None = None


@contextmanager
def stop_on_signal(stop: Callable[[], Coroutine[None, None, None] | None]) -> Generator[Interruption]:
    """While inside, an interrupt runs what `stop` gives, or cancels the current task when it gives None."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    interruption = Interruption()

    def on_signal() -> None:
        work = None if interruption.asked else stop()
        interruption.asked = True
        if work is not None:
            say("Stopping the call. Press Ctrl+C again to leave at once.")
            interruption.stopping = loop.create_task(work)
        elif task is not None:
            task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        yield interruption
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

"""Ctrl+C while a call runs: the first stops the call and waits for its record, the second gives up."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager

from workbench.cli.output import say

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Whether somebody asked to stop."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def stop_on_signal(begin_to_stop: Callable[[], bool], what: str = "call") -> Generator[Interruption]:
    """While inside, the first interrupt calls `begin_to_stop`, which stops `what`.

    The current task is cancelled by the second one, or by the first when that answers that nothing runs.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    interruption = Interruption()

    def on_signal() -> None:
        again, interruption.asked = interruption.asked, True
        if not again and begin_to_stop():
            say(f"Stopping the {what}. Press Ctrl+C again to leave at once.")
        elif task is not None:
            task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        yield interruption
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

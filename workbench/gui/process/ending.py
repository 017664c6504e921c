"""Ctrl+C in the terminal, and a machine that asks the program to end: the window closes as it does by hand."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Generator

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Ending:
    """Which signal asked for the end, if one did."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @property
    def exit_code(self) -> int:
        """0, or what a shell expects of a program that a signal ended."""
        return 0 if self.signal is None else 128 + self.signal


@contextlib.contextmanager
def ended_by_signals(close: Callable[[], None]) -> Generator[Ending]:
    """While inside, the first signal calls `close`; a second one ends the process at once.

    Where the loop takes no signals (Windows), they do what they always did.
    """
    loop = asyncio.get_running_loop()
    ending = Ending()

    def on_signal(number: signal.Signals) -> None:
        ending.signal = number
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        close()

    with contextlib.suppress(NotImplementedError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, on_signal, number)
    try:
        yield ending
    finally:
        with contextlib.suppress(NotImplementedError):
            for number in _SIGNALS:
                loop.remove_signal_handler(number)

"""Waiting for something that a stop ends: what was taken in that moment is not lost."""

from __future__ import annotations

import threading

import pytest

from workbench.sandbox.stopping import Stop, Stopped, wait_for


def test_what_is_taken_while_the_stop_comes_is_handed_to_whoever_waited() -> None:
    stop, free = Stop(), 1

    def take() -> bool:
        nonlocal free
        free -= 1
        stop.set("at this moment")
        return True

    wait_for(threading.Condition(), take, stop)

    assert free == 0, "and who has it now gives it back"


def test_a_stop_ends_the_waiting_and_nothing_is_taken() -> None:
    stop, asked, waits = Stop(), 0, threading.Event()

    def take() -> bool:
        nonlocal asked
        asked += 1
        waits.set()
        return False

    def end() -> None:
        waits.wait(60)
        stop.set("enough")

    ending = threading.Thread(target=end)
    ending.start()
    with pytest.raises(Stopped):
        wait_for(threading.Condition(), take, stop)
    ending.join()

    with pytest.raises(Stopped):
        wait_for(threading.Condition(), take, stop)
    assert asked == 1

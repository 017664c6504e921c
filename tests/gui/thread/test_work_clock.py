"""The clock of a thread's head: goes on with the work, stands while a person is waited for, and does not jump."""

from __future__ import annotations

from workbench.gui.thread.work_clock import WorkClock


def test_it_adds_up_runs_and_stands_in_between() -> None:
    seconds = [100.0]
    clock = WorkClock(lambda: seconds[0])
    clock.take(0)
    clock.run(running=True)
    seconds[0] += 2
    assert clock.milliseconds == 2000
    clock.run(running=False)  # a call asks for approval
    seconds[0] += 60
    assert clock.milliseconds == 2000
    clock.run(running=True)
    seconds[0] += 1
    clock.run(running=False)
    assert clock.milliseconds == 3000


def test_what_the_history_says_counts_once() -> None:
    seconds = [100.0]
    clock = WorkClock(lambda: seconds[0])
    clock.run(running=True)
    seconds[0] += 1
    clock.take(5000)  # of runs before this one, and of this one until now
    seconds[0] += 2
    clock.take(6000)  # a step of this run ended
    assert clock.milliseconds == 7000
    clock.run(running=False)
    clock.take(6900)
    assert clock.milliseconds == 6900

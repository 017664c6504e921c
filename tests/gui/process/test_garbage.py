"""What only held itself together is freed while the window sleeps, and not in the middle of its work."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from threading import Thread

import pytest
from PySide6.QtWidgets import QApplication

from workbench.gui.process.garbage import Upkeep


class Knot:
    """Holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def knot() -> Iterator[weakref.ref[Knot]]:
    """One that nobody holds, too old for the looks at what is young; with the interpreter's settings put back."""
    gc.collect()
    gc.freeze()
    one = Knot()
    gc.collect(1)
    gc.collect(1)
    found = weakref.ref(one)
    del one
    yield found
    gc.unfreeze()


def age(looks: int) -> None:
    for _ in range(looks):
        gc.collect(1)


def test_no_other_thread_frees_what_is_the_windows(qapp: QApplication) -> None:
    upkeep = Upkeep(qapp)
    one = Knot()
    found = weakref.ref(one)
    del one
    kept: list[list[int]] = []
    maker = Thread(target=lambda: kept.extend([number] for number in range(100_000)))
    maker.start()
    maker.join()
    assert found() is not None
    upkeep.look_at_young()
    assert found() is None
    upkeep.deleteLater()


def test_it_is_freed_when_the_window_sleeps(qapp: QApplication, knot: weakref.ref[Knot]) -> None:
    worked = [0.0]
    upkeep = Upkeep(qapp, lambda: worked[0])
    age(60)
    worked[0] += 0.5
    upkeep.look()
    assert knot() is not None  # somebody works in it
    upkeep.look()
    assert knot() is None
    upkeep.deleteLater()


def test_a_window_that_never_sleeps_is_looked_through_now_and_then(
    qapp: QApplication, knot: weakref.ref[Knot]
) -> None:
    worked = [0.0]
    upkeep = Upkeep(qapp, lambda: worked[0])
    age(1_200)
    worked[0] += 0.5
    upkeep.look()
    assert knot() is None
    upkeep.deleteLater()


def test_little_that_is_new_is_not_worth_a_look(qapp: QApplication, knot: weakref.ref[Knot]) -> None:
    upkeep = Upkeep(qapp, lambda: 0.0)
    age(5)
    upkeep.look()
    assert knot() is not None
    upkeep.deleteLater()

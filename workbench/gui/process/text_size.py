"""How large everything is drawn: a factor that Qt takes once, at its start, so that another one starts it anew."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from typing import NoReturn

STEPS = (80, 90, 100, 110, 125, 150, 175, 200)
"""In hundredths of the normal size."""
NORMAL = 100
_FACTOR = "QT_SCALE_FACTOR"


def larger(size: int) -> int | None:
    """The step above, None at the largest."""
    return next((step for step in STEPS if step > size), None)


def smaller(size: int) -> int | None:
    """The step below, None at the smallest."""
    return next((step for step in reversed(STEPS) if step < size), None)


@contextlib.contextmanager
def drawn_at(size: int) -> Generator[None]:
    """Qt's application that is made inside draws everything at this size, times a factor that the person has set.

    Afterwards the environment is as it was: what is started from the program is not ours to scale.
    """
    given = os.environ.get(_FACTOR)
    os.environ[_FACTOR] = f"{_number(given) * size / NORMAL:g}"
    try:
        yield
    finally:
        if given is None:
            del os.environ[_FACTOR]
        else:
            os.environ[_FACTOR] = given


def _number(given: str | None) -> float:
    try:
        return float(given or 1)
    except ValueError:
        return 1.0  # as Qt takes it


def start_again() -> NoReturn:
    """Put the program, as it was started, in the place of this process."""
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])

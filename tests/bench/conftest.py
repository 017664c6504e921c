"""The table at the end of a bench: what was measured, against what, and what was asked for."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

JUDGED = not os.environ.get("BENCH_SMOKE")
"""On a machine that others use, too, the table is looked at only."""

_HEAD = ("", "Workbench", "beside", "ratio", "wanted")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `ratio` and `wanted` are empty where nothing is promised."""

    what: str
    measured: str
    beside: str = ""
    ratio: str = ""
    wanted: str = ""


_ROWS = pytest.StashKey[list[Row]]()


class Table:
    """Collects the rows of one run and holds the promises among them."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows

    def show(self, what: str, measured: str, beside: str = "", wanted: str = "") -> None:
        """A row that holds no promise by itself; `wanted` says what the test holds."""
        self._rows.append(Row(what, measured, beside, wanted=wanted))

    def ratio(
        self,
        what: str,
        ratio: float,
        *,
        measured: str,
        beside: str,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """A row whose ratio is promised to stay within a bound, or only shown when there is none."""
        wanted = f"≥ {at_least:g}×" if at_least is not None else f"≤ {at_most:g}×" if at_most else ""
        self._rows.append(Row(what, measured, beside, f"{ratio:.2f}×", wanted))
        if JUDGED and at_least is not None:
            assert ratio >= at_least, f"{what}: {ratio:.2f}×, wanted {wanted}"
        if JUDGED and at_most is not None:
            assert ratio <= at_most, f"{what}: {ratio:.2f}×, wanted {wanted}"

    def seconds(self, what: str, seconds: float, *, promised: float, slack: float = 2) -> None:
        """A row whose time is promised on a machine of one's own; `slack` times as much is let pass."""
        self._rows.append(Row(what, f"{seconds * 1_000:,.0f} ms", wanted=f"≤ {promised * 1_000:,.0f} ms"))
        if JUDGED:
            assert seconds <= promised * slack, f"{what}: {seconds:.3f} s, promised {promised} s"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ROWS] = []


@pytest.fixture(autouse=True)
def _widgets_end_in_their_own_thread() -> Iterator[None]:
    """What a bench leaves of a window is collected here: another thread that did it would take the process along."""
    yield
    gc.collect()


@pytest.fixture
def table(pytestconfig: pytest.Config) -> Table:
    """The table that is printed at the end of the run."""
    return Table(pytestconfig.stash[_ROWS])


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where flushing a file to the disk costs nothing; an ordinary one if there is none."""
    memory = "/dev/shm"
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="workbench-bench-", dir=memory) as name:
        yield Path(name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = config.stash[_ROWS]
    if not rows:
        return
    lines = [_HEAD, *((row.what, row.measured, row.beside, row.ratio, row.wanted) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    terminalreporter.section("speed" if JUDGED else "speed, not judged")
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        terminalreporter.write_line("  ".join(cells).rstrip())

"""How long a person waits for a big result, how long it holds up the window's thread, what it costs in memory."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from tests.bench.conftest import JUDGED, Table
from tests.bench.judging import Judge
from workbench.app.results.json_outline import Outline
from workbench.app.results.tables import from_json
from workbench.gui.results.json_tree import JsonTree
from workbench.gui.results.table_view import TableView
from workbench.gui.results.text_search import Query
from workbench.gui.results.text_viewer import TextViewer
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode

pytestmark = [pytest.mark.bench, pytest.mark.timeout(180)]

PART = 1 if JUDGED else 50
"""A smoke run looks at a part of what is judged otherwise."""
TEXTS = {
    "50 MB of lines": "the quick brown fox jumps over the lazy dog 0123456789 abcdef ghij\n"
    * (735_000 // PART),
    "one line of 50 MB": '{"k":"v","n":123},' * (2_778_000 // PART),
}


@pytest.fixture(autouse=True)
def _window(qapp: QApplication) -> Iterator[None]:
    qapp.setStyle("Fusion")
    theme.apply(qapp, Mode.LIGHT)
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    yield
    sys.setswitchinterval(before)
    gc.collect()  # widgets that another thread would collect take the process with them


def memory() -> float:
    """Megabytes that the process has."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096 / 1e6


def milliseconds(do: Callable[[], object]) -> float:
    start = perf_counter()
    do()
    return (perf_counter() - start) * 1_000


def stalls(condition: Callable[[], bool]) -> tuple[float, float]:
    """Wait for something: how long it took, and the longest time that a beat of 2 ms was late, in milliseconds."""
    start = last = perf_counter()
    late = 0.0
    while not condition():
        QApplication.processEvents()
        time.sleep(0.001)
        now = perf_counter()
        late = max(late, now - last)
        last = now
        assert now - start < 60
    return (perf_counter() - start) * 1_000, late * 1_000


def scrolled(view: QAbstractScrollArea) -> float:
    """The median time to show another place."""
    bar = view.verticalScrollBar()

    def to(part: float) -> None:
        bar.setValue(int(bar.maximum() * part))
        view.viewport().grab()

    return median(milliseconds(lambda part=part: to(part)) for part in (0.1, 0.9, 0.5, 0.3, 1.0, 0.7, 0.2))


def tell(what: str, **numbers: float) -> None:
    print(f"{what}: " + ", ".join(f"{name} {number:,.0f}" for name, number in numbers.items()))  # noqa: T201 -- the table of the bench


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_50_mb_shows_its_first_screen_in_300_ms_and_is_whole_in_a_second(
    name: str, table: Table
) -> None:
    judge = Judge(table)
    view = TextViewer()
    view.resize(900, 700)
    view.show()
    text = TEXTS[name]
    before = memory()
    first = milliseconds(lambda: (view.show_text(text), view.viewport().grab()))
    whole, late = stalls(lambda: view.complete)
    scroll = scrolled(view)
    view.look_for(Query("1"))
    found, late_in_search = stalls(lambda: not view.search.running)
    tell(
        name,
        first_ms=first,
        whole_ms=first + whole,
        scroll_ms=scroll,
        stall_ms=late,
        search_ms=found,
        search_stall_ms=late_in_search,
        memory_mb=memory() - before,
    )
    judge.seconds(f"{name}: first screen", first / 1_000, promised=0.3)
    judge.seconds(f"{name}: whole", (first + whole) / 1_000, promised=1)
    judge.seconds(f"{name}: longest stall", max(late, late_in_search) / 1_000, promised=0.1)


def test_json_of_50_mb_shows_its_first_page_in_300_ms_and_never_holds_up_the_window(table: Table) -> None:
    judge = Judge(table)
    rows = [
        {"id": n, "name": f"name {n}", "tags": ["a", "b"], "in": {"x": {"y": [1, 2]}}}
        for n in range(600_000 // PART)
    ]
    text = json.dumps(rows)
    del rows
    tree = JsonTree()
    tree.resize(900, 700)
    tree.show()
    before = memory()
    first = milliseconds(lambda: (tree.show_json(text), tree.rows.viewport().grab()))
    whole, late = stalls(lambda: tree.complete)
    tree.look_for(Query(f"name {600_000 // PART - 1}"))
    found, _ = stalls(lambda: not tree.search.running and tree.current_hit >= 0)
    tell(
        f"JSON of {len(text) / 1e6:.0f} MB",
        first_ms=first,
        whole_ms=first + whole,
        scroll_ms=scrolled(tree.rows),
        stall_ms=late,
        search_ms=found,
        memory_mb=memory() - before,
    )
    judge.seconds("JSON of 50 MB: first page", first / 1_000, promised=0.3)
    judge.seconds("JSON of 50 MB: longest stall", late / 1_000, promised=0.1)


def test_a_table_of_100_000_rows_opens_scrolls_and_sorts_smoothly(table: Table) -> None:
    judge = Judge(table)
    outline = Outline(
        json.dumps(
            [{"a": n, "b": f"text {n % 977}", "c": n / 7, "d": n % 2 == 0} for n in range(100_000 // PART)]
        )
    )
    read = milliseconds(lambda: outline.scan(lambda: False))
    rows = from_json(outline, lambda: False)
    view = TableView()
    view.resize(900, 700)
    view.show()
    opened = milliseconds(lambda: (view.show_table(rows), view.viewport().grab()))
    scroll = scrolled(view)
    view.sort_by(1)
    sort, late = stalls(lambda: view.model_.sorted_by == 1)
    tell("table of 100,000 rows", scan_ms=read, open_ms=opened, scroll_ms=scroll, sort_ms=sort, stall_ms=late)
    judge.seconds("table of 100,000 rows: opened", opened / 1_000, promised=0.3)
    judge.seconds("table of 100,000 rows: another place", scroll / 1_000, promised=0.05)
    judge.seconds("table of 100,000 rows: longest stall while it is sorted", late / 1_000, promised=0.1)


def test_the_bench_would_notice_a_stall() -> None:
    done: list[bool] = []

    def hold() -> bool:
        if not done:
            done.append(True)
            start = time.perf_counter()
            while time.perf_counter() - start < 0.12:
                pass
            return False
        return True

    assert stalls(hold)[1] > 100

"""How long a person waits for a long history: a million messages and 200,000 calls, listed, scrolled and searched."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
import qasync
from PySide6.QtWidgets import QApplication

from tests.app.projects import ECHO, write_tool
from tests.bench.conftest import JUDGED, Table
from tests.bench.judging import Judge
from tests.bench.long_history import COMMON, RARE, write_history
from tests.gui.driving import Ui, until
from workbench.app.calls.narrowing import Narrowing, Period
from workbench.base.clock import SystemClock
from workbench.domain.calls import CallState, Origin
from workbench.domain.pages import CallFilter
from workbench.gui.calls.calls_view import PAGE, CallsView
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode
from workbench.gui.style.tokens import ROW
from workbench.store import open_store

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

CALLS, MESSAGES = (200_000, 1_000_000) if JUDGED else (4_000, 10_000)
SCROLLED_PAGES = 400 if JUDGED else 60

FILTERS = {
    "all": CallFilter(),
    "of one tool": CallFilter(tool="tool_07"),
    "failed or stopped": CallFilter(states=(CallState.FAILED, CallState.STOPPED)),
    "of a rare origin, of one tool": CallFilter(tool="tool_07", origins=(Origin.MCP,)),
    "none, though each alone has some": CallFilter(tool="tool_00", states=(CallState.FAILED,)),
    "of yesterday": Narrowing(period=Period.YESTERDAY).filter(datetime.now().astimezone()),
}
WORDS = {
    "a rare word": CallFilter(text=RARE),
    "a word of every call and message": CallFilter(text=COMMON),
    "the beginning of that word": CallFilter(text=COMMON[:4]),
    "two words": CallFilter(text="quay 4711"),
    "a word that is nowhere": CallFilter(text="nowhere"),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the long history, made once for all of this file."""
    root = tmp_path_factory.mktemp("long") / "desk"
    write_tool(root, "echo", ECHO)
    (root / ".workbench").mkdir()
    work = partial(write_history, root / ".workbench" / "threads.db", calls=CALLS, messages=MESSAGES)
    with ThreadPoolExecutor(1) as beside:  # the loop of the tests is none of its business
        beside.submit(lambda: asyncio.run(work())).result()
    return root


async def timed(work: Callable[[], Coroutine[object, object, object]]) -> float:
    began = perf_counter()
    await work()
    return perf_counter() - began


async def test_a_page_comes_at_once_whatever_is_asked_for(project: Path, table: Table) -> None:
    judge = Judge(table)
    store = await open_store(project / ".workbench" / "threads.db", clock=SystemClock())
    for promised, kinds in ((0.3, FILTERS), (0.1, WORDS)):
        for name, wanted in kinds.items():
            times = [await timed(lambda wanted=wanted: store.calls(wanted, limit=PAGE)) for _ in range(7)]
            counting = [await timed(lambda wanted=wanted: store.count_calls(wanted)) for _ in range(3)]
            judge.seconds(f"{PAGE} of {CALLS:,} calls: {name}", median(times), promised=promised)
            judge.seconds(f"how many there are: {name}", median(counting), promised=0.3)
    await store.close()


@pytest.fixture
def ui(qapp: QApplication) -> Iterator[Ui]:
    qapp.setStyle("Fusion")
    theme.apply(qapp, Mode.LIGHT)
    loop = qasync.QEventLoop(qapp)
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    yield Ui(loop)
    sys.setswitchinterval(before)
    loop.close()


@asynccontextmanager
async def listed(project: Path) -> AsyncGenerator[tuple[Session, CallsView]]:
    """The list of all calls of a project, in a window of its own, not read yet."""
    session = Session(project)
    await session.opened()
    view = CallsView(session)
    view.resize(1000, 700)
    view.show()
    try:
        yield session, view
    finally:
        await session.close()
        view.deleteLater()


async def longest_stall(work: Coroutine[object, object, object]) -> float:
    """The longest time that a beat of 2 ms was late while something went on, in seconds."""
    task = asyncio.ensure_future(work)
    last, late = perf_counter(), 0.0
    while not task.done():
        await asyncio.sleep(0.002)
        now = perf_counter()
        late, last = max(late, now - last - 0.002), now
    await task
    return late


def test_the_list_is_there_scrolls_without_a_stall_and_finds_a_word_at_once(
    ui: Ui, project: Path, table: Table
) -> None:
    async def scroll(view: CallsView) -> None:
        bar = view.view.verticalScrollBar()
        left = SCROLLED_PAGES
        while left:
            left -= 1
            bar.setValue(bar.value() + 12 * ROW)
            view.view.viewport().repaint()
            await asyncio.sleep(0.004)

    async def search(view: CallsView, word: str, count: int) -> float:
        began = perf_counter()
        view.search.setText(word)
        await until(lambda: view.model.count() == count and view.model.row(0).hit is not None)
        return perf_counter() - began

    async def scenario() -> None:
        async with listed(project) as (_, view):
            judge = Judge(table)
            began = perf_counter()
            view.reload()
            await until(lambda: view.model.count() == PAGE)
            view.view.viewport().repaint()
            judge.seconds("the list of all calls in the window", perf_counter() - began, promised=0.3)
            late = await longest_stall(scroll(view))
            assert view.model.count() >= SCROLLED_PAGES * 6
            judge.seconds(f"longest stall over {view.model.count():,} scrolled calls", late, promised=0.05)
            found = [await search(view, RARE, min(CALLS // 5_000 + (CALLS % 5_000 > 7), PAGE))]
            found.append(await search(view, COMMON, PAGE))
            for word, seconds in zip((RARE, COMMON), found, strict=True):
                judge.seconds(f"from typing {word!r} to its rows", seconds, promised=0.1)

    ui.run(scenario(), 120)


def test_the_bench_would_notice_a_stall(ui: Ui) -> None:
    async def hold() -> None:
        await asyncio.sleep(0)
        until_then = perf_counter() + 0.12
        while perf_counter() < until_then:
            pass

    async def scenario() -> None:
        assert await longest_stall(hold()) > 0.1

    ui.run(scenario())

"""How long a person waits for the window, beside the least that Qt can do."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import cast

import pytest

from tests.app.projects import ECHO, write_tool
from tests.bench.conftest import JUDGED, Table
from tests.bench.long_thread import write_long_thread
from tests.bench.pairs import measured_in_turn
from tests.bench.stalling import PEERS, ROOT, SECONDS, measured_stalls, output_of
from workbench.base.paths import resources_dir

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

FIRST_PAINT = str(PEERS / "first_paint.py")

BIG = '''
"""Returns a JSON value of 6 MB."""
from workbench import define_tool

async def execute(state):
    return [{"id": n, "name": f"item {n}", "tags": ["a", "b", "c"], "price": n / 7} for n in range(80_000)]

tool = define_tool(description="Return much.", execute=execute)
'''


async def until_first_paint(*arguments: str) -> float:
    """Seconds from the start of the process until a window of it was painted."""
    started = perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, FIRST_PAINT, *arguments, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    async with asyncio.timeout(30):
        assert await process.wait() == 0
    return perf_counter() - started


async def test_the_window_is_painted_within_two_and_a_half_times_a_bare_window(
    tmp_path: Path, table: Table
) -> None:
    write_tool(tmp_path, "echo", ECHO)
    ours = partial(until_first_paint, str(tmp_path))
    bare = partial(until_first_paint, "bare")
    await ours()
    await bare()
    pairs = await measured_in_turn(ours, bare)
    table.ratio(
        "start of the process until the window's first paint",
        pairs.ratio,
        measured=f"{median(pairs.ours) * 1_000:,.0f} ms",
        beside=f"bare window {median(pairs.theirs) * 1_000:,.0f} ms",
        at_most=2.5,
    )


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ("events", "2,000 events a second"),
        ("python", "… and 250 ms of Python a second in the engine's thread"),
        ("json", "… and a JSON result of 6 MB a second, looked at"),
    ],
)
async def test_the_windows_thread_is_never_held_up_while_calls_stream_in(
    tmp_path: Path, table: Table, load: str, words: str
) -> None:
    write_tool(tmp_path, "big", BIG)
    arguments = (str(tmp_path), str(SECONDS), load)
    ours = await measured_stalls(table, f"10,000 rows, {words}", "stalls", *arguments, home=tmp_path)
    assert ours.told > 0.9 * SECONDS * 2_000


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ("read", "opened, scrolled through and searched"),
        ("stream", "while its model answers, 1,000 pieces a second at most"),
    ],
)
async def test_the_windows_thread_is_never_held_up_by_a_long_thread(
    tmp_path: Path, table: Table, load: str, words: str
) -> None:
    messages = 10_000 if JUDGED else 1_000
    project = tmp_path / "talk"
    await write_long_thread(project, messages)
    arguments = (str(project), str(SECONDS), load)
    what = f"a thread of {messages:,} messages, {words}"
    ours = await measured_stalls(table, what, "thread_stalls", *arguments, home=tmp_path)
    assert ours.told > 10 * SECONDS


async def test_an_idle_window_takes_at_most_two_and_a_half_times_the_memory_of_a_bare_one(
    tmp_path: Path, table: Table
) -> None:
    project = tmp_path / "sample"
    shutil.copytree(resources_dir() / "sample", project)
    own: dict[str, float] = {}

    async def used(argument: str) -> float:
        found = cast("dict[str, int]", await output_of("idle", argument, home=tmp_path))
        own[argument] = found["uss"] / 1e6
        return found["rss"]

    await used(str(project))  # which compiles what is new
    pairs = await measured_in_turn(partial(used, str(project)), partial(used, "bare"), 3 if JUDGED else 1)
    table.ratio(
        "memory of the idle window",
        pairs.ratio,
        measured=f"{median(pairs.ours) / 1e6:,.0f} MB",
        beside=f"bare window {median(pairs.theirs) / 1e6:,.0f} MB",
        at_most=2.5,
    )
    # What is shared depends on who else uses Qt at this moment, so that this is only looked at.
    table.show(
        "… that no other process has mapped",
        f"{own[str(project)]:,.0f} MB",
        f"bare window {own['bare']:,.0f} MB",
    )

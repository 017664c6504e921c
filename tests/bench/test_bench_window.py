"""How long a person waits for the window, beside the least that Qt can do."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from tests.app.projects import ECHO, write_tool
from tests.bench.conftest import Table
from tests.bench.pairs import measured_in_turn
from workbench.base.paths import resources_dir

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

FIRST_PAINT = str(Path(__file__).parent / "peers" / "first_paint.py")
ROOT = resources_dir().parent


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

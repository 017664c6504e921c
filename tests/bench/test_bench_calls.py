"""What a call costs: the whole pipeline with durable commits, beside a peer that stores nothing and the bare parts."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import pytest
from mcp import Client, StdioServerParameters

from tests.app.projects import write_tool
from tests.bench.conftest import Table
from tests.bench.pairs import measured_in_turn, per_second
from workbench.app import Workbench, open_workbench
from workbench.domain.pages import CallFilter
from workbench.engine.doubles.vault import MemoryVault

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

NOOP = """
from workbench import define_tool

async def execute(state, args):
    return "ok"

tool = define_tool(
    description="Nothing.",
    args={"type": "object", "properties": {"n": {"type": "integer"}}},
    execute=execute,
)
"""

PEERS = Path(__file__).parent / "peers"
SERVER = StdioServerParameters(command=sys.executable, args=[str(PEERS / "mcp_server.py")])

CALLS = {1: 60, 32: 480, 64: 640}
"""How many calls one measurement takes, by the number of callers: some tenths of a second."""


class Desk:
    """An open project with a tool that does nothing."""

    def __init__(self, wb: Workbench) -> None:
        self._wb = wb

    async def call(self) -> object:
        return await self._wb.call_tool("noop", {"n": 1})

    async def rest(self) -> None:
        """Let the upkeep that follows calls be done, so that it is not charged to what is measured next."""
        await self._wb.calls(CallFilter(text="nothing"), limit=1)

    async def rate(self, callers: int) -> float:
        found = await per_second(self.call, CALLS[callers], callers)
        await self.rest()
        return found

    async def cpu(self, callers: int) -> float:
        """Seconds of this process's CPU, all threads, that a call takes: pipeline, writing and search index."""
        started = process_time()
        await per_second(self.call, CALLS[callers], callers)
        await self.rest()
        return (process_time() - started) / CALLS[callers]


@asynccontextmanager
async def desk_in(folder: Path) -> AsyncGenerator[Desk]:
    """Warm: each worker has run the tool."""
    root = folder / "desk"
    write_tool(root, "noop", NOOP)
    async with open_workbench(root, data_dir=folder / "person", vault=MemoryVault()) as wb:
        desk = Desk(wb)
        await per_second(desk.call, 64, 32)
        await desk.rest()
        yield desk


async def compare_with_mcp(folder: Path, callers: int) -> tuple[float, str, str]:
    async with desk_in(folder) as desk, Client(SERVER) as client:
        noop = partial(client.call_tool, "noop", {"n": 1})
        await per_second(noop, 64, callers)
        pairs = await measured_in_turn(
            partial(desk.rate, callers), partial(per_second, noop, CALLS[callers], callers)
        )
    ours, theirs = median(pairs.ours), median(pairs.theirs)
    return pairs.ratio, f"{ours:,.0f} calls/s", f"MCP SDK {theirs:,.0f} calls/s"


async def test_one_caller_gets_more_calls_done_than_with_the_mcp_sdk(memory_path: Path, table: Table) -> None:
    """In memory: a call waits for a flush of the disk, and on many disks this alone takes longer than a whole call of a
    peer that stores nothing. The line after shows the same on this machine's disk."""
    ratio, ours, theirs = await compare_with_mcp(memory_path, 1)
    table.ratio("calls, 1 caller, in memory", ratio, measured=ours, beside=theirs, at_least=1.2)


async def test_one_caller_waits_for_the_disk(tmp_path: Path, table: Table) -> None:
    ratio, ours, theirs = await compare_with_mcp(tmp_path, 1)
    what = f"calls, 1 caller, a flush of the disk takes {flush_of(tmp_path) * 1e6:,.0f} µs"
    table.ratio(what, ratio, measured=ours, beside=theirs)


async def test_32_callers_get_three_times_as_many_calls_done_as_with_the_mcp_sdk(
    tmp_path: Path, table: Table
) -> None:
    ratio, ours, theirs = await compare_with_mcp(tmp_path, 32)
    table.ratio("calls, 32 callers", ratio, measured=ours, beside=theirs, at_least=3)


async def test_64_callers_commit_together(tmp_path: Path, table: Table) -> None:
    """Every call is two commits, one before its tool starts and one with its result."""
    async with desk_in(tmp_path) as desk:
        pairs = await measured_in_turn(partial(desk.rate, 64), partial(desk.rate, 1))
    many, one = median(pairs.ours) * 2, median(pairs.theirs) * 2
    table.ratio(
        "commits through the pipeline, 64 callers",
        pairs.ratio,
        measured=f"{many:,.0f} commits/s",
        beside=f"1 caller {one:,.0f} commits/s",
        at_least=2,
    )


@pytest.mark.parametrize("callers", [1, 32])
async def test_a_call_takes_no_more_than_four_times_the_cpu_of_its_bare_parts(
    tmp_path: Path, table: Table, callers: int
) -> None:
    async with desk_in(tmp_path) as desk:
        with bare_parts(tmp_path / "bare.db") as bare:

            async def bare_cpu() -> float:
                started = process_time()
                for _ in range(CALLS[1]):
                    bare()
                return (process_time() - started) / CALLS[1]

            pairs = await measured_in_turn(partial(desk.cpu, callers), bare_cpu)
    table.ratio(
        f"CPU of a call, {callers} at a time",
        pairs.ratio,
        measured=f"{median(pairs.ours) * 1e6:,.0f} µs",
        beside=f"pipe and two commits {median(pairs.theirs) * 1e6:,.0f} µs",
        at_most=4,
    )


@contextmanager
def bare_parts(database: Path) -> Generator[Callable[[], None]]:
    """The least that a call could be: two durable commits of a row, a question to another process between them."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE call (seq INTEGER PRIMARY KEY, payload TEXT)")
    command = [sys.executable, "-I", str(PEERS / "echo.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        question, answer = child.stdin.fileno(), child.stdout.fileno()

        def commit() -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO call (payload) VALUES (?)", ("x" * 1_000,))
            connection.execute("COMMIT")

        def call() -> None:
            commit()
            os.write(question, b"x" * 500)
            os.read(answer, 1_000)
            commit()

        try:
            call()
            yield call
        finally:
            connection.close()
            child.stdin.close()


def flush_of(folder: Path) -> float:
    """Seconds until a page that was written is on the disk, the median of some."""
    taken: list[float] = []
    with (folder / "page").open("wb", buffering=0) as file:
        for _ in range(21):
            file.write(b"x" * 4_096)
            started = perf_counter()
            os.fsync(file.fileno())
            taken.append(perf_counter() - started)
    return median(taken)

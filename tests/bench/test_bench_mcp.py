"""What MCP costs: our server beside the official framework's, and connections that are reached side by side."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest
from mcp import Client, StdioServerParameters

from tests.app.projects import write_tool
from tests.bench.conftest import Table
from tests.bench.pairs import measured_in_turn, per_second
from tests.bench.test_bench_calls import NOOP, PEERS
from tests.hosts.mcp_bench import mcp_bench, raw_peer, tool

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

CALLS = {1: 60, 8: 160}


@pytest.mark.parametrize("callers", [1, 8])
async def test_our_server_beside_one_that_stores_nothing(
    memory_path: Path, table: Table, callers: int
) -> None:
    root = memory_path / "desk"
    write_tool(root, "noop", NOOP)
    env = {"HOME": str(memory_path)}
    ours = StdioServerParameters(
        command=sys.executable, args=["-m", "workbench", "mcp", "--project", str(root)], env=env
    )
    theirs = StdioServerParameters(command=sys.executable, args=[str(PEERS / "mcp_framework.py")])
    async with Client(ours) as one, Client(theirs) as other:
        calls = [partial(client.call_tool, "noop", {"n": 1}) for client in (one, other)]
        for call in calls:
            await per_second(call, 64, callers)
        measures = [partial(per_second, call, CALLS[callers], callers) for call in calls]
        pairs = await measured_in_turn(measures[0], measures[1])
    table.ratio(
        f"MCP calls, {callers} at once, in memory",
        pairs.ratio,
        measured=f"{median(pairs.ours):,.0f} calls/s",
        beside=f"MCPServer {median(pairs.theirs):,.0f} calls/s",
    )


async def test_ten_connections_are_reached_side_by_side(tmp_path: Path, table: Table) -> None:
    """Ten take less than half of ten times as long as one; on a machine with one core it cannot be less."""
    specs = [raw_peer(f"peer_{n}", tools=[tool(f"tool_{n}")]) for n in range(10)]

    async def seconds(count: int) -> float:
        async with mcp_bench(tmp_path) as bench:
            started = perf_counter()
            await bench.connect(*specs[:count])
            return perf_counter() - started

    await seconds(1)
    pairs = await measured_in_turn(partial(seconds, 1), partial(seconds, 10), pairs=3)
    table.ratio(
        "10 connections beside 10 times one",
        pairs.ratio * 10,
        measured=f"{median(pairs.theirs) * 1000:,.0f} ms",
        beside=f"10 × {median(pairs.ours) * 1000:,.0f} ms",
        at_least=1.2,
    )

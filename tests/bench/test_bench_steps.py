"""What a step costs: an answer of a model with one call, beside the frameworks in which people write agents."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import pytest

from tests.bench.conftest import JUDGED, Table
from tests.bench.pairs import PAIRS, Pairs, measured_in_turn
from tests.bench.peer_environment import NotInstalled, StepsPeer, install, steps_peer

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

SIZES = (5, 20)
"""Steps of a turn; one more answers without a call."""


@dataclass(frozen=True, slots=True)
class Peer:
    """What runs `peers/steps_<name>.py`, and how much of its time ours may take.

    One that stores is measured on the disk, where both wait for what they want to be kept; one that stores nothing
    in memory, where keeping costs the processor's time only.
    """

    name: str
    words: str
    at_most: float
    stores: bool = True


BESIDE = (
    Peer("pydantic_ai", "pydantic-ai", 1.0, stores=False),
    Peer("langgraph", "LangGraph, SQLite", 0.6),
    Peer("openai_agents", "OpenAI Agents, SQLite", 0.6),
)


@pytest.fixture(scope="module")
def _peers() -> None:
    try:
        install()
    except NotInstalled as error:
        pytest.skip(f"the peers cannot be installed: {error}")


async def compare(peer: str, folder: Path, steps: int) -> tuple[Pairs, Pairs]:
    """Seconds and CPU seconds for each step of turns that were taken by turns."""
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(steps_peer("workbench", folder))
        theirs = await stack.enter_async_context(steps_peer(peer, folder))
        cpu = Pairs([], [])

        async def each(one: StepsPeer, used: list[float]) -> float:
            taken = await one.turn(steps)
            used.append(taken.cpu / steps)
            return taken.wall / steps

        await asyncio.gather(ours.turn(steps), theirs.turn(steps))
        pairs = PAIRS * 3 if JUDGED else 1
        wall = await measured_in_turn(partial(each, ours, cpu.ours), partial(each, theirs, cpu.theirs), pairs)
    return wall, cpu


@pytest.mark.usefixtures("_peers")
@pytest.mark.parametrize("steps", SIZES)
@pytest.mark.parametrize("peer", BESIDE, ids=lambda peer: peer.name)
async def test_a_step_is_taken_no_slower_than_by_what_others_write_agents_in(
    tmp_path: Path, memory_path: Path, table: Table, peer: Peer, steps: int
) -> None:
    """Everybody as he comes. What is kept, and how safe it is:

    - ours: what `steps_workbench.py` names, by a write-ahead log; an answer is written before its calls run, and each
      result is flushed before anything else happens: one flush a step with one call;
    - LangGraph: a checkpoint and the writes of each node, by a write-ahead log with SQLite's own `synchronous=FULL`, so
      that every commit is flushed; its default durability is `async`: the next node runs meanwhile (`sync`, which
      waits, takes about as long here);
    - OpenAI Agents: the items of the session after each step, in one commit that is waited for, by a write-ahead log
      with `synchronous=FULL`: one flush a step;
    - pydantic-ai: nothing.
    """
    wall, cpu = await compare(peer.name, tmp_path if peer.stores else memory_path, steps)
    table.show(
        f"CPU of that, without the worker's: {peer.words}",
        f"{median(cpu.ours) * 1_000:.2f} ms",
        f"{median(cpu.theirs) * 1_000:.2f} ms",
        f"{cpu.ratio:.2f}×, looked at only",
    )
    table.ratio(
        f"a step with a call, {steps} in a turn, {'on the disk' if peer.stores else 'in memory'}",
        wall.ratio,
        measured=f"{median(wall.ours) * 1_000:.2f} ms",
        beside=f"{peer.words} {median(wall.theirs) * 1_000:.2f} ms",
        at_most=peer.at_most,
    )

"""What a step costs in a thread that is long already, and how long each of many threads waits that run at once."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from tests.bench.conftest import JUDGED, Table
from tests.bench.pairs import PAIRS, Pairs, measured_in_turn
from tests.bench.stepping import Stepping, agent_files, stepping_in
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.requests import Request
from workbench.domain.threads import Message
from workbench.domain.writes import PutMessage, PutRequest, Write

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

STEPS_A_TURN = 2
"""One with a call, one that ends the turn."""

_REPLIES = {
    "replies": [
        {"when": {"tool": "noop"}, "text": "done"},
        {"calls": [{"name": "noop", "arguments": {"n": 1}}]},
    ]
}

AGENTS = {
    **agent_files("forgets", _REPLIES, "include_chat=False, include_past_tools=False"),
    **agent_files("remembers", _REPLIES, "include_chat=True, include_past_tools=True"),
}


async def thread_of(stepping: Stepping, agent: str, steps: int) -> ThreadId:
    """A thread that has taken so many steps: one turn that it took, and copies of it."""
    thread = await stepping.spoken_to(await stepping.wb.threads.start(agent))
    store = stepping.wb.store
    history, requests = await store.history(thread.id), await store.requests(thread.id)
    assert len(requests) == STEPS_A_TURN
    copies: list[Write] = []
    for number in range(1, steps // STEPS_A_TURN):
        copies += [PutMessage(copied(message, number)) for message in history]
        copies += [PutRequest(copied_request(request, number)) for request in requests]
    await store.commit(*copies)
    return thread.id


def copied_request(request: Request, number: int) -> Request:
    return request.model_copy(update={"id": RequestId(f"{request.id}-{number}")})


def copied(message: Message, number: int) -> Message:
    calls = [call.model_copy(update={"id": CallId(f"{call.id}-{number}")}) for call in message.tool_calls]
    answers = message.tool_call_id and CallId(f"{message.tool_call_id}-{number}")
    changes = {"tool_calls": tuple(calls), "tool_call_id": answers}
    return message.model_copy(update={"id": MessageId(f"{message.id}-{number}"), **changes})


async def seconds_a_step(stepping: Stepping, thread_id: ThreadId) -> float:
    thread = await stepping.wb.threads.thread(thread_id)
    started = perf_counter()
    await stepping.spoken_to(thread)
    return (perf_counter() - started) / STEPS_A_TURN


async def compare(stepping: Stepping, long: ThreadId, short: ThreadId) -> Pairs:
    """Seconds a step in both, taken by turns; a step more or less hardly makes the short one longer."""
    await stepping.rest()
    each = partial(seconds_a_step, stepping)
    return await measured_in_turn(partial(each, long), partial(each, short), PAIRS)


async def bytes_sent(stepping: Stepping, thread_id: ThreadId) -> int:
    """By the last request of a thread."""
    asked = await stepping.wb.store.asked((await stepping.wb.store.requests(thread_id))[-1].id)
    assert asked is not None
    return len(asked.model_dump_json())


async def test_a_step_that_is_sent_no_more_than_its_turn_hardly_feels_how_long_its_thread_is(
    memory_path: Path, table: Table
) -> None:
    many = 2_000 if JUDGED else 200
    async with stepping_in(memory_path, (), AGENTS) as stepping:
        short, long = [await thread_of(stepping, "forgets", steps) for steps in (20, many)]
        pairs = await compare(stepping, long, short)
    table.ratio(
        f"step {many:,}, include_chat off",
        pairs.ratio,
        measured=f"{median(pairs.ours) * 1_000:.2f} ms",
        beside=f"step 20 {median(pairs.theirs) * 1_000:.2f} ms",
        at_most=3,
    )


async def test_a_step_that_is_sent_its_whole_thread_grows_no_faster_than_what_is_sent(
    memory_path: Path, table: Table
) -> None:
    few, many = (200, 2_000) if JUDGED else (20, 200)
    async with stepping_in(memory_path, (), AGENTS) as stepping:
        short, long = [await thread_of(stepping, "remembers", steps) for steps in (few, many)]
        pairs = await compare(stepping, long, short)
        more = await bytes_sent(stepping, long) / await bytes_sent(stepping, short)
    table.show(
        f"step {many:,}, include_chat on",
        f"{median(pairs.ours) * 1_000:.2f} ms",
        f"step {few} {median(pairs.theirs) * 1_000:.2f} ms, {more:.1f}× sent",
    )
    table.ratio(
        f"a byte sent at step {many:,}",
        pairs.ratio / more,
        measured=f"{pairs.ratio:.1f}× the time",
        beside=f"{more:.1f}× the bytes",
        at_most=1.1,
    )


async def test_of_a_hundred_threads_at_once_nobody_waits_much_longer_than_the_others(
    memory_path: Path, table: Table
) -> None:
    steps = 5
    async with stepping_in(memory_path, (steps,)) as stepping:
        await asyncio.gather(*(stepping.turn(steps) for _ in range(8)))  # the workers are there
        threads = [await stepping.wb.threads.start(f"steps_{steps}") for _ in range(100)]
        started = perf_counter()

        async def waited(thread_id: ThreadId) -> float:
            await stepping.wb.threads.send(thread_id, "Go")
            await stepping.ended(thread_id)
            return perf_counter() - started

        waits = await asyncio.gather(*(waited(thread.id) for thread in threads))
    table.ratio(
        f"the last of 100 threads of {steps} steps at once",
        max(waits) / median(waits),
        measured=f"{max(waits):.2f} s",
        beside=f"the median {median(waits):.2f} s",
        at_most=3,
    )

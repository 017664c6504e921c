"""The queue between the engine and a reader of its events: it holds so many, and says what it let go."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.threads.event_queue import EventQueue, Missed
from workbench.base.ids import ThreadId
from workbench.domain.events import CodeLogged


def said(number: int) -> CodeLogged:
    return CodeLogged(thread_id=ThreadId("t"), at=number, source="", stream="stdout", text=str(number))


async def test_a_reader_that_stopped_reading_is_told_in_its_place_how_much_it_missed() -> None:
    queue = EventQueue(limit=3)
    for number in range(10):
        queue.put(said(number))

    read = [await queue.get() for _ in range(4)]
    queue.put(said(10))

    assert read == [said(0), said(1), said(2), Missed(7)]
    assert await queue.get() == said(10)


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 4))
def test_what_is_read_and_what_is_missed_are_together_all_that_happened_in_order(
    puts: list[bool], limit: int
) -> None:
    async def story() -> None:
        queue, put, seen = EventQueue(limit), 0, 0
        for is_put in (*puts, *[False] * len(puts)):
            if is_put:
                queue.put(said(put))
                put += 1
            elif seen < put:
                found = await queue.get()
                seen += found.count if isinstance(found, Missed) else 1
                assert isinstance(found, Missed) or found.at == seen - 1
        assert seen == put

    asyncio.run(story())

"""Threads of a project are read whole and compared; one that came of another knows what it is compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from tests.app.thread_projects import talk, write_agent
from workbench.app.threads import compared_threads
from workbench.app.threads.compared_threads import compare_threads, with_original
from workbench.app.threads.threads import ThreadRefused
from workbench.base.errors import NotThere, UserError
from workbench.base.ids import ThreadId

CALLS_ONCE = ({"calls": [{"name": "count", "arguments": {"mark": "one"}}]}, {"text": "It is {{result}}."})


@pytest.mark.rule("T25")
async def test_two_threads_are_compared_whole_with_what_each_came_to(
    project: Path, opened: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_threads, "_PAGE", 2)
    write_agent(project, "helper", *CALLS_ONCE, tools=["count"])

    async with opened(project) as wb:
        first, second = [await talk(wb, "helper", "How many?") for _ in range(2)]
        same = await compare_threads(wb, first.id, second.id)
        await wb.threads.send(second.id, "And now?")
        await wb.threads.parked(second.id)
        longer = await compare_threads(wb, first.id, second.id)

    assert same.comparison.same
    assert [pair.either.who for pair in same.comparison.pairs] == ["user", "count", "assistant"]
    assert [pair.match.value for pair in longer.comparison.pairs] == ["equal"] * 3 + ["onlyB"] * 2
    assert (longer.a.words, longer.a.totals.requests, longer.b.totals.requests) == ("How many?", 2, 3)
    assert longer.common == 0  # neither came of the other


async def test_a_thread_that_came_of_another_is_compared_with_that_one_and_tells_what_both_begin_with(
    project: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", *CALLS_ONCE, tools=["count"])

    async with opened(project) as wb:
        first = await talk(wb, "helper", "How many?")
        with pytest.raises(UserError, match="did not begin with the history of another"):
            await with_original(wb, first.id)
        with pytest.raises(UserError, match="A and B are one thread"):
            await compare_threads(wb, first.id, first.id)
        second = (await wb.threads.forks.fork(first.id)).thread
        pair = await with_original(wb, second.id)
        compared = await compare_threads(wb, *pair)
        for one in pair:  # what is the same behind it was said in each by itself
            await wb.threads.send(one, "And now?")
            await wb.threads.parked(one)
        longer = await compare_threads(wb, *pair)
        replay = await wb.replays.start(first.id)
        await wb.replays.ended(replay.id)
        replayed = await compare_threads(wb, first.id, replay.id)

        await wb.threads.delete(first.id)
        with pytest.raises(NotThere, match="is gone, whose history"):
            await with_original(wb, second.id)

    assert pair == (first.id, second.id)
    assert compared.common == 3
    assert longer.comparison.same
    assert [(len(stretch.pairs), common) for stretch, common in longer.stretches()] == [(3, True), (2, False)]
    assert [(len(stretch.pairs), common) for stretch, common in replayed.stretches()] == [(5, False)]


async def test_a_thread_that_is_not_there_is_said_to_be_none(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        with pytest.raises(ThreadRefused, match="There is no thread gone"):
            await compare_threads(wb, ThreadId("gone"), ThreadId("gone, too"))

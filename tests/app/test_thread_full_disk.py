"""A disk that is full in the midst of a step: the thread says so in words, and goes on when there is space again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from tests.app.test_full_disk import FILL
from tests.app.thread_projects import said, talk, write_agent
from tests.full_disk import fill, small_disk_at
from workbench.base.errors import UserError
from workbench.domain.events import Event, ThreadMoved
from workbench.domain.threads import ThreadStatus
from workbench.engine.threads.repair import sendable


@pytest.fixture
def small_disk(project: Path) -> Iterator[Path]:
    """The project's own folder, on a disk of two megabytes."""
    with small_disk_at(project / ".workbench", megabytes=2) as folder:
        yield folder


def last_move(events: list[Event]) -> tuple[ThreadStatus, str]:
    moved = [event for event in events if isinstance(event, ThreadMoved)][-1]
    return moved.status, moved.status_text


@pytest.mark.rule("T9", "T10")
async def test_a_disk_that_fills_while_a_call_runs_fails_the_thread_in_words_and_it_goes_on_later(
    project: Path, small_disk: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper", {"calls": [{"name": "fills"}]}, tools=["fills"])
    filler = small_disk / "filler"
    write_tool(project, "fills", FILL.format(filler=str(filler)))
    events: list[Event] = []
    async with opened(project) as wb:
        wb.subscribe(on_event=events.append)
        thread = await talk(wb, "helper", "Go")
        status, words = last_move(events)
        filler.unlink()
        await wb.threads.send(thread.id, "Again")
        went_on = await wb.threads.parked(thread.id)

        assert status is ThreadStatus.FAILED
        assert "no space left" in words
        assert wb.live_calls() == ()
        assert went_on.status is ThreadStatus.AWAITING_HUMAN
        assert (await said(wb, thread.id))[-1] == "assistant: I heard: Again"
        assert sendable(await wb.store.history(thread.id))[0][-1].content == "I heard: Again"
    async with opened(project) as wb:
        assert (await wb.threads.thread(thread.id)).status is ThreadStatus.AWAITING_HUMAN


async def test_words_for_a_thread_on_a_full_disk_are_refused_and_not_half_kept(
    project: Path, small_disk: Path, opened: OpenProject
) -> None:
    write_agent(project, "helper")
    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Hello")
        fill(small_disk / "filler")

        async def send_much() -> None:
            for _ in range(1_000):  # what was freed before is used up first
                await wb.threads.send(thread.id, "x" * 10_000)
                await wb.threads.parked(thread.id)

        with pytest.raises(UserError, match="no space left"):
            await send_much()

        (small_disk / "filler").unlink()
        await wb.threads.send(thread.id, "Still there?")
        await wb.threads.parked(thread.id)

        assert (await said(wb, thread.id))[-1] == "assistant: I heard: Still there?"

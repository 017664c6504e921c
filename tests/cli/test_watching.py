"""What is read of a thread's history to show it: only its last run, and of that nothing twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workbench.app import Workbench, open_workbench
from workbench.base.ids import ThreadId, uuid7
from workbench.cli import thread_watch
from workbench.cli.thread_live import LiveThread, status_line
from workbench.domain.calls import CallState
from workbench.domain.events import CodeLogged, Event, ThreadMoved
from workbench.domain.pages import WaitingBelow
from workbench.domain.threads import Thread, ThreadKind, ThreadStatus
from workbench.domain.writes import AppendEvent, PutThread
from workbench.engine.doubles.vault import MemoryVault

RUNNING, IDLE = ThreadStatus.RUNNING, ThreadStatus.IDLE


class Recorder(LiveThread):
    def __init__(self, thread_id: ThreadId) -> None:
        super().__init__(thread_id)
        self.heard: list[str] = []

    def on_event(self, event: Event) -> None:
        self.heard.append(event.text if isinstance(event, CodeLogged) else event.type)


@pytest.fixture
async def wb(sample: Path, tmp_path: Path) -> AsyncIterator[Workbench]:
    async with open_workbench(sample, load=False, data_dir=tmp_path / "person", vault=MemoryVault()) as wb:
        yield wb


async def thread_of(wb: Workbench, *happened: ThreadStatus | str) -> ThreadId:
    """A thread that moved so, and whose code printed this."""
    thread = Thread(id=ThreadId(uuid7()), kind=ThreadKind.AGENT, created_at=1, updated_at=1, agent="helper")
    await wb.store.commit(PutThread(thread))
    await add(wb, thread.id, *happened)
    return thread.id


async def add(wb: Workbench, thread_id: ThreadId, *happened: ThreadStatus | str) -> None:
    def event(one: ThreadStatus | str) -> Event:
        if isinstance(one, ThreadStatus):
            return ThreadMoved(
                thread_id=thread_id, at=1, status=one, status_text="", side="a", agent="helper"
            )
        return CodeLogged(thread_id=thread_id, at=1, source="code", stream="stdout", text=one)

    await wb.store.commit(*(AppendEvent(event(one)) for one in happened))


@pytest.mark.parametrize(
    ("happened", "behind"),
    [
        ((), 0),
        (("at rest",), 1),
        ((RUNNING, "one"), 0),
        ((RUNNING, "one", IDLE, "at rest", RUNNING, "two"), 4),
        ((RUNNING, "one", IDLE, RUNNING, "two", RUNNING, "three"), 3),
        ((RUNNING, "one", IDLE, RUNNING, "two", IDLE, "at rest"), 3),
    ],
)
async def test_a_run_begins_with_the_move_to_work_however_often_its_status_is_told_again(
    wb: Workbench, happened: tuple[ThreadStatus | str, ...], behind: int
) -> None:
    thread_id = await thread_of(wb, *happened)

    assert await wb.threads.run_began(thread_id) == behind


async def test_watching_reads_the_last_run_page_by_page_and_nothing_twice(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_watch, "_PAGE", 2)
    thread_id = await thread_of(wb, RUNNING, "earlier", IDLE, RUNNING, "one", "two")
    looks = iter([True, True, False])
    read: list[int] = []
    read_page = wb.threads.numbered_events

    async def is_elsewhere(one: ThreadId) -> bool:
        await add(wb, one, "more")
        return next(looks)

    async def numbered_events(one: ThreadId, *, after: int, limit: int) -> tuple[tuple[int, Event], ...]:
        page = await read_page(one, after=after, limit=limit)
        read.extend(number for number, _ in page)
        return page

    monkeypatch.setattr(wb.threads, "is_elsewhere", is_elsewhere)
    monkeypatch.setattr(wb.threads, "numbered_events", numbered_events)
    live = Recorder(thread_id)
    await thread_watch.watch_elsewhere(wb, thread_id, live)

    assert live.heard == ["thread_moved", "one", "two", "more", "more", "more"]
    assert read == [4, 5, 6, 7, 8, 9]


def test_a_thread_at_work_says_which_call_of_a_thread_below_waits_for_a_person() -> None:
    below = WaitingBelow(state=CallState.WAITING_FOR_APPROVAL, tool="pay", thread="claims")
    words = "◆ Needs approval: waits for a person: approval of pay in claims"
    assert status_line(ThreadStatus.RUNNING, "Asks.", None, below) == words
    assert status_line(ThreadStatus.IDLE, "", None, below) == "○ Done", "it does not wait any more"

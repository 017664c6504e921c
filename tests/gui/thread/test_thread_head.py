"""The head of a thread's document: what kind of thread it is, and how it stands."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication

from workbench.app.threads.thread_tree import ThreadLine, ThreadTree
from workbench.base.ids import ThreadId
from workbench.domain.calls import CallState
from workbench.domain.events import ThreadMoved
from workbench.domain.pages import ThreadPage, ThreadSummary, ThreadTotals, WaitingBelow
from workbench.domain.threads import Thread, ThreadKind, ThreadStatus
from workbench.gui.navigator.navigator_entries import ThreadEntry
from workbench.gui.style.marks import Mark
from workbench.gui.thread.thread_head import ThreadHead

ID = ThreadId("0190f0c2-0000-7000-8000-000000000001")
LIMIT = "Reached its limit of 2 steps."
PLAIN = Thread(id=ID, kind=ThreadKind.AGENT, created_at=1, updated_at=2, status=ThreadStatus.AWAITING_HUMAN)


@pytest.mark.usefixtures("ui")
@pytest.mark.rule("C10", "C11")
def test_a_dry_thread_and_one_of_an_instant_say_so_in_their_heads() -> None:
    head = ThreadHead()
    head.show_thread(PLAIN)
    assert not head.dry_run.isVisibleTo(head)
    assert not head.as_of.isVisibleTo(head)
    head.show_thread(PLAIN.model_copy(update={"dry_run": True, "as_of": "2026-03-01T12:00:00Z"}))
    assert head.dry_run.isVisibleTo(head)
    assert head.as_of.isVisibleTo(head)
    in_words = ("Dry run", "As of 2026-03-01T12:00:00Z")
    for width, words in ((1200, in_words), (420, ("", ""))):
        head.resize(width, head.height())
        QApplication.sendEvent(head, QResizeEvent(head.size(), head.size()))
        parts = (head.dry_run, head.as_of)
        assert tuple(part.words for part in parts) == words
        assert tuple(part.accessibleName() for part in parts) == in_words
        assert all(part.toolTip().startswith(f"{told}: ") for part, told in zip(parts, in_words, strict=True))
        assert head.id.isVisibleTo(head) is (width == 1200)


@pytest.mark.usefixtures("ui")
@pytest.mark.rule("T2")
def test_a_thread_whose_last_run_ended_at_its_limit_has_the_mark_of_a_warning_and_no_tick() -> None:
    head = ThreadHead()
    head.show_thread(PLAIN)
    assert (head.state.mark, head.state.words) == (Mark.SUCCEEDED, "Your turn")
    head.show_thread(PLAIN.model_copy(update={"at_limit": True, "status_text": LIMIT}))
    assert (head.state.mark, head.state.words) == (Mark.WARNING, LIMIT.rstrip("."))
    head.show_thread(PLAIN.model_copy(update={"status": ThreadStatus.RUNNING}))
    assert head.state.mark is Mark.RUNNING


@pytest.mark.usefixtures("ui")
def test_a_thread_at_work_says_which_call_of_a_thread_below_waits_for_a_person() -> None:
    below = WaitingBelow(state=CallState.WAITING_FOR_APPROVAL, tool="pay", thread="claims")
    words = "Waits for a person: approval of pay in claims"
    head = ThreadHead()
    running = PLAIN.model_copy(update={"status": ThreadStatus.RUNNING})
    head.resize(1200, head.height())
    head.show_thread(running)
    head.show_totals(ThreadTotals(waits_below=below))
    assert (head.state.mark, head.state.words) == (Mark.NEEDS_APPROVAL, words)
    head.resize(420, head.height())
    QApplication.sendEvent(head, QResizeEvent(head.size(), head.size()))
    assert head.state.words == "Needs approval"
    assert (head.state.toolTip(), head.state.accessibleName()) == (words, words)
    row = ThreadSummary(
        id=ID, agent="a", status=ThreadStatus.RUNNING, created_at=1, updated_at=2, waits_below=below
    )
    assert words in ThreadEntry("key", ThreadLine(row)).words()
    head.show_totals(ThreadTotals())
    assert head.state.mark is Mark.RUNNING


@pytest.mark.rule("T2")
def test_the_list_of_threads_marks_one_at_its_limit_as_it_gets_there() -> None:
    tree = ThreadTree()
    row = ThreadSummary(id=ID, agent="a", status=ThreadStatus.RUNNING, created_at=1, updated_at=2)
    tree.put_first(ThreadPage(rows=(row,)))
    told = ThreadMoved(
        thread_id=ID, at=3, status=ThreadStatus.AWAITING_HUMAN, status_text=LIMIT, at_limit=True
    )
    tree.move(told)
    (line,) = tree.lines()
    assert ThreadEntry("t", line).standing == (Mark.WARNING, "At its limit", LIMIT.rstrip("."))


@pytest.mark.usefixtures("ui")
@pytest.mark.rule("C12")
def test_the_list_of_threads_says_what_one_waits_for_as_its_head_does() -> None:
    tree, head = ThreadTree(), ThreadHead()
    thread = PLAIN.model_copy(update={"status": ThreadStatus.RUNNING, "status_text": "Looks at the scale."})
    row = ThreadSummary.model_validate(
        {"id": ID, "agent": "a", "created_at": 1, "updated_at": 2, "status": thread.status}
        | {"status_text": thread.status_text}
    )
    tree.put_first(ThreadPage(rows=(row,)))
    assert tree.wait(ID, CallState.WAITING_FOR_APPROVAL)
    assert not tree.wait(ID, CallState.WAITING_FOR_APPROVAL)
    (line,) = tree.lines()
    head.show_thread(thread, waits=CallState.WAITING_FOR_APPROVAL)
    assert ThreadEntry("t", line).standing[:2] == (Mark.NEEDS_APPROVAL, "Needs approval")
    assert (head.state.mark, head.state.words) == (Mark.NEEDS_APPROVAL, "Needs approval")
    tree.wait(ID, None)
    (line,) = tree.lines()
    head.show_thread(thread, asks=True)
    assert ThreadEntry("t", line, asks=True).standing[:2] == (Mark.NEEDS_APPROVAL, "Needs an answer")
    assert (head.state.mark, head.state.words) == (Mark.NEEDS_APPROVAL, "Needs an answer")
    assert ThreadEntry("t", line).standing.words == "Looks at the scale"

"""The live panel's rows follow the events, however many come at once."""

from __future__ import annotations

from time import perf_counter

import pytest

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, Origin, Progress, ToolResult
from workbench.domain.events import (
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.gui.live_model import KEPT_ROWS, LiveModel, LiveRow, ThreadRow

THREAD = ThreadId("thread-1")


def seen(name: str, parent: str | None = None, thread: ThreadId = THREAD) -> CallSeen:
    return CallSeen(
        thread_id=thread,
        at=0,
        call_id=CallId(name),
        tool=f"tool_{name}",
        origin=Origin.FORM,
        parent_call_id=CallId(parent) if parent else None,
        arguments_preview='{"n": 1}',
    )


def finished(name: str, text: str = "done", state: CallState = CallState.SUCCEEDED) -> CallFinished:
    result = ToolResult(text=text)
    return CallFinished(
        thread_id=THREAD, at=1, call_id=CallId(name), state=state, result=result, duration_ms=5
    )


def shown(model: LiveModel) -> list[str]:
    rows = [model.row(at) for at in range(model.count())]
    return [
        f"[{row.calls}]" if isinstance(row, ThreadRow) else "  " * row.depth + row.call_id for row in rows
    ]


def test_a_call_shows_what_it_does_and_then_what_came_of_it() -> None:
    model = LiveModel()
    call = CallId("a")
    model.apply([seen("a")])
    row = model.find(call)
    assert row is not None
    assert (row.state, row.arguments, row.summary) == (CallState.QUEUED, '{"n": 1}', "")
    model.apply(
        [
            CallStateChanged(thread_id=THREAD, at=1, call_id=call, state=CallState.RUNNING),
            ToolCallStarted(thread_id=THREAD, at=1, call_id=call, tool="a", progress="reading"),
            CallProgressed(thread_id=THREAD, at=2, call_id=call, progress=Progress(current=2, total=8)),
        ]
    )
    assert (row.state, row.summary, row.progress and row.progress.fraction) == (
        CallState.RUNNING,
        "reading",
        0.25,
    )
    model.apply([finished("a", "42")])
    assert (row.state, row.outcome, row.duration_ms) == (CallState.SUCCEEDED, "42", 5)


def test_a_nested_call_stands_under_the_call_that_asked_for_it() -> None:
    model = LiveModel()
    model.apply([seen("a"), seen("b"), seen("a1", "a"), seen("a11", "a1"), seen("a2", "a"), seen("b1", "b")])
    assert shown(model) == ["[6]", "a", "  a1", "    a11", "  a2", "b", "  b1"]
    assert [model.position(CallId(name)) for name in ("a", "a11", "b1")] == [1, 3, 6]


def test_calls_of_several_threads_stand_in_their_own_groups() -> None:
    model = LiveModel()
    other = ThreadId("thread-2")
    model.apply([seen("a"), seen("x", thread=other), seen("b"), seen("y", thread=other), seen("c")])
    assert shown(model) == ["[3]", "a", "b", "c", "[2]", "x", "y"]


def test_clearing_what_is_finished_keeps_what_runs_and_what_it_stands_under() -> None:
    model = LiveModel()
    model.apply([seen("a"), seen("b"), seen("b1", "b"), seen("c")])
    events: list[Event] = [finished("a"), finished("b"), finished("c")]
    model.apply(events)
    model.clear_finished()
    assert shown(model) == ["[2]", "b", "  b1"]
    model.apply([finished("b1")])
    model.clear_finished()
    assert shown(model) == []


def test_a_log_is_kept_up_to_a_bound_with_its_end() -> None:
    model = LiveModel()
    model.apply([seen("a")])
    for number in range(300):
        text = f"{number:05d} " + "x" * 1_000 + "\n"
        model.apply([CallLogged(thread_id=THREAD, at=1, call_id=CallId("a"), stream="stdout", text=text)])
    row = model.find(CallId("a"))
    assert row is not None
    assert row.log_size <= 64_000 + 1_007
    assert row.log[-1].startswith("00299")


def test_old_finished_calls_leave_when_there_are_too_many() -> None:
    model = LiveModel()
    count = KEPT_ROWS + 2_000
    model.apply([event for at in range(count) for event in (seen(str(at)), finished(str(at)))])
    assert model.count() <= KEPT_ROWS + 1
    assert model.find(CallId("0")) is None
    last = model.find(CallId(str(count - 1)))
    assert isinstance(last, LiveRow)


@pytest.mark.bench
def test_ten_thousand_rows_take_a_batch_of_events_in_a_few_milliseconds() -> None:
    model = LiveModel()
    model.apply([seen(str(at)) for at in range(9_900)])
    batch: list[Event] = [event for at in range(33) for event in (seen(f"n{at}"), finished(f"n{at}"))]
    started = perf_counter()
    model.apply(batch)
    assert perf_counter() - started < 0.02

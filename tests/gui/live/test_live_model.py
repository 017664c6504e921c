"""The live panel's rows follow the events, however many come at once."""

from __future__ import annotations

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtTest import QAbstractItemModelTester

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState, FailureKind, Origin, Progress, ToolFailure, ToolResult
from workbench.domain.events import (
    CallEmitted,
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.gui.live.live_filter import Group, LiveFilter
from workbench.gui.live.live_log import KEPT_LINES
from workbench.gui.live.live_model import KEPT_CALLS, LiveModel
from workbench.gui.live.live_rows import (
    KEPT_AT_END,
    DetailRow,
    LiveRow,
    NoteRow,
    TailRow,
    ThreadRow,
)
from workbench.gui.style.marks import Mark

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
    return [_shown(model.row(at)) for at in range(model.count())]


def _shown(row: object) -> str:
    match row:
        case ThreadRow():
            return f"[{row.calls}]"
        case DetailRow() | NoteRow() | TailRow():
            return "  " * row.call.depth + f"| {row.text}"
        case LiveRow():
            return "  " * row.depth + row.call_id
        case _:
            raise AssertionError(row)


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
    assert shown(model) == ["a", "  a1", "    a11", "  a2", "b", "  b1"]
    assert [model.position(CallId(name)) for name in ("a", "a11", "b1")] == [0, 2, 5]


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
    assert shown(model) == ["b", "  b1"]
    model.apply([finished("b1")])
    model.clear_finished()
    assert shown(model) == []


def logged(name: str, text: str, stream: str = "stdout") -> CallLogged:
    return CallLogged(thread_id=THREAD, at=1, call_id=CallId(name), stream=stream, text=text)


def emitted(name: str, event: str, data: object) -> CallEmitted:
    return CallEmitted(thread_id=THREAD, at=1, call_id=CallId(name), event=event, data=json.dumps(data))


def running(name: str) -> CallStateChanged:
    return CallStateChanged(thread_id=THREAD, at=1, call_id=CallId(name), state=CallState.RUNNING)


def expanded(model: LiveModel, name: str) -> LiveRow:
    row = model.find(CallId(name))
    assert row is not None
    model.expand(row, expanded=True)
    return row


def test_what_a_running_call_prints_stands_under_it_with_its_newest_line() -> None:
    model = LiveModel()
    model.apply([seen("a"), running("a"), seen("b")])
    assert shown(model) == ["a", "b"]
    model.apply([logged("a", "one\ntw")])
    assert shown(model) == ["a", "| tw", "b"]
    model.apply([logged("a", "o\n")])
    assert shown(model) == ["a", "| two", "b"]
    model.apply([finished("a")])
    assert shown(model) == ["a", "b"]


def test_an_expanded_call_shows_its_lines_in_the_order_in_which_they_came() -> None:
    model = LiveModel()
    model.apply(
        [seen("a"), seen("a1", "a"), running("a"), logged("a", "one\n"), logged("a", "oh\n", "stderr")]
    )
    expanded(model, "a")
    assert shown(model) == ["a", "| one", "| oh", "  a1"]
    model.apply(
        [emitted("a", "note", {"n": 1}), emitted("a", "progress", {"current": 1}), logged("a", "two")]
    )
    assert shown(model) == ["a", "| one", "| oh", '| {"n": 1}', "| two", "  a1"]
    row = model.find(CallId("a"))
    assert row is not None
    model.expand(row, expanded=False)
    assert shown(model) == ["a", "| two", "  a1"]


def test_pieces_of_a_text_that_are_emitted_one_after_another_are_shown_as_one_text() -> None:
    model = LiveModel()
    model.apply([seen("a"), running("a")])
    model.apply(
        [emitted("a", "text", piece) for piece in ("The ca", "rafe is", " on its way.\nIt rea", "ches")]
    )
    assert shown(model) == ["a", "| It reaches"]
    model.apply([emitted("a", "status", "reading"), emitted("a", "status", "writing")])
    assert shown(model) == ["a", "| writing"]


def test_a_log_is_kept_up_to_a_bound_and_says_what_is_not_there() -> None:
    model = LiveModel()
    model.apply([seen("a"), running("a")])
    row = expanded(model, "a")
    for number in range(KEPT_LINES + 200):
        model.apply([logged("a", f"line {number}\n")])
    rows = shown(model)
    assert (len(rows), rows[-1]) == (1 + 1 + KEPT_LINES, f"| line {KEPT_LINES + 199}")
    assert rows[1].startswith("| 200 earlier lines")
    model.apply([finished("a")])
    assert (len(row.log.lines), row.log.dropped) == (KEPT_AT_END, KEPT_LINES + 200 - KEPT_AT_END)
    assert shown(model)[1].startswith(f"| {row.log.dropped} earlier lines")


def test_a_line_without_an_end_keeps_its_newest_part() -> None:
    model = LiveModel()
    model.apply([seen("a"), running("a"), *(logged("a", f"{number:06d} ") for number in range(5_000))])
    row = model.find(CallId("a"))
    assert row is not None
    assert len(row.log.lines) == 1
    assert len(row.log.lines[0][1]) <= 2_000
    assert row.log.lines[0][1].endswith("004999 ")


def test_a_stopped_call_says_which_processes_were_ended() -> None:
    model = LiveModel()
    ended = ("python worker (pid 71)", "sleep 100 (pid 72)")
    failure = ToolFailure(kind=FailureKind.CANCELLED, message="The call was stopped.", ended=ended)
    result = ToolResult(is_error=True, text="stopped", failure=failure)
    over = CallFinished(
        thread_id=THREAD, at=9, call_id=CallId("a"), state=CallState.STOPPED, result=result, duration_ms=3
    )
    model.apply([seen("a"), running("a"), over])
    row = expanded(model, "a")
    assert row.outcome == "2 processes ended"
    assert shown(model) == ["a", *(f"| Ended: {line}" for line in ended)]


def test_time_is_counted_from_the_start_of_the_run_and_not_at_all_for_a_call_that_never_ran() -> None:
    model = LiveModel()
    model.apply([seen("a"), seen("b")])
    row, never = model.find(CallId("a")), model.find(CallId("b"))
    assert row is not None
    assert never is not None
    assert row.elapsed_ms(5_000) == 5
    model.apply([CallStateChanged(thread_id=THREAD, at=4_000, call_id=CallId("a"), state=CallState.RUNNING)])
    assert row.elapsed_ms(5_000) == 1
    model.apply([finished("a"), finished("b", state=CallState.FAILED)])
    assert (row.elapsed_ms(9_000), never.elapsed_ms(9_000)) == (5, None)


def test_a_parent_may_fail_while_calls_under_it_still_run() -> None:
    model = LiveModel()
    model.apply([seen("a"), seen("a1", "a"), running("a"), running("a1")])
    model.apply([finished("a", state=CallState.FAILED)])
    assert shown(model) == ["a", "  a1"]
    assert model.tally() == (1, 0)
    model.clear_finished()
    assert shown(model) == ["a", "  a1"], "it stays as the head of what runs"
    model.apply([seen("a2", "a"), finished("a1")])
    assert shown(model) == ["a", "  a1", "  a2"]


def test_a_filter_shows_what_it_takes_under_the_calls_that_it_is_nested_in() -> None:
    model = LiveModel()
    other = ThreadId("thread-2")
    model.apply([seen("a"), seen("a1", "a"), seen("b"), seen("c", thread=other), running("a1")])
    model.apply([finished("a"), finished("b", "red flag", CallState.FAILED)])
    for wanted, rows in {
        LiveFilter(Group.FAILED): ["[3]", "b"],
        LiveFilter(Group.RUNNING): ["[3]", "a", "  a1", "[1]", "c"],
        LiveFilter(Group.WAITING): [],
        LiveFilter(text="RED f"): ["[3]", "b"],
        LiveFilter(text="tool_a"): ["[3]", "a", "  a1"],
        LiveFilter(thread_id=other): ["[1]", "c"],
        LiveFilter(): ["[3]", "a", "  a1", "b", "[1]", "c"],
    }.items():
        model.set_filter(wanted)
        assert shown(model) == rows


def test_a_call_that_is_filtered_for_comes_and_goes_as_it_changes() -> None:
    model = LiveModel()
    model.set_filter(LiveFilter(Group.RUNNING))
    model.apply([seen("a"), seen("b")])
    assert shown(model) == ["a", "b"]
    model.apply([finished("a")])
    assert shown(model) == ["b"]


def test_calls_that_nobody_told_of_are_taken_over_from_the_history() -> None:
    model = LiveModel()
    model.apply([seen("a"), running("a"), logged("a", "one\n")])
    call = Call(
        id=CallId("a"),
        thread_id=THREAD,
        tool="tool_a",
        origin=Origin.FORM,
        state=CallState.SUCCEEDED,
        arguments="{}",
        created_at=0,
        started_at=1_000,
        finished_at=3_000,
        result=ToolResult(text="done"),
        log="one\ntwo\n",
    )
    model.take_over(call)
    model.take_over(call.model_copy(update={"id": CallId("b"), "parent_call_id": CallId("a")}))
    expanded(model, "a")
    assert shown(model) == ["a", "| one", "| two", "  b"]
    assert model.tally() == (0, 0)
    row = model.find(CallId("a"))
    assert row is not None
    assert (row.outcome, row.elapsed_ms(9)) == ("done", 2)


@given(st.data())
def test_the_view_is_told_of_rows_exactly_as_they_come_and_go(data: st.DataObject) -> None:
    model = LiveModel()
    mirror: list[object] = []
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)

    def inserted(_: object, first: int, last: int) -> None:
        mirror[first:first] = [model.row(at) for at in range(first, last + 1)]

    def removed(_: object, first: int, last: int) -> None:
        del mirror[first : last + 1]

    def reset() -> None:
        mirror[:] = [model.row(at) for at in range(model.count())]

    model.rowsInserted.connect(inserted)
    model.rowsRemoved.connect(removed)
    model.modelReset.connect(reset)
    names = [f"c{at}" for at in range(12)]
    for _ in range(data.draw(st.integers(1, 12))):
        name, parent = data.draw(st.sampled_from(names)), data.draw(st.sampled_from([None, *names]))
        step = data.draw(st.integers(0, 6))
        row = model.find(CallId(name))
        if step <= 1:
            thread = ThreadId(data.draw(st.sampled_from(["t1", "t2"])))
            model.apply([seen(name, parent if parent != name else None, thread), running(name)])
        elif step == 2:
            model.apply([logged(name, "one\ntwo\n"), logged(names[0], "x")])
        elif step == 3:
            model.apply([finished(name), finished(names[1], state=CallState.FAILED)])
        elif step == 4 and row is not None:
            model.expand(row, expanded=not row.expanded)
        elif step == 5:
            model.set_filter(LiveFilter(data.draw(st.sampled_from(list(Group)))))
        else:
            model.clear_finished()
        assert mirror == [model.row(at) for at in range(model.count())]


def test_old_finished_calls_leave_when_there_are_too_many() -> None:
    model = LiveModel()
    count = KEPT_CALLS + 2_000
    model.apply([event for at in range(count) for event in (seen(str(at)), finished(str(at)))])
    assert model.count() <= KEPT_CALLS
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


def test_a_thread_that_waits_for_its_model_stands_below_the_calls_as_long_as_it_waits() -> None:
    model = LiveModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.apply([seen("a"), finished("a")])
    model.name_thread(THREAD, "The desk")
    other = ThreadId("thread-2")

    model.show_questions([THREAD, other], 5)
    model.name_thread(other, "The other one")

    said = [model.words(model.row(at)) for at in range(model.count())]
    assert said[1:] == [
        "The desk waits for you to answer as its model",
        "The other one waits for you to answer as its model",
    ]
    model.show_questions([other], 9)
    assert [row.since for row in model.questions] == [5]
    model.set_filter(LiveFilter(Group.RUNNING))
    assert model.count() == 0
    model.set_filter(LiveFilter(Group.WAITING, "OTHER"))
    assert model.count() == 1
    model.set_filter(LiveFilter(Group.WAITING, thread_id=THREAD))
    assert model.count() == 0
    model.set_filter(LiveFilter())
    model.show_questions([], 9)
    assert len(shown(model)) == 1
    del tester


def test_the_row_of_a_call_says_which_call_of_the_thread_that_it_made_waits_for_a_person() -> None:
    model, below = LiveModel(), ThreadId("thread-below")
    model.apply([seen("asks"), state_of("asks", CallState.RUNNING)])
    model.apply([seen("pays", thread=below), state_of("pays", CallState.WAITING_FOR_APPROVAL, below)])
    model.name_thread(below, "claims")
    model.made_by(below, CallId("asks"))
    row = model.find(CallId("asks"))
    assert row is not None
    assert (row.mark, row.summary) == (
        Mark.NEEDS_APPROVAL,
        "Waits for a person: approval of tool_pays in claims",
    )
    model.apply([state_of("pays", CallState.RUNNING, below)])
    assert (row.mark, row.summary) == (Mark.RUNNING, "")


def state_of(name: str, state: CallState, thread: ThreadId = THREAD) -> CallStateChanged:
    return CallStateChanged(thread_id=thread, at=1, call_id=CallId(name), state=state)

"""Words and rows as they are written: nothing steers the terminal, times read well."""

from __future__ import annotations

import pytest

from workbench.base.ids import CallId, ThreadId
from workbench.cli import output
from workbench.cli.live import LiveRows
from workbench.domain.calls import CallState, Origin, Progress, ToolResult
from workbench.domain.events import CallFinished, CallLogged, CallProgressed, CallSeen, CallStateChanged

THREAD = ThreadId("t")
OUTER, INNER = CallId("outer"), CallId("inner")


def seen(call_id: CallId, tool: str, parent: CallId | None = None) -> CallSeen:
    return CallSeen(
        thread_id=THREAD, at=0, call_id=call_id, tool=tool, origin=Origin.CLI, parent_call_id=parent
    )


def finished(call_id: CallId, text: str) -> CallFinished:
    return CallFinished(
        thread_id=THREAD,
        at=0,
        call_id=call_id,
        state=CallState.SUCCEEDED,
        result=ToolResult(text=text),
        duration_ms=84,
    )


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(None, ""), (0, "0 ms"), (999, "999 ms"), (1_234, "1.2 s"), (185_000, "3 min 05 s")],
)
def test_a_duration_is_told_in_the_unit_that_fits(milliseconds: int | None, words: str) -> None:
    assert output.duration(milliseconds) == words


def test_control_characters_are_spelled_out() -> None:
    assert output.plain("a\x1b[31mb\x07\tc\nd\x9b") == "a\\x1b[31mb\\x07\tc\nd\\x9b"


def test_one_line_is_one_line_and_says_where_it_was_cut() -> None:
    assert output.one_line(" first\nsecond ") == "first second"
    assert output.one_line("x" * 20, 10) == "x" * 9 + "…"


async def test_a_nested_call_stands_under_the_one_that_made_it(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveRows() as rows:
        rows.on_event(seen(OUTER, "outer"))
        rows.on_event(seen(INNER, "inner", OUTER))
        rows.on_event(finished(INNER, "inside"))
        assert rows.open_calls() == (OUTER,)
        rows.on_event(finished(OUTER, "done"))
        await rows.all_ended()

    assert capsys.readouterr().err.splitlines() == [
        "✓ Succeeded    inner  inside  84 ms",
        "✓ Succeeded  outer  done  84 ms",
    ]


def test_what_a_tool_prints_is_told_and_the_rest_kept_quiet_in_a_pipe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with LiveRows(quiet=True) as rows:
        rows.on_event(seen(OUTER, "outer"))
        rows.on_event(CallLogged(thread_id=THREAD, at=0, call_id=OUTER, stream="stdout", text="a\x1bword\n"))
        rows.on_event(finished(OUTER, "done"))

    assert capsys.readouterr().err == "a\\x1bword\n"


@pytest.mark.rule("C17")
def test_progress_gives_a_row_its_words_and_its_part_of_the_bar() -> None:
    with LiveRows(quiet=True) as rows:
        rows.on_event(seen(OUTER, "outer"))
        rows.on_event(CallStateChanged(thread_id=THREAD, at=0, call_id=OUTER, state=CallState.RUNNING))
        rows.on_event(
            CallProgressed(
                thread_id=THREAD,
                at=0,
                call_id=OUTER,
                progress=Progress(message="weighing", current=3, total=4),
            )
        )

        row = rows.rows[OUTER]

    assert (row.doing, row.state) == ("weighing", CallState.RUNNING)
    assert row.progress is not None
    assert row.progress.fraction == 0.75

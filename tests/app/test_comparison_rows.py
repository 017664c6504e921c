"""The rows of a comparison: equal stretches folded, the rest unfolded, and that is kept when it is made anew."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from workbench.app.results.differences import Change
from workbench.app.threads import comparison_rows
from workbench.app.threads.compared_threads import ComparedThreads, ThreadSide
from workbench.app.threads.comparison_rows import (
    ComparisonRows,
    Detail,
    Fold,
    Head,
    PartHead,
    Row,
    key_of,
    parts_of,
)
from workbench.app.threads.thread_comparison import compare_entries
from workbench.app.threads.thread_entries import Entry
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.pages import ThreadTotals
from workbench.domain.threads import Thread, ThreadKind


def message(id: str, text: str) -> Entry:
    return Entry(
        id,
        MessageId(id),
        None,
        is_call=False,
        who="user",
        side="",
        prompt="",
        speaker="",
        depth=0,
        parts={"text": text},
    )


def call(id: str, **parts: str) -> Entry:
    return Entry(
        id,
        MessageId(id),
        CallId(id),
        is_call=True,
        who="find",
        side="",
        prompt="",
        speaker="",
        depth=0,
        parts=parts,
    )


def compared(a: Sequence[Entry], b: Sequence[Entry], common: int = 0) -> ComparedThreads:
    thread = Thread(id=ThreadId("t"), kind=ThreadKind.AGENT, created_at=1, updated_at=1)
    left, right = (ThreadSide(thread, ThreadTotals(), entries) for entries in (a, b))
    return ComparedThreads(left, right, compare_entries(a, b), common)


def shown(a: Sequence[Entry], b: Sequence[Entry], common: int = 0) -> ComparisonRows:
    rows = ComparisonRows()
    rows.show(compared(a, b, common))
    fill(rows)
    return rows


def fill(rows: ComparisonRows) -> None:
    rows.put({key_of(pair): (pair, parts_of(pair)) for pair in rows.wanted()})


def told(rows: ComparisonRows) -> list[str]:
    """Each row in a word or two."""
    return [_told(row) for row in rows.rows]


def _told(row: Row) -> str:
    match row:
        case Fold():
            return f"{'v' if row.is_open else '>'} {row.said}{' in common' if row.common else ''}"
        case Head():
            return f"{'v' if row.is_open else '>'} {row.number} {row.pair.match.value}"
        case PartHead():
            return f"{row.title}: {row.said}"
        case Detail():
            return f"{row.line.change.value} {row.line.old}|{row.line.new}"


SAME = [message(f"s{at}", f"same {at}") for at in range(3)]
COPY = [message(f"c{at}", f"same {at}") for at in range(3)]


def test_equal_stretches_are_folded_and_what_differs_is_unfolded() -> None:
    rows = shown(
        [*SAME, message("a", "parcel four")], [*COPY, message("b", "parcel five"), message("n", "new\nlines")]
    )

    assert told(rows) == [
        "> 3 equal",
        "v 4 changed",
        "changed parcel four|parcel five",
        "v 5 onlyB",
        "added |new",
        "added |lines",
    ]


def test_the_beginning_that_a_fork_shares_is_called_that() -> None:
    rows = shown([*SAME, message("a", "x")], [*COPY, message("b", "y"), *COPY[:1]], common=2)

    assert [line for line in told(rows) if "equal" in line] == ["> 2 equal in common", "> 1 equal"]


def test_the_parts_of_a_call_that_differ_have_heads() -> None:
    rows = shown(
        [call("a", arguments='{"n": 1}', result="room one")],
        [call("b", arguments='{"n": 1}', result="room two")],
    )

    assert told(rows) == ["v 1 changed", "Result: 1 line differs", "changed room one|room two"]


def test_rows_are_folded_and_unfolded_and_stay_so_when_the_threads_go_on() -> None:
    a, b = [*SAME, message("a", "parcel four")], [*COPY, message("b", "parcel five")]
    rows = shown(a, b)
    assert rows.turn(rows.rows[0], is_open=True)
    assert not rows.turn(rows.rows[0], is_open=True)  # it is
    assert rows.turn(rows.rows[-1], is_open=False)  # a line of what differs: that is folded as a whole
    before = ["v 3 equal", "> 1 equal", "> 2 equal", "> 3 equal", "> 4 changed"]
    assert told(rows) == before

    rows.show(compared(a, [*b, message("n", "and on")]))
    fill(rows)

    assert told(rows) == [*before, "v 5 onlyB", "added |and on"]


def test_a_row_is_found_again_though_others_came_before_it() -> None:
    a, b = [message("a", "parcel four"), *SAME], [message("b", "parcel five"), *COPY]
    rows = shown(a, b)
    line, fold = rows.rows[1], rows.rows[2]

    rows.show(compared(a, [message("n", "new"), *b]))
    fill(rows)

    assert told(rows)[rows.place_of(line)] == "changed parcel four|parcel five"
    assert told(rows)[rows.place_of(fold)] == "> 3 equal"
    rows.show(compared(SAME, COPY))
    assert rows.place_of(line) == -1


def test_what_does_not_change_is_not_compared_again() -> None:
    a, b = [message("a", "parcel four")], [message("b", "parcel five")]
    rows = shown(a, b)

    rows.show(compared(a, [*b, message("n", "more")]))

    assert [pair.match.value for pair in rows.wanted()] == ["onlyB"]


def test_differences_are_gone_through_around_the_ends() -> None:
    rows = shown(
        [message("a", "parcel four"), *SAME], [message("b", "parcel five"), *COPY, message("n", "new")]
    )
    first, last = 0, len(rows.rows) - 2

    assert [told(rows)[at] for at in (first, last)] == ["v 1 changed", "v 5 onlyB"]
    assert [rows.next_difference(at, 1) for at in (-1, first, last)] == [first, last, first]
    assert [rows.next_difference(at, -1) for at in (last, first)] == [first, last]
    assert shown(SAME, COPY).next_difference(0, 1) == -1


def test_of_very_many_differences_the_first_are_unfolded_and_the_others_on_demand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison_rows, "_OPEN", 1)
    rows = shown(
        [message("a1", "room 1"), message("a2", "hall 2")], [message("b1", "room 3"), message("b2", "hall 4")]
    )

    assert told(rows) == ["v 1 changed", "changed room 1|room 3", "> 2 changed"]
    assert rows.turn(rows.rows[-1])
    assert len(rows.wanted()) == 1


def test_of_a_long_text_that_only_one_has_the_beginning_is_shown_and_its_length_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison_rows, "_LINES", 2)
    rows = shown([message("a", "1\n2\n3")], [])

    assert told(rows) == ["v 1 onlyA", "Text: the first 2 of 3 lines", "removed 1|", "removed 2|"]
    assert Change.SKIPPED not in {row.line.change for row in rows.rows if isinstance(row, Detail)}


def test_long_lines_are_broken_to_the_room_that_there_is() -> None:
    rows = shown([message("a", "the red parcel")], [message("b", "the blue parcel")])

    assert rows.wrap(9)
    assert not rows.wrap(9)
    assert told(rows) == ["v 1 changed", "changed the red |the blue ", "changed parcel|parcel"]


def test_a_call_that_only_one_has_is_laid_out_without_saying_that_it_succeeded() -> None:
    rows = shown([call("a", arguments='{"n": 1}', state="succeeded")], [])
    assert told(rows) == ["> 1 onlyA"]

    assert rows.turn(rows.rows[0])
    fill(rows)

    assert told(rows) == ["v 1 onlyA", "Arguments: ", "removed {|", 'removed   "n": 1|', "removed }|"]

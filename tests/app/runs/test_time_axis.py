"""Time on a timeline: in proportion while somebody works, cut short while nobody does, there and back the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.runs.bars import Bar, Group, Lane, Standing, Timeline, Work
from workbench.app.runs.time_axis import SECOND, Axis, Cut, axis_of
from workbench.base.ids import ThreadId
from workbench.domain.model_answers import Usage


def line(*stretches: tuple[int, int], live: bool = False) -> Timeline:
    """A timeline of tool calls, in seconds."""
    bars = tuple(
        Bar(Work.TOOL, Standing.SUCCEEDED, start * SECOND, end * SECOND, "look") for start, end in stretches
    )
    group = Group("desk", "A", 0, ThreadId("t"), (Lane("Tools", Work.TOOL, bars),))
    ends = [bar.ended or 0 for bar in bars]
    return Timeline((group,), bars[0].began, max(ends), live, Usage())


def test_a_day_without_work_takes_no_more_room_than_a_moment() -> None:
    axis = axis_of(line((0, 10), (86_400, 86_410)), 0)
    assert axis.cuts == (Cut(10 * SECOND, 86_400 * SECOND),)
    assert axis.length == 23 * SECOND
    assert axis.shown(86_400 * SECOND) == 13 * SECOND


def test_short_pauses_are_shown_as_long_as_they_were() -> None:
    axis = axis_of(line((0, 10), (12, 20)), 0)
    assert axis.cuts == ()
    assert axis.length == 20 * SECOND


def test_a_live_timeline_runs_to_now_and_one_at_rest_does_not() -> None:
    assert axis_of(line((0, 10), live=True), 12 * SECOND).end == 12 * SECOND
    assert axis_of(line((0, 10)), 12 * SECOND).end == 10 * SECOND


def test_marks_count_anew_where_work_began_again() -> None:
    axis = Axis(0, 100 * SECOND, (Cut(10 * SECOND, 90 * SECOND),), 3 * SECOND)
    marks = [(tick.at / SECOND, tick.words) for tick in axis.ticks(5 * SECOND, 0, axis.length)]
    assert marks == [(0, "0 s"), (5, "5 s"), (10, "10 s"), (13, ""), (18, "+5 s"), (23, "+10 s")]
    seen = [tick.words for tick in axis.ticks(5 * SECOND, 14 * SECOND, 19 * SECOND)]
    assert seen == ["", "+5 s"]


def test_marks_of_every_size_read_well() -> None:
    def words(seconds: float, step: float) -> str:
        axis = Axis(0, int(seconds * SECOND) + 1)
        return list(axis.ticks(step * SECOND, 0, axis.length))[-1].words

    assert words(0.004, 0.002) == "0.004 s"
    assert words(1.5, 0.5) == "1.5 s"
    assert words(90, 30) == "1 min 30 s"
    assert words(3600, 600) == "1 h"
    assert words(5400, 1800) == "1 h 30 min"


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    edges = draw(st.lists(st.integers(0, 10**12), max_size=8, unique=True))
    edges.sort()
    pairs = zip(edges[::2], edges[1::2], strict=False)
    cuts = tuple(Cut(start, end) for start, end in pairs if end - start > 3 * SECOND)
    return Axis(0, 10**12, cuts, 3 * SECOND)


@given(axes(), st.lists(st.integers(0, 10**12), min_size=2))
def test_what_was_earlier_is_shown_earlier_and_found_again_where_it_is_shown(
    axis: Axis, moments: list[int]
) -> None:
    moments.sort()
    places = [axis.shown(moment) for moment in moments]
    assert places == sorted(places)
    for moment, place in zip(moments, places, strict=True):
        inside = next((cut for cut in axis.cuts if cut.start <= moment < cut.end), None)
        grain = (inside.end - inside.start) / axis.kept if inside else 1
        assert abs(axis.moment(place) - moment) <= grain + 1

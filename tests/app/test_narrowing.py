"""What a person narrows a list of calls to, in days as the calendar has them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from workbench.app.calls.narrowing import Narrowing, Period, read_since
from workbench.base.errors import UserError
from workbench.domain.calls import CallState, Origin


@pytest.fixture(autouse=True)
def _in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone()


def moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else datetime.fromtimestamp(microseconds / 1e6).astimezone()


@pytest.mark.parametrize(
    ("period", "since", "before"),
    [
        (Period.TODAY, "2026-03-30T00:00", None),
        (Period.YESTERDAY, "2026-03-29T00:00", "2026-03-30T00:00"),
        (Period.WEEK, "2026-03-24T00:00", None),
        (Period.MONTH, "2026-03-01T00:00", None),
    ],
)
def test_a_period_is_whole_days_of_the_calendar_also_over_the_change_of_the_clock(
    period: Period, since: str, before: str | None
) -> None:
    wanted = Narrowing(period=period).filter(local("2026-03-30T14:30"))

    assert moment(wanted.since) == local(since)
    assert moment(wanted.before) == (local(before) if before else None)


def test_the_day_on_which_the_clock_changed_had_23_hours() -> None:
    wanted = Narrowing(period=Period.YESTERDAY).filter(local("2026-03-30T14:30"))

    assert wanted.since is not None
    assert wanted.before is not None
    assert timedelta(microseconds=wanted.before - wanted.since) == timedelta(hours=23)


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("14:05", "2026-03-30T14:05"),
        (" 2026-03-01 ", "2026-03-01T00:00"),
        ("2026-03-01  9:30", "2026-03-01T09:30"),
        ("2026-03-01T09:30", "2026-03-01T09:30"),
    ],
)
def test_a_moment_is_read_as_it_is_written(typed: str, means: str) -> None:
    assert moment(read_since(typed, local("2026-03-30T14:30"))) == local(means)


@pytest.mark.parametrize("typed", ["", "soon", "2026-02-30", "25:00"])
def test_what_is_no_moment_is_told_with_how_one_is_written(typed: str) -> None:
    with pytest.raises(UserError) as told:
        read_since(typed, local("2026-03-30T14:30"))

    assert told.value.hint.startswith("Write 2026-03-30,")


def test_everything_narrows_together_and_the_tool_of_the_list_comes_first() -> None:
    chosen = Narrowing(states=(CallState.FAILED,), origins=(Origin.CLI,), tool="a", since=5, text=" word ")

    wanted = chosen.filter(local("2026-03-30T14:30"), tool="b")

    assert (wanted.tool, wanted.states, wanted.origins, wanted.since, wanted.text) == (
        "b",
        (CallState.FAILED,),
        (Origin.CLI,),
        5,
        "word",
    )
    assert Narrowing().is_empty
    assert not chosen.is_empty

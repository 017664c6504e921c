"""What a person narrows a list of calls to, in their words: states, who asked, a tool, a time, a text."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum

from workbench.base.errors import UserError
from workbench.domain.calls import CallState, Origin
from workbench.domain.pages import CallFilter
from workbench.domain.value import Value

ORIGINS = {
    Origin.MODEL: "a model",
    Origin.FORM: "the form",
    Origin.QUEUE: "another tool's queue",
    Origin.INVOKE: "another tool",
    Origin.HTTP: "HTTP",
    Origin.MCP: "MCP",
    Origin.CLI: "the command line",
    Origin.PYTHON: "Python",
    Origin.REPLAY: "a replay",
    Origin.CODE: "a code pad",
}
"""Who asked for a call, in words that follow "asked by"."""
_SINCE_FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M")
_CLOCK_FORMS = ("%H:%M", "%H:%M:%S")


class Period(Enum):
    """A stretch of days that moves on with the clock."""

    TODAY = "Today"
    YESTERDAY = "Yesterday"
    WEEK = "Last 7 days"
    MONTH = "Last 30 days"


class Narrowing(Value):
    """All of it must hold; empty means all. `since` is a moment in microseconds since the epoch."""

    states: tuple[CallState, ...] = ()
    origins: tuple[Origin, ...] = ()
    tool: str | None = None
    period: Period | None = None
    since: int | None = None
    text: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Narrowing()

    def filter(self, now: datetime, *, tool: str | None = None) -> CallFilter:
        """What is asked of the history at a moment (with its zone); `tool` is that of a list of one tool."""
        since, before = _bounds(self.period, now) if self.period is not None else (self.since, None)
        return CallFilter(
            tool=tool or self.tool,
            states=self.states,
            origins=self.origins,
            since=since,
            before=before,
            text=self.text.strip(),
        )


def read_since(text: str, now: datetime) -> int:
    """A moment as a person writes it: `14:30` (today), `2026-03-01`, `2026-03-01 14:30`.

    In microseconds since the epoch. Raises UserError for what is none.
    """
    wanted = " ".join(text.split())
    for form in (*_CLOCK_FORMS, *_SINCE_FORMS):
        try:
            read = datetime.strptime(wanted, form)  # noqa: DTZ007 – the zone of the machine is given below
        except ValueError:
            continue
        if form in _CLOCK_FORMS:
            read = read.replace(year=now.year, month=now.month, day=now.day)
        return _microseconds(read)
    raise UserError(
        "This is no day and no time.", hint=f"Write {now:%Y-%m-%d}, {now:%Y-%m-%d} 14:30, or 14:30 for today."
    )


def _bounds(period: Period, now: datetime) -> tuple[int, int | None]:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)

    def days_ago(days: int) -> int:
        return _microseconds(midnight - timedelta(days=days))  # by the calendar: a day may have 23 hours

    match period:
        case Period.TODAY:
            return days_ago(0), None
        case Period.YESTERDAY:
            return days_ago(1), days_ago(0)
        case Period.WEEK:
            return days_ago(6), None
        case Period.MONTH:
            return days_ago(29), None


def _microseconds(local: datetime) -> int:
    """Of a time on the clock of this machine."""
    return round(local.astimezone().timestamp() * 1_000_000)

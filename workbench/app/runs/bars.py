"""The parts of a timeline: bars in lanes, lanes in groups, and how each of them is found by time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum

from workbench.base.ids import ThreadId
from workbench.domain.model_answers import Usage


class Work(Enum):
    """Who works while a bar lasts."""

    MODEL = "Model"
    TOOL = "Tool"
    PERSON = "Person"


class Standing(Enum):
    """How the work of a bar stands, in the word that is shown for it."""

    RUNNING = "Running"
    WAITING = "Waiting"
    WAITED = "Waited"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    STOPPED = "Stopped"


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch of work. `ended` None: it goes on now. `id` names the call or the request, "" where there is none.

    Times are microseconds since the epoch.
    """

    work: Work
    standing: Standing
    began: int
    ended: int | None
    label: str
    id: str = ""
    thread_id: ThreadId | None = None
    note: str = ""
    """What else is to be told of it."""

    def end(self, now: int) -> int:
        return max(now if self.ended is None else self.ended, self.began)


@dataclass(frozen=True, slots=True)
class Lane:
    """Bars that do not lie over each other, in the order of time."""

    title: str
    work: Work
    bars: tuple[Bar, ...]
    _starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", tuple(bar.began for bar in self.bars))

    def between(self, start: int, end: int) -> Sequence[Bar]:
        """The bars that can be seen from `start` to `end`, and those right beside them."""
        first = max(bisect_left(self._starts, start) - 1, 0)
        return self.bars[first : bisect_right(self._starts, end) + 1]

    def place_by(self, moment: int, *, after: bool) -> int:
        """The place of the first bar that began at a moment or `after` it, or of the last one before.

        The last or the first bar where there is no such one; -1 in an empty lane.
        """
        if after:
            return min(bisect_left(self._starts, moment), len(self.bars) - 1)
        return max(bisect_right(self._starts, moment) - 1, min(0, len(self.bars) - 1))


@dataclass(frozen=True, slots=True)
class Group:
    """The lanes of a side, a sub-prompt or a thread below. `side` is "A", "B" or "" inside another group."""

    title: str
    side: str
    depth: int
    thread_id: ThreadId
    lanes: tuple[Lane, ...]
    usage: Usage | None = None
    """What its own requests used; None: it made none."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """All groups with what they come to. `is_live`: something of it goes on now."""

    groups: tuple[Group, ...]
    began: int
    ended: int
    is_live: bool
    usage: Usage
    threads: int = 1
    """How many threads it shows."""

    @property
    def bars(self) -> Iterable[Bar]:
        return (bar for group in self.groups for lane in group.lanes for bar in lane.bars)


def total(usages: Iterable[Usage | None]) -> Usage:
    """Usage added up; the cost is that of those which have one, None when none has."""
    known = [usage for usage in usages if usage is not None]
    costs = [usage.cost for usage in known if usage.cost is not None]
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in known),
        cached_tokens=sum(usage.cached_tokens for usage in known),
        output_tokens=sum(usage.output_tokens for usage in known),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in known),
        cost=sum(costs, Decimal(0)) if costs else None,
    )

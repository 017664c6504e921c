"""Time as a timeline shows it: work in proportion, and the long stretches in which nobody worked cut short."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from workbench.app.runs.bars import Timeline, Work

SECOND = 1_000_000
_MINUTE, _HOUR = 60 * SECOND, 3600 * SECOND
_SHORTEST_CUT = 3 * SECOND
_SHARE = 12
"""A stretch without work is cut when it is longer than this part of all work."""
_STEPS = (
    *(factor * 10**power for power in range(6) for factor in (1, 2, 5)),
    *(seconds * SECOND for seconds in (1, 2, 5, 10, 20, 30)),
    *(minutes * _MINUTE for minutes in (1, 2, 5, 10, 20, 30)),
    *(hours * _HOUR for hours in (1, 2, 4, 8, 24, 48, 120, 240)),
)
"""Distances between marks of a ruler, in microseconds."""


class Cut(NamedTuple):
    """A stretch that is shown shorter than it was; in microseconds since the epoch."""

    start: int
    end: int


class Tick(NamedTuple):
    """A mark of the ruler: where it stands in shown time, and its words; none where work began again after a cut."""

    at: float
    words: str


@dataclass(frozen=True, slots=True)
class Axis:
    """From moments to shown time and back. Shown time runs in microseconds from 0 to `length`.

    `kept` is how much of each cut is shown.
    """

    start: int
    end: int
    cuts: tuple[Cut, ...] = ()
    kept: int = _SHORTEST_CUT
    _lost: tuple[int, ...] = field(init=False, repr=False)
    """How much the cuts before each one take away."""

    def __post_init__(self) -> None:
        taken = (cut.end - cut.start - self.kept for cut in self.cuts)
        object.__setattr__(self, "_lost", (0, *accumulate(taken)))

    @property
    def length(self) -> float:
        return max(self.shown(self.end), 1.0)

    def shown(self, moment: int) -> float:
        """Where a moment is shown."""
        at = bisect_right(self.cuts, moment, key=lambda cut: cut.start)
        if at and moment < self.cuts[at - 1].end:
            return self._inside(at - 1, moment)
        return float(moment - self.start - self._lost[at])

    def _inside(self, at: int, moment: int) -> float:
        cut = self.cuts[at]
        begins = cut.start - self.start - self._lost[at]
        return begins + self.kept * (moment - cut.start) / (cut.end - cut.start)

    def moment(self, shown: float) -> int:
        """Which moment is shown there."""
        at = bisect_right(self.cuts, shown, key=lambda cut: self.shown(cut.start))
        if at:
            cut = self.cuts[at - 1]
            inside = shown - self.shown(cut.start)
            if inside < self.kept:
                return int(cut.start + inside * (cut.end - cut.start) / self.kept)
        return int(self.start + shown + self._lost[at])

    def ticks(self, step: float, first: float, last: float) -> Iterator[Tick]:
        """Marks at least `step` of shown time apart, from `first` to `last`.

        Behind a cut they count from where work began again.
        """
        wide = next((one for one in _STEPS if one >= step), _STEPS[-1])
        at = bisect_right(self.cuts, first, key=lambda cut: self.shown(cut.end))
        for number in range(at, len(self.cuts) + 1):
            start = self.cuts[number - 1].end if number else self.start
            end = self.cuts[number].start if number < len(self.cuts) else self.end
            base = self.shown(start)
            if base > last:
                return
            skipped = max(int((first - base) // wide), 0)
            most = min(float(end - start), last - base)
            for count in range(skipped, int(most // wide) + 1):
                yield Tick(base + count * wide, _words(count * wide, wide, again=number > 0))


def axis_of(timeline: Timeline, now: int) -> Axis:
    """The axis of a timeline; `now` is its end while it is live."""
    end = max(now, timeline.ended) if timeline.is_live else timeline.ended
    busy = merged((bar.began, bar.end(end)) for bar in timeline.bars if bar.work is not Work.PERSON)
    worked = sum(until - since for since, until in busy)
    kept = max(_SHORTEST_CUT, worked // _SHARE)
    before = [timeline.began, *(until for _, until in busy)]
    after = [*(since for since, _ in busy), end]
    gaps = zip(before, after, strict=True)
    cuts = tuple(Cut(since, until) for since, until in gaps if until - since > kept)
    return Axis(timeline.began, max(end, timeline.began + 1), cuts, kept)


def merged(stretches: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Stretches that touch or lie over each other as one, in the order of time."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _words(time: float, step: float, *, again: bool) -> str:
    """`2 s`, `0.5 s`, `3 min`, `1 min 30 s`; a plus before what counts from a later start."""
    if time == 0:
        return "" if again else "0 s"
    sign = "+" if again else ""
    seconds = time / SECOND
    if seconds < 60:
        decimals = next((places for places in range(7) if step >= SECOND / 10**places), 6)
        return f"{sign}{seconds:.{decimals}f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    if hours:
        return f"{sign}{hours} h {left} min" if left else f"{sign}{hours} h"
    return f"{sign}{minutes} min {rest} s" if rest else f"{sign}{minutes} min"

"""Where moments stand on screen: between the names and the sums, as far as it is zoomed and scrolled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.app.runs.bars import Bar, Lane, Work
from workbench.app.runs.time_axis import Axis, Tick
from workbench.gui.thread.timeline_paint import NAMES, SUMS, Seen

PAD = 8
"""Pixels of the plot that stay free at its left."""
_AFTER = 112
"""Pixels that stay free at its right, for the label of what comes last."""
_TICKS = 84
"""Pixels between marks of the ruler, at least."""
_WIDEST = 40_000_000
"""Pixels of the whole plot, at the closest zoom."""
_LEAST, _LEAST_OF_WAIT = 2.0, 8.0
"""Pixels of what has only begun."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One look at a time axis. `width` is that of the view, `along` how far it is scrolled, in pixels."""

    axis: Axis
    width: int
    zoom: float = 1.0
    along: int = 0

    @property
    def room(self) -> int:
        """Pixels for shown time without scrolling."""
        return max(self.width - NAMES - SUMS - PAD - _AFTER, 40)

    @property
    def whole(self) -> int:
        """Pixels of all shown time."""
        return round(self.room * self.zoom)

    @property
    def closest(self) -> float:
        """The greatest zoom."""
        return _WIDEST / self.room

    @property
    def _scale(self) -> float:
        """Pixels a microsecond of shown time."""
        return self.room * self.zoom / self.axis.length

    def holds(self, x: float) -> bool:
        """Whether a place lies between the names and the sums."""
        return NAMES <= x <= self.width - SUMS

    def x(self, moment: int) -> float:
        return self.x_shown(self.axis.shown(moment))

    def x_shown(self, shown: float) -> float:
        """Where a place in shown time is."""
        return NAMES + PAD + shown * self._scale - self.along

    def moment(self, x: float) -> int:
        shown = (x - NAMES - PAD + self.along) / self._scale
        return self.axis.moment(min(max(shown, 0.0), self.axis.length))

    def ticks(self) -> Iterator[Tick]:
        """The marks of the ruler that can be seen."""
        first = (self.along - PAD) / self._scale
        last = first + (self.room + PAD + _AFTER) / self._scale
        return self.axis.ticks(_TICKS / self._scale, first, last)

    def in_view(self, lane: Lane) -> list[Seen]:
        """The bars of a lane that can be seen."""
        return self.seen(lane.between(self.moment(NAMES), self.moment(self.width - SUMS)))

    def around(self, lane: Lane, x: int, near: int) -> list[Seen]:
        """The bars of a lane that are so near to a place."""
        bars = lane.between(self.moment(x - near), self.moment(x + near))
        return [one for one in self.seen(bars) if one.left - near <= x <= one.right + near]

    def seen(self, bars: Sequence[Bar]) -> list[Seen]:
        """Where bars are that follow each other; the last has room up to the sums."""
        now, edge = self.axis.end, float(self.width - SUMS)
        spots = [(self.x(bar.began), self.x(bar.end(now))) for bar in bars]
        found: list[Seen] = []
        for at, (bar, (left, right)) in enumerate(zip(bars, spots, strict=True)):
            least = _LEAST_OF_WAIT if bar.work is Work.PERSON else _LEAST
            room = spots[at + 1][0] if at + 1 < len(spots) else edge
            found.append(Seen(bar, left, max(right, left + least), room))
        return found

"""The ruler of a timeline and its grid: marks of time, the present, and where time was cut short."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from workbench.gui.style import amounts, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import ROW
from workbench.gui.thread.timeline_paint import NAMES, SUMS, sum_heads, tear
from workbench.gui.thread.timeline_plot import Plot


def grid(painter: QPainter, plot: Plot, bottom: int) -> None:
    """A line under each mark of the ruler, down to `bottom`, and a torn one where time was cut."""
    for tick in plot.ticks():
        painter.fillRect(QRect(round(plot.x_shown(tick.at)), ROW, 1, bottom - ROW), theme.colour("hair"))
    for cut in plot.axis.cuts:
        x = (plot.x(cut.start) + plot.x(cut.end)) / 2
        if plot.holds(x):
            tear(painter, x, ROW, bottom)


def ruler(painter: QPainter, plot: Plot, *, is_live: bool) -> None:
    """The row at the top. Marks keep clear of each other and of the word for the present."""
    painter.fillRect(QRect(0, 0, plot.width, ROW), theme.colour("base"))
    line = Line(painter, plot.width, ROW)
    painter.setClipRect(QRect(NAMES, 0, plot.width - NAMES - SUMS, ROW))
    taken = _now(line, plot) if is_live else None
    until = -1.0
    for tick in plot.ticks():
        x = plot.x_shown(tick.at) + 3
        if x >= until and (taken is None or not taken[0] - 40 <= x <= taken[1]):
            words = tick.words or amounts.moment(plot.axis.moment(tick.at + 1))
            until = x + line.text(words, x, 120, "ink2", theme.small()) + 8
    painter.setClipping(False)
    line.underline()
    sum_heads(line)


def _now(line: Line, plot: Plot) -> tuple[float, float]:
    """The word for the present; gives the stretch of the ruler that it takes."""
    words = f"now {amounts.duration((plot.axis.end - plot.axis.start) / 1000)}"
    x = min(plot.x(plot.axis.end) + 4, line.width - SUMS - 96.0)
    return x, x + line.text(words, x, 96, "run", theme.small(600)) + 8

"""The timeline itself: rows of bars, scrolled, zoomed, gone through by keys; only what is seen is painted."""

from __future__ import annotations

import time
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from workbench.app.runs.bars import Bar, Group, Lane, Timeline
from workbench.app.runs.time_axis import Axis, axis_of
from workbench.gui.style import theme
from workbench.gui.style.paint import Line, ring
from workbench.gui.style.tokens import ROW
from workbench.gui.thread import timeline_paint as look
from workbench.gui.thread import timeline_ruler as ruler
from workbench.gui.thread.timeline_paint import NAMES, SUMS
from workbench.gui.thread.timeline_plot import PAD, Plot

_LIVE_MS = 50
_ZOOM = 1.5
_NEAR = 3


class _Row(NamedTuple):
    """A row: the head of a group (`lane` None), one of its lanes, or the last line, of sums (`group` None)."""

    group: Group | None
    lane: Lane | None = None


class TimelineCanvas(QAbstractScrollArea):
    """Shows a `Timeline`. Arrow keys go from bar to bar, Enter opens one, plus, minus and 0 zoom."""

    opened = Signal(object)
    """The `Bar` whose call or request is to be shown."""
    told = Signal(object)
    """The `Bar` under the pointer, else the current one; None when there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._timeline: Timeline | None = None
        self._axis = Axis(0, 1)
        self._rows: list[_Row] = []
        self._zoom = 1.0
        self._at: tuple[int, int] | None = None
        self._hovered: Bar | None = None
        self._empty = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setBackgroundRole(self.palette().ColorRole.Base)
        self.viewport().setMouseTracking(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._clock = QTimer(self)
        self._clock.setInterval(_LIVE_MS)
        self._clock.timeout.connect(self._tick)

    # --- what it shows

    @property
    def timeline(self) -> Timeline | None:
        return self._timeline

    def set_empty(self, words: str) -> None:
        """What is said when there is nothing to show."""
        self._empty = words
        self.viewport().update()

    def show_timeline(self, timeline: Timeline) -> None:
        """Show this, with the bar that was current before if it is still there."""
        before = self.current
        self._timeline = timeline
        self._rows = [
            row
            for group in timeline.groups
            for row in (_Row(group), *(_Row(group, lane) for lane in group.lanes))
        ]
        if timeline.usage.input_tokens or timeline.usage.output_tokens:
            self._rows.append(_Row(None))
        self._hovered = None
        self._at = self._find(before) if before is not None else None
        self._measure()
        if timeline.is_live:
            self._clock.start()
        else:
            self._clock.stop()
        if self._at is None and self.hasFocus():
            self._step(0, 0)
        self.told.emit(self.current)

    @property
    def current(self) -> Bar | None:
        if self._at is None:
            return None
        row, place = self._at
        lane = self._rows[row].lane
        return lane.bars[place] if lane is not None and place < len(lane.bars) else None

    def choose(self, id: str) -> bool:
        """Make the bar of a call or a request the current one; False when there is none."""
        for at, row in enumerate(self._rows):
            for place, bar in enumerate(row.lane.bars if row.lane else ()):
                if bar.id == id:
                    self._go_to(at, place)
                    return True
        return False

    def now(self) -> int:
        """The moment up to which is shown."""
        return self._axis.end

    def elapsed(self, bar: Bar) -> int:
        """Microseconds from the timeline's beginning to the bar's."""
        return bar.began - self._axis.start

    def _find(self, bar: Bar) -> tuple[int, int] | None:
        for at, row in enumerate(self._rows):
            for place, other in enumerate(row.lane.bars if row.lane else ()):
                if (other.id, other.began, other.work) == (bar.id, bar.began, bar.work):
                    return at, place
        return None

    # --- time and places

    def _tick(self) -> None:
        if self.isVisible():
            self._measure()

    def _measure(self) -> None:
        if self._timeline is None:
            return
        bar = self.horizontalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._axis = axis_of(self._timeline, time.time_ns() // 1000)
        plot = self._plot
        room = plot.room
        bar.setRange(0, max(plot.whole - room, 0))
        bar.setPageStep(room)
        bar.setSingleStep(max(room // 20, 1))
        if at_end and self._timeline.is_live:
            bar.setValue(bar.maximum())
        down = self.verticalScrollBar()
        down.setRange(0, max(len(self._rows) * ROW - (self.viewport().height() - ROW), 0))
        down.setPageStep(max(self.viewport().height() - ROW, ROW))
        down.setSingleStep(ROW)
        self.viewport().update()

    @property
    def _plot(self) -> Plot:
        return Plot(self._axis, self.viewport().width(), self._zoom, self.horizontalScrollBar().value())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Look closer (above 1) or from further away; what is at `x` stays there."""
        x = x if x is not None else self._middle()
        plot = self._plot
        moment = plot.moment(x)
        self._zoom = min(max(self._zoom * factor, 1.0), plot.closest)
        self._measure()
        plot = self._plot
        self.horizontalScrollBar().setValue(plot.along + round(plot.x(moment) - x))
        self.viewport().update()

    def fit(self) -> None:
        """Show all of it."""
        self._zoom = 1.0
        self._measure()

    def _middle(self) -> float:
        """Where keys zoom: at the current bar when it can be seen, else in the middle."""
        bar, plot = self.current, self._plot
        x = plot.x(bar.began) if bar is not None else -1.0
        return x if plot.holds(x) else NAMES + PAD + plot.room / 2

    # --- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _ZOOM)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.opened.emit(self.current)
        elif key in _STEPS:
            self._step(*_STEPS[Qt.Key(key)])
        else:
            super().keyPressEvent(event)

    def _step(self, along: int, down: int) -> None:
        """To the bar before or after in the lane (`along`), or into the lane above or below.

        Up leads to what was begun before, down to what came after: from a request to its calls, and back.
        """
        lanes = [at for at, row in enumerate(self._rows) if row.lane is not None and row.lane.bars]
        if not lanes:
            return
        if self._at is None:
            self._go_to(lanes[0], 0)
            return
        row, place = self._at
        lane = self._rows[row].lane
        if down:
            here = lanes.index(row)
            target = lanes[min(max(here + down, 0), len(lanes) - 1)]
            other = self._rows[target].lane
            bar = self.current
            if other is not None and bar is not None and target != row:
                self._go_to(target, other.place_by(bar.began, after=down > 0))
        elif lane is not None:
            self._go_to(row, min(max(place + along, 0), len(lane.bars) - 1))

    def _go_to(self, row: int, place: int) -> None:
        self._at = (row, place)
        bar = self.current
        if bar is None:
            return
        top = row * ROW
        down = self.verticalScrollBar()
        if top < down.value() or top + 2 * ROW > down.value() + self.viewport().height():
            down.setValue(top - ROW)
        plot = self._plot
        left, right = plot.x(bar.began), plot.x(bar.end(self.now()))
        start, end = NAMES + PAD, plot.width - SUMS - PAD
        if left < start or (right > end and left > start + 24):
            self.horizontalScrollBar().setValue(plot.along + round(left - start - (end - start) / 4))
        self._hovered = None
        self.told.emit(bar)
        self.viewport().update()

    def focusInEvent(self, event: QEvent) -> None:
        if self._at is None:
            self._step(0, 0)
        self.viewport().update()

    def focusOutEvent(self, event: QEvent) -> None:
        self.viewport().update()

    # --- the pointer

    def _hit(self, point: QPoint) -> tuple[int, int] | None:
        at = (point.y() - ROW + self.verticalScrollBar().value()) // ROW
        plot = self._plot
        if point.y() < ROW or not 0 <= at < len(self._rows) or not plot.holds(point.x()):
            return None
        lane = self._rows[at].lane
        if lane is None:
            return None
        hits = plot.around(lane, point.x(), _NEAR)
        if not hits:
            return None
        inside = [one for one in hits if one.left <= point.x() <= one.right]
        return at, lane.bars.index((inside or hits)[-1].bar)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position().toPoint())
        if hit is not None and event.button() is Qt.MouseButton.LeftButton:
            self._go_to(*hit)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._hit(event.position().toPoint()) is not None and self.current is not None:
            self.opened.emit(self.current)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position().toPoint())
        lane = self._rows[hit[0]].lane if hit else None
        self._set_hovered(lane.bars[hit[1]] if lane is not None and hit else None)

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hovered(None)

    def _set_hovered(self, bar: Bar | None) -> None:
        if bar is not self._hovered:
            self._hovered = bar
            self.told.emit(bar or self.current)
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(_ZOOM if event.angleDelta().y() > 0 else 1 / _ZOOM, event.position().x())
            return
        super().wheelEvent(event)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, timeline, plot = QPainter(self.viewport()), self._timeline, self._plot
        width, height = plot.width, self.viewport().height()
        if timeline is None or not self._rows or not any(True for _ in timeline.bars):
            Line(painter, width, ROW, 8).text(self._empty, 24, width - 48, "ink2")
            return
        first = self.verticalScrollBar().value() // ROW
        last = min(first + height // ROW + 1, len(self._rows) - 1)
        bottom = min(height, ROW + len(self._rows) * ROW - self.verticalScrollBar().value())
        painter.setClipRect(QRect(NAMES, 0, width - NAMES - SUMS, height))
        ruler.grid(painter, plot, bottom)
        for at in range(first, last + 1):
            lane = self._rows[at].lane
            if lane is not None:
                line = Line(painter, width, ROW, self._top(at))
                look.bars(line, plot.in_view(lane), self.current, self._hovered)
        if timeline.is_live:
            look.now_line(painter, plot.x(self.now()), 18, bottom)
        painter.setClipRect(QRect(0, ROW, width, height - ROW))
        for at in range(first, last + 1):
            self._paint_sides(Line(painter, width, ROW, self._top(at)), self._rows[at], timeline)
        painter.setClipping(False)
        ruler.ruler(painter, plot, is_live=timeline.is_live)
        if self.hasFocus() and self._at is None:
            ring(painter, self.viewport().rect())

    def _top(self, at: int) -> int:
        return ROW + at * ROW - self.verticalScrollBar().value()

    def _paint_sides(self, line: Line, row: _Row, timeline: Timeline) -> None:
        if row.lane is not None:
            if row.lane.title and row.group is not None:
                look.lane_name(line, row.lane.title, row.group.depth)
            return
        look.row_line(line.painter, line.width, line.top)
        if row.group is None:
            words = "All threads" if timeline.threads > 1 else "Total"
            line.text(words, 24, NAMES - 32, font=theme.body(600))
            look.sums(line, timeline.usage, strong=True)
        else:
            look.group_name(line, row.group)
            look.sums(line, row.group.usage)


_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Home: (-(10**9), 0),
    Qt.Key.Key_End: (10**9, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}

"""The live panel: every call from first sight to result, with what a person can do about it in its row."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStyle, QVBoxLayout, QWidget

from workbench.base.ids import CallId
from workbench.domain.calls import Call, CallState, Progress
from workbench.domain.events import Event
from workbench.gui import amounts, paint, theme
from workbench.gui.controls import Button, Ground, Kind, Words, fill, line_of
from workbench.gui.live_model import LiveModel, LiveRow, Row, ThreadRow
from workbench.gui.paint import RIGHT, Line
from workbench.gui.rows import Action, Look, RowPainter, RowView
from workbench.gui.tokens import NESTING, PANEL_GUTTER, SECTION

OUTCOME, ELAPSED = 520, 216
"""Columns counted from the right edge, so that buttons, times and results are found in one place."""
NAME, TEXT = 160, 292

_FRAME_MS = 50


class _Painter(RowPainter[Row]):
    def __init__(self) -> None:
        super().__init__()
        self.turn = 0.0

    def paint_row(self, line: Line, row: Row, look: Look) -> None:
        if isinstance(row, ThreadRow):
            taken = line.text(row.title, 28, 400, font=theme.body(600))
            line.text(amounts.count(row.calls, "call"), 40 + taken, 120, "ink2", theme.small())
            return
        step = min(row.depth, 6) * NESTING
        if row.depth:
            line.painter.fillRect(QRectF(28 + step - 8, 0, 1, line.height), theme.colour("hair"))
        line.mark(row.mark, 30 + step, turn=self.turn)
        line.text(row.mark.word, 50 + step, NAME - 60, row.mark.role)
        line.text(row.tool, NAME + step, TEXT - NAME - step - 12, font=theme.data())
        room = line.width - OUTCOME - 14 - TEXT
        if row.summary:
            line.text(row.summary, TEXT, room)
        else:
            line.text(row.arguments, TEXT, room, "ink2", theme.data())
        self._paint_outcome(line, row)
        elapsed = amounts.duration(_elapsed_ms(row))
        line.text(elapsed, line.width - ELAPSED - 72, 72, align=RIGHT)
        for action in self.actions(row, line.width, look):
            line.button(action.rect, _WORDS[action.id], primary=action.id == "approve")

    def _paint_outcome(self, line: Line, row: LiveRow) -> None:
        x = line.width - OUTCOME
        progress = row.progress
        if row.state is CallState.RUNNING and progress is not None and progress.fraction is not None:
            bar = QRectF(x, line.middle - 2, 96, 4)
            line.painter.fillRect(bar, theme.colour("hair"))
            bar.setWidth(96 * progress.fraction)
            line.painter.fillRect(bar, theme.colour("run"))
            line.text(_of(progress), x + 104, 100, "ink2", theme.small())
        elif row.outcome:
            failed = row.state is not CallState.SUCCEEDED
            font = theme.data() if failed else theme.body()
            line.text(row.outcome, x, OUTCOME - ELAPSED - 84, "ink2", font)

    def actions(self, row: Row, width: int, look: Look) -> Sequence[Action]:
        if isinstance(row, ThreadRow):
            return ()
        right = float(width - PANEL_GUTTER)
        placed: list[Action] = []
        for name in reversed(actions_of(row, near=look.near)):
            taken = int(paint.advance(_WORDS[name], theme.body())) + 16
            right -= taken
            placed.append(Action(name, QRectF(right, 2, taken, 20)))
            right -= 6
        return placed


_WORDS = {
    "stop": "Stop",
    "approve": "Approve",
    "edit": "Edit",
    "reject": "Reject",
    "set": "Set value",
    "details": "Details",
    "again": "Run again",
}


def actions_of(row: LiveRow, *, near: bool) -> Sequence[str]:
    """What can be done about a call now, in the order it is offered."""
    if row.state is CallState.WAITING_FOR_APPROVAL:
        return ("approve", "edit", "reject")
    if row.state is CallState.WAITING_FOR_VARIABLE:
        return ("set", "stop")
    if not row.state.is_final:
        return ("stop",)
    if row.state is CallState.FAILED or near:
        return ("details", "again")
    return ()


def _of(progress: Progress) -> str:
    """`5 of 8`; of a hundred it is a percentage."""
    current, total = progress.current or 0, progress.total or 0
    return f"{current:.0f} %" if total == 100 else f"{round(current, 1):g} of {total:g}"


def _elapsed_ms(row: LiveRow) -> float:
    if row.duration_ms is not None:
        return row.duration_ms
    return max(0.0, (time.time_ns() // 1000 - row.seen_at) / 1000)


class LivePanel(QWidget):
    """The panel along the bottom."""

    acted = Signal(object, str)
    """A `LiveRow` and what to do about it."""
    chosen = Signal(object)
    """The current `LiveRow`, or None."""

    def __init__(self) -> None:
        super().__init__()
        self.model = LiveModel()
        self._painter = _Painter()
        self.view = RowView(self.model, self._painter, name="Live calls", on_window=True)
        self.view.newest_last = True
        self.view.set_empty("Run a tool and its call appears here.")
        self._tally = Words("", "ink2", theme.small())
        self._follow = Button("Following newest", Kind.QUIET, icon="arrow-down", font=theme.small())
        self._clear = Button("Clear finished", Kind.QUIET, font=theme.small())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        title = Words("Live", font=theme.body(600))
        layout.addWidget(
            line_of(
                title, self._tally, None, self._follow, self._clear, margins=(12, 0, 6, 0), height=SECTION
            )
        )
        layout.addWidget(self.view, 1)
        fill(self, Ground.WINDOW)
        self._still = QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME_MS)
        self._clock.timeout.connect(self._tick)
        self._following = True
        self._wanted: CallId | None = None
        """A call to choose as soon as it has a row."""
        self._clear.clicked.connect(self.model.clear_finished)
        self._follow.clicked.connect(self._follow_newest)
        self.view.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.view.moved.connect(self._moved)
        self.view.acted.connect(self.acted)
        self.view.opened.connect(self._opened)

    def apply(self, events: Sequence[Event]) -> None:
        """Show what happened, in one go."""
        following = self._following
        self.model.apply(events)
        running, waiting = self.model.tally()
        said = [f"{running} running"] if running else []
        said += [f"{waiting} waiting for you"] if waiting else []
        self._tally.set_words(", ".join(said))
        if running + waiting and not self._clock.isActive():
            self._clock.start()
        elif not running + waiting:
            self._clock.stop()
        if following:
            self.view.scrollToBottom()
        if self._wanted is not None:
            self.choose(self._wanted)

    def choose(self, call_id: CallId) -> None:
        """Make a call the current one, now or when its row appears."""
        place = self.model.position(call_id)
        self._wanted = call_id if place < 0 else None
        if place >= 0:
            self.view.go_to(place)

    def row_for(self, action: str) -> LiveRow | None:
        """The chosen call if `action` can be done about it now (see `actions_of`), else the newest that it can."""
        chosen = self.view.current()
        if isinstance(chosen, LiveRow) and action in actions_of(chosen, near=True):
            return chosen
        able = (row for row in self.model.calls() if action in actions_of(row, near=True))
        return max(able, key=lambda row: row.seen_at, default=None)

    def refresh_call(self, call: Call) -> None:
        """Take over how a call stands by the history."""
        self.model.take_over(call)
        self.apply(())

    def _tick(self) -> None:
        if not self._still:
            self._painter.turn = (self._painter.turn + _FRAME_MS / 1000) % 1.0
        first = self.view.rowAt(0)
        last = self.view.rowAt(self.view.viewport().height() - 1)
        if first >= 0:
            self.model.touch(first, last if last >= 0 else self.model.count() - 1)

    def _scrolled(self, value: int) -> None:
        self._following = value >= self.view.verticalScrollBar().maximum()
        self._follow.set_words("Following newest" if self._following else "Go to newest")

    def _follow_newest(self) -> None:
        self.view.scrollToBottom()

    def _moved(self, row: Row | None) -> None:
        self.chosen.emit(row if isinstance(row, LiveRow) else None)

    def _opened(self, row: Row) -> None:
        if isinstance(row, LiveRow):
            self.acted.emit(row, "details")

"""The live panel: every call from first sight to result, with what a person can do about it in its row."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import shiboken6
from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QStyle, QVBoxLayout, QWidget

from workbench.app.calls.badges import Badge
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState
from workbench.domain.events import Event
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.row_model import Index
from workbench.gui.controls.row_view import RowView
from workbench.gui.live.live_filter import LiveFilter
from workbench.gui.live.live_head import LiveHead
from workbench.gui.live.live_model import LiveModel
from workbench.gui.live.live_paint import EXPAND, LivePainter
from workbench.gui.live.live_reason import RejectLine
from workbench.gui.live.live_rows import DetailRow, LiveRow, QuestionRow, Row, call_of

_FRAME_MS = 50
_EMPTY = "Run a tool and its call appears here."
_UPWARD = (Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Home)
_SAID = Qt.ItemDataRole.AccessibleTextRole


class _LiveView(RowView[Row]):
    """The list; the arrows to the sides show and hide the lines of a call, copying takes a line's text."""

    turned = Signal(object, bool)
    """A `LiveRow`, and whether to show its lines."""
    went_up = Signal()
    placed = Signal()
    """Rows may lie elsewhere now."""

    def __init__(self, model: LiveModel, painter: LivePainter) -> None:
        self.live = model
        super().__init__(model, painter, name="Live calls", on_window=True)
        self.newest_last = True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.current(), event.key()
        call = call_of(row)
        if call is not None and key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self.turned.emit(call, key == Qt.Key.Key_Right)
        elif row is not None and event.matches(QKeySequence.StandardKey.Copy):
            words = row.text if isinstance(row, DetailRow) else self.model().data(self.currentIndex(), _SAID)
            QApplication.clipboard().setText(str(words))
        else:
            super().keyPressEvent(event)
            if key in _UPWARD:
                self.went_up.emit()

    def rowsAboutToBeRemoved(self, parent: Index, start: int, end: int) -> None:
        """Qt would make a neighbour the current row, which nobody chose: only a line's own call may take over."""
        if start <= self.currentIndex().row() <= end:
            row = self.current()
            place = self.live.place(row.call) if isinstance(row, DetailRow) else -1
            was = self.blockSignals(True)
            self.setCurrentIndex(self.live.index(place, 0) if 0 <= place < start else QModelIndex())
            self.blockSignals(was)
        super().rowsAboutToBeRemoved(parent, start, end)

    def updateGeometries(self) -> None:
        super().updateGeometries()
        self.placed.emit()


class LivePanel(QWidget):
    """The panel along the bottom."""

    acted = Signal(object, str)
    """A `LiveRow` and what to do about it."""
    rejected = Signal(object, str)
    """A `LiveRow` and the reason for rejecting its call."""
    answer_asked = Signal(str)
    """The id of a thread that waits for the person who is its model."""
    chosen = Signal(object)
    """The call that the current row is about (`LiveRow`), or None."""

    def __init__(self) -> None:
        super().__init__()
        self.model = LiveModel()
        self._painter = LivePainter()
        self.view = _LiveView(self.model, self._painter)
        self.head = LiveHead()
        self.reject = RejectLine(self.view.viewport())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.view, 1)
        fill(self, Ground.WINDOW)
        self._still = QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME_MS)
        self._following = True
        self._held: LiveRow | None = None
        """A call whose lines were asked for: its own row stays in view, however many lines it gets."""
        self._settling = False
        """The list is being changed, and where it stands says nothing of what the person wants."""
        self._wanted: CallId | None = None
        """A call to choose as soon as it has a row."""
        self._before: QWidget | None = None
        """Where the keyboard was when a reason was asked for."""
        self._kept: Row | None = None
        """The current row while the list is made anew."""
        self._empty = ""
        self._connect()
        self._say_empty()

    def _connect(self) -> None:
        self._clock.timeout.connect(self._tick)
        self.head.clear_asked.connect(self.clear_finished)
        self.head.follow_asked.connect(self.follow_newest)
        self.head.filtered.connect(self._filter)
        bar = self.view.verticalScrollBar()
        bar.valueChanged.connect(self._scrolled)
        self.view.placed.connect(self._placed)
        self.view.went_up.connect(self._went_up)
        self.view.turned.connect(self._turn)
        self.view.moved.connect(self._moved)
        self.view.acted.connect(self._act)
        self.view.opened.connect(self._opened)
        self.reject.given.connect(self._rejected)
        self.reject.left.connect(self._go_back)
        self.model.modelAboutToBeReset.connect(self._keep_current)
        self.model.modelReset.connect(self._restore_current)

    # --- what happens

    def show_badges(self, of_tools: Mapping[str, Sequence[Badge]]) -> None:
        """What marks each tool as it is now."""
        self._painter.badges = of_tools
        self.view.viewport().update()

    def apply(self, events: Sequence[Event]) -> None:
        """Show what happened, in one go."""
        self._settling = True
        self.model.apply(events)
        self._changed()

    def refresh_call(self, call: Call) -> None:
        """Take over how a call stands by the history."""
        self._settling = True
        self.model.take_over(call)
        self._changed()

    def show_questions(self, waiting: Sequence[ThreadId]) -> None:
        """Show which threads wait for the person who is their model, the longest first."""
        self._settling = True
        self.model.show_questions(waiting, time.time_ns() // 1_000)
        self._changed()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        questions = self.model.questions
        if not questions:
            return {}
        row = self.view.current()
        asking = row if isinstance(row, QuestionRow) else questions[0]
        return {"answer-question": partial(self.answer_asked.emit, asking.thread_id)}

    def _changed(self) -> None:
        self._painter.make_room(self.model.names)
        running, waiting = self.model.tally()
        waiting += len(self.model.questions)
        self.head.show_tally(running, waiting, self.model.failed)
        self.head.show_threads(self.model.threads())
        if running + waiting and not self._clock.isActive():
            self._clock.start()
        elif not running + waiting:
            self._clock.stop()
        self._say_empty()
        if self.reject.row is not None and self.reject.row.state is not CallState.WAITING_FOR_APPROVAL:
            self.reject.leave()
        self._settle()
        if self._wanted is not None:
            self.choose(self._wanted)

    def _settle(self) -> None:
        """After rows came, went or got other room: keep to the newest if that is followed, else to where it is."""
        self._settling = True
        if self._following:
            self.view.scrollToBottom()
            self._hold()
        self._settling = False
        self._show_place()

    def _hold(self) -> None:
        """Go back up as far as the call whose lines are read."""
        place = self.model.place(self._held) if self._held is not None else -1
        index = self.model.index(place, 0)
        if place >= 0 and self.view.visualRect(index).top() < 0:
            self.view.scrollTo(index, _LiveView.ScrollHint.PositionAtTop)

    def _placed(self) -> None:
        if not self._settling:
            self._settle()

    def _went_up(self) -> None:
        """Whoever reads on with the keys is not to be carried away, either."""
        self._following = self._following and self.view.currentIndex().row() == self.model.count() - 1
        self._show_place()

    def _show_place(self) -> None:
        below = 0
        if not self._following:
            last = self.view.rowAt(self.view.viewport().height() - 1)
            below = self.model.calls_after(last) if last >= 0 else 0
        self.head.show_place(following=self._following, below=below)
        self._place_reject()

    def _scrolled(self, value: int) -> None:
        if not self._settling:
            self._following = value >= self.view.verticalScrollBar().maximum()
            self._held = None
        self._show_place()

    # --- what a person does

    def choose(self, call_id: CallId) -> None:
        """Make a call the current one, now or when its row appears."""
        place = self.model.position(call_id)
        if place < 0 and self.model.find(call_id) is not None:
            self.head.show_all()  # whoever asks for a call wants to see it
            place = self.model.position(call_id)
        self._wanted = call_id if place < 0 else None
        if place >= 0:
            self.view.go_to(place)

    def current(self) -> LiveRow | None:
        """The chosen call: that of the current row."""
        return call_of(self.view.current())

    def follow_newest(self) -> None:
        """Go to the newest call and stay with it."""
        self._following, self._held = True, None
        self._settle()

    def clear_finished(self) -> None:
        """Let go of the calls that have ended; the history keeps them."""
        self._settling = True
        self.model.clear_finished()
        self._changed()

    def ask_reason(self, row: LiveRow) -> None:
        """Let the reason for rejecting a call be typed in its row."""
        self._before = QApplication.focusWidget()
        self.choose(row.call_id)
        self.reject.ask(row)
        self._place_reject()
        self.reject.reason.setFocus()

    def _rejected(self, row: LiveRow, reason: str) -> None:
        """Go on with the next call that waits for a yes, else where the person was before."""
        self.rejected.emit(row, reason)
        waits = [one for one in self.model.calls() if one.state is CallState.WAITING_FOR_APPROVAL]
        places = sorted((self.model.place(one), one.call_id) for one in waits if one is not row)
        shown = [one for one in places if one[0] >= 0]
        if shown:
            at = self.model.place(row)
            self.choose(next((call_id for place, call_id in shown if place > at), shown[0][1]))
            self.view.setFocus()

    def _go_back(self) -> None:
        before, self._before = self._before, None
        if before is not None and shiboken6.isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus()
        else:
            self.view.setFocus()

    def _place_reject(self) -> None:
        row = self.reject.row
        if row is None:
            return
        place = self.model.place(row)
        rect = self.view.visualRect(self.model.index(place, 0)) if place >= 0 else None
        seen = rect is not None and rect.intersects(self.view.viewport().rect())
        if rect is not None and seen:
            self.reject.setGeometry(0, rect.y(), self.view.viewport().width(), rect.height())
        self.reject.setVisible(seen)

    def _filter(self, wanted: LiveFilter) -> None:
        self._settling = True
        self.model.set_filter(wanted)
        self._say_empty()
        self._settle()

    def _say_empty(self) -> None:
        some = next(self.model.calls(), None) is not None or bool(self.model.questions)
        words = "No call here matches the filter. Escape in it shows all." if some else _EMPTY
        if words != self._empty:
            self._empty = words
            self.view.set_empty(words)

    def _act(self, row: LiveRow | QuestionRow, action: str) -> None:
        if isinstance(row, QuestionRow):
            self.answer_asked.emit(row.thread_id)
        elif action == EXPAND:
            self._turn(row, not row.expanded)
        elif action == "reject":
            self.ask_reason(row)
        else:
            self.acted.emit(row, action)

    def _turn(self, row: LiveRow, expanded: bool) -> None:
        """Show or hide a call's lines; where there is nothing to hide, go to the call that it is nested in."""
        if not expanded and not row.expanded and row.parent is not None:
            self.choose(row.parent.call_id)
            return
        self._settling = True
        self._held = row if expanded else None
        self.model.expand(row, expanded=expanded)
        self._settle()

    def _moved(self, row: Row | None) -> None:
        self.chosen.emit(call_of(row))

    def _opened(self, row: Row) -> None:
        if isinstance(row, QuestionRow):
            self.answer_asked.emit(row.thread_id)
        call = call_of(row)
        if call is not None:
            self.acted.emit(call, "details")

    # --- how it looks

    def _tick(self) -> None:
        """Only rows of calls that have not ended move."""
        if not self._still:
            self._painter.turn = (self._painter.turn + _FRAME_MS / 1000) % 1.0
        first = self.view.rowAt(0)
        last = self.view.rowAt(self.view.viewport().height() - 1)
        if first < 0 or not self.isVisible():
            return
        for at in range(first, (last if last >= 0 else self.model.count() - 1) + 1):
            row = self.model.row(at)
            if isinstance(row, QuestionRow) or (isinstance(row, LiveRow) and not row.state.is_final):
                self.view.update(self.model.index(at, 0))

    def _keep_current(self) -> None:
        self._kept = self.view.current()

    def _restore_current(self) -> None:
        """A list made anew has no current row; the one that was current still is, if it is there."""
        kept, self._kept = self._kept, None
        place = self.model.place(kept) if kept is not None else -1
        if place >= 0:
            was = self.view.blockSignals(True)  # nothing else is chosen
            self.view.setCurrentIndex(self.model.index(place, 0))
            self.view.blockSignals(was)

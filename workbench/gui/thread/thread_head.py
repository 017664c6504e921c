"""The head of a thread's document: its name and state, what it took, and the ways to stop it and to let it go on."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.domain.calls import CallState
from workbench.domain.pages import ThreadTotals, WaitingBelow
from workbench.domain.threads import Thread, ThreadStatus
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.definition_icons import BADGES
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.thread.thread_forks import ThreadOrigin
from workbench.gui.thread.thread_words import standing
from workbench.gui.thread.work_clock import WorkClock

_TICK_MS = 100
_ROOMY = 620
_GAP = 12
_WORDY = 700
"""Pixels from which a dry run and an instant are told in words; under that their icons have them for tips."""
_CAN_GO_ON = frozenset(
    (ThreadStatus.IDLE, ThreadStatus.STOPPED, ThreadStatus.FAILED, ThreadStatus.AWAITING_HUMAN)
)


class ThreadHead(QWidget):
    """One line. Times run while the thread does."""

    stop_asked = Signal()
    go_on_asked = Signal()
    parent_asked = Signal()
    menu_asked = Signal(QPoint)
    """A place on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self._thread: Thread | None = None
        self._waits: CallState | None = None
        self._asks = False
        self._below: WaitingBelow | None = None
        self._worked = WorkClock()
        self._has_messages = True
        self.parent_thread = Button(
            "Parent", Kind.QUIET, icon="arrow-up", tip="Show the thread that it works for"
        )
        self.parent_thread.setAccessibleName("Show the parent thread")
        self.parent_thread.hide()
        self.origin = ThreadOrigin()
        self.name = Words("", font=theme.body(600))
        self.id = Words("", "ink2", theme.data())
        self.state = Words("", "ink2", theme.small())
        self.dry_run = Words("", "ink2", theme.small(), icon=BADGES["stub"])
        self.as_of = Words("", "ink2", theme.small(), icon="clock")
        self.imported = Words("", "ink2", theme.small(), icon="import")
        self.elapsed = Words("", "ink2", theme.small())
        self.spent = Words("", "ink2", theme.small())
        modes = (self.dry_run, self.as_of, self.imported)
        for words in (self.id, self.state, *modes, self.elapsed, self.spent):
            words.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.stop = Button("Stop", Kind.PLAIN, icon="stop")
        self.go_on = Button("Continue", Kind.PLAIN, icon="play")
        self.more = Button("More", Kind.QUIET, arrow=True)
        self.stop.hide()
        self.go_on.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for words in modes:
            words.hide()
        known = (self.parent_thread, self.name, self.id, self.origin, self.state, *modes)
        pieces = (*known, self.elapsed, self.spent, None)
        buttons = (self.stop, self.go_on, self.more)
        margins = (DOCUMENT_GUTTER, 0, 18, 0)
        layout.addWidget(line_of(*pieces, *buttons, margins=margins, gap=_GAP, height=HEADER))
        self._clock = QTimer(self)
        self._clock.setInterval(_TICK_MS)
        self._clock.timeout.connect(self._show_elapsed)
        self.parent_thread.clicked.connect(self.parent_asked)
        self.stop.clicked.connect(self.stop_asked)
        self.go_on.clicked.connect(self.go_on_asked)
        self.more.clicked.connect(
            lambda: self.menu_asked.emit(self.more.mapToGlobal(QPoint(0, self.more.height())))
        )

    def show_title(self, title: str, *, has_messages: bool) -> None:
        self._has_messages = has_messages
        self.name.set_words(title)
        if self._thread is not None:
            self.show_thread(self._thread)

    def show_thread(self, thread: Thread, *, waits: CallState | None = None, asks: bool = False) -> None:
        """`waits` and `asks` as for `standing`."""
        self._thread, self._waits, self._asks = thread, waits, asks
        self.parent_thread.setVisible(thread.parent_id is not None)
        self.id.set_words(thread.id[-6:])
        self.id.setToolTip(thread.id)
        self._show_mode(thread)
        self._show_standing(thread)
        running = thread.status in (ThreadStatus.RUNNING, ThreadStatus.WAITING)
        self._move_focus(running=running)
        self.stop.setVisible(running)
        self.go_on.setVisible(thread.status in _CAN_GO_ON)
        self.go_on.setToolTip("Let the side whose turn it is work on, without a message")
        works = thread.status is ThreadStatus.RUNNING and waits is None and not asks
        self._worked.run(running=works)
        if works is not self._clock.isActive():
            self._clock.start() if works else self._clock.stop()
        self._show_elapsed()

    def _show_standing(self, thread: Thread) -> None:
        """Where there is little room the name comes first: what is waited for below is the tip of the mark's word."""
        is_new = not self._has_messages
        stands = standing(thread, is_new=is_new, waits=self._waits, asks=self._asks, below=self._below)
        failed = thread.status is ThreadStatus.FAILED  # why is told below the head
        is_cut = self.width() < _ROOMY and self._below is not None
        self.state.set_words(
            stands.word if failed or is_cut else stands.words, role=stands.mark.role, mark=stands.mark
        )
        if is_cut:
            self.state.setToolTip(stands.words)
            self.state.setAccessibleName(stands.words)

    async def read_origin(self, session: Session, thread: Thread) -> None:
        """Tell what it was forked from, if it was."""
        await self.origin.read(session, thread)
        self._show_mode(thread)

    def _show_mode(self, thread: Thread) -> None:
        """Dry, as of an instant, imported (C10, C11, T24): as much of it as there is room for beside the rest."""
        came = thread.imported
        self.dry_run.setVisible(thread.dry_run)
        self.as_of.setVisible(thread.as_of is not None)
        self.imported.setVisible(came is not None)
        when = amounts.moment(came.at) if came is not None else ""
        in_words, taken = self.width() >= _WORDY, 0
        for part, words, tip in (
            (self.dry_run, "Dry run", "only what reads is run; every other call is answered with its stub"),
            (self.as_of, f"As of {thread.as_of}", "its arguments that are bounds in time must be no later"),
            (self.imported, f"Imported from {came.project if came else ''}", f"it came in a file, {when}"),
        ):
            part.set_words(words if in_words else "")
            part.setAccessibleName(words)
            part.setToolTip(f"{words}: {tip}")
            taken += 0 if part.isHidden() else part.sizeHint().width() + _GAP
        self.origin.spare_words(spared=not in_words)
        taken += 0 if self.origin.isHidden() else self.origin.sizeHint().width() + _GAP
        for part in (self.id, self.elapsed, self.spent):
            part.setVisible(self.width() >= _ROOMY + taken)

    def _move_focus(self, *, running: bool) -> None:
        """A button that goes away with the focus hands it on to the one in its place."""
        leaves, comes = (self.go_on, self.stop) if running else (self.stop, self.go_on)
        if leaves.hasFocus():
            comes.show()
            comes.setFocus()

    def show_totals(self, totals: ThreadTotals) -> None:
        """How long it worked, tokens and cost, children's among these, and which call below waits for a person."""
        if totals.waits_below != self._below:
            self._below = totals.waits_below
            if self._thread is not None:
                self.show_thread(self._thread, waits=self._waits, asks=self._asks)
        self._worked.take(totals.worked_ms)
        self._show_elapsed()
        usage = totals.usage
        tokens = usage.input_tokens + usage.output_tokens
        said = [f"{tokens:,} tokens"] if tokens else []
        said += [f"${usage.cost:.4f}"] if usage.cost is not None else []
        self.spent.set_words("   ".join(said))
        about = (
            f"{usage.input_tokens:,} in, {usage.output_tokens:,} out, {usage.cached_tokens:,} from the cache"
        )
        below = f", of {totals.threads:,} threads" if totals.threads > 1 else ""
        self.spent.setToolTip(f"{about}; {amounts.count(totals.requests, 'request')}{below}")

    def _show_elapsed(self) -> None:
        worked = self._worked.milliseconds
        words = amounts.duration(worked) if worked else ""
        if words != self.elapsed.words:
            self.elapsed.set_words(words)
            self.elapsed.setToolTip("How long it was at work, its waits for a person left out")
            # What stands behind it keeps its place while the figures change.
            self.elapsed.setMinimumWidth(max(self.elapsed.minimumWidth(), self.elapsed.sizeHint().width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._thread is not None:
            self._show_mode(self._thread)
            self._show_standing(self._thread)

"""The timeline's page of a thread: the canvas, the words about a bar, and how it follows the history."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.app.runs.bars import Bar, Standing, Timeline, Work
from workbench.app.runs.timeline import read_timeline
from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.domain.events import AnswerChunk, CallArguments, CallLogged, CallProgressed, CodeLogged, Event
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER, ROW
from workbench.gui.thread import timeline_paint
from workbench.gui.thread.timeline_canvas import TimelineCanvas

_ZOOM = 1.5
_SOONEST_MS = 200
"""Between two looks at the history, while things happen; more when a look takes long."""
_SETTLED_MS = 700
"""After the last of what happened all of it is kept: what is told of is not always on disk at once."""
_UNTOLD = (AnswerChunk, CallArguments, CallLogged, CallProgressed, CodeLogged)
"""What happens without moving a bar."""


class TimelineView(QWidget):
    """Reads the history of a thread and all below it, again whenever a bar of it may have moved."""

    call_asked = Signal(str)
    """The id of a call to be shown."""
    request_asked = Signal(str, str)
    """The ids of a thread and of one of its requests, to be shown."""
    loaded = Signal(object)
    """The `Timeline` as it is now."""

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._threads: frozenset[ThreadId] = frozenset({thread_id})
        self._stale = True
        self._reading = False
        self.canvas = TimelineCanvas()
        self.canvas.set_empty("Nothing has run in this thread yet. Send it a message.")
        self._said = Words("", "ink2", theme.small())
        self._tells = Words("", "ink2")
        buttons = [
            Button("", Kind.QUIET, icon="minus", tip="Zoom out (−)"),
            Button("", Kind.QUIET, icon="plus", tip="Zoom in (+)"),
            Button("Fit", Kind.QUIET, tip="Show all of it (0)"),
        ]
        for button, name in zip(buttons, ("zoom-out", "zoom-in", "zoom-all"), strict=True):
            button.clicked.connect(partial(self._do_offered, name))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        margins = (DOCUMENT_GUTTER, 0, 12, 0)
        layout.addWidget(
            line_of(self._said, None, _Legend(), 12, *buttons, margins=margins, gap=4, height=HEADER)
        )
        layout.addWidget(Hairline())
        layout.addWidget(self.canvas, 1)
        layout.addWidget(Hairline())
        layout.addWidget(line_of(self._tells, margins=(DOCUMENT_GUTTER, 0, 12, 0), height=ROW))
        fill(self, Ground.BASE)
        self.setFocusProxy(self.canvas)
        for before, after in pairwise((self.canvas, *buttons)):
            QWidget.setTabOrder(before, after)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_SOONEST_MS)
        self._pause.timeout.connect(self._read_if_stale)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLED_MS)
        self._settle.timeout.connect(self.reload)
        self.canvas.told.connect(self._tell)
        self.canvas.opened.connect(self._open)
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self.reload)
        self.reload()

    def reload(self) -> None:
        """Read it again, soon."""
        self._stale = True
        if not self._pause.isActive() and not self._reading:
            self._read_if_stale()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        closer, further = partial(self.canvas.zoom, _ZOOM), partial(self.canvas.zoom, 1 / _ZOOM)
        return {"zoom-in": closer, "zoom-out": further, "zoom-all": self.canvas.fit}

    def _do_offered(self, name: str) -> None:
        self.offers()[name]()

    def _read_if_stale(self) -> None:
        if self._stale and not self._reading:
            self._stale, self._reading = False, True
            self._session.do(self._read(), self)

    async def _read(self) -> None:
        began = time.monotonic()
        try:
            timeline = await self._session.ask(lambda wb: read_timeline(wb, self._thread_id))
            self._show(timeline)
        finally:
            self._reading = False
            spent = round((time.monotonic() - began) * 1000)
            self._pause.start(max(_SOONEST_MS, 4 * spent))

    def _show(self, timeline: Timeline) -> None:
        self._threads = frozenset({self._thread_id, *(group.thread_id for group in timeline.groups)})
        self.canvas.show_timeline(timeline)
        count = sum(1 for bar in timeline.bars if bar.work is not Work.PERSON)
        words = [amounts.duration((timeline.ended - timeline.began) / 1000)] if count else []
        if timeline.threads > 1:
            words.append(amounts.count(timeline.threads, "thread"))
        failed = sum(1 for bar in timeline.bars if bar.standing is Standing.FAILED)
        if failed:
            words.append(f"{failed:,} failed")
        self._said.set_words(", ".join(words))
        self.loaded.emit(timeline)

    def _happened(self, events: list[Event]) -> None:
        if any(event.thread_id in self._threads and not isinstance(event, _UNTOLD) for event in events):
            self.reload()
            self._settle.start()

    def _changed(self, changes: Changes) -> None:
        if changes.history or changes.questions or self._threads & changes.threads:
            self.reload()

    def _open(self, bar: Bar) -> None:
        if bar.work is Work.MODEL:
            self.request_asked.emit(bar.thread_id, bar.id)
        elif bar.id:
            self.call_asked.emit(bar.id)

    def _tell(self, bar: Bar | None) -> None:
        words = said_of(bar, self.canvas.now(), self.canvas.elapsed(bar)) if bar is not None else ""
        self._tells.set_words(words)
        self._tells.set_mark(timeline_paint.MARKS[bar.standing] if bar is not None else None)
        self.canvas.setAccessibleDescription(words)


def said_of(bar: Bar, now: int, elapsed: int) -> str:
    """A bar in words: what it was, how it stood, how long it took and when it began."""
    what = f"Request {bar.label}" if bar.work is Work.MODEL else bar.label
    took = amounts.duration((bar.end(now) - bar.began) / 1000)
    began = f"after {amounts.duration(elapsed / 1000)} ({amounts.moment(bar.began)})"
    parts = [what, bar.standing.value.lower(), took, began, bar.note]
    return ", ".join(part for part in parts if part)


class _Legend(QWidget):
    """What the shapes stand for."""

    _SHOWN = (
        (Work.MODEL, Standing.SUCCEEDED, "Model"),
        (Work.TOOL, Standing.SUCCEEDED, "Tool"),
        (Work.TOOL, Standing.RUNNING, "Running"),
        (Work.PERSON, Standing.WAITING, "Waiting"),
        (Work.TOOL, Standing.FAILED, "Failed"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(
            "Filled: a model. Outlined: a tool. Blue: running. Dashed: waiting. Cross: failed."
        )

    def sizeHint(self) -> QSize:
        return QSize(int(sum(self._width(words) for _, _, words in self._SHOWN)) + 2, ROW)

    def _width(self, words: str) -> float:
        return 14 + 6 + paint.advance(words, theme.small()) + 16

    def paintEvent(self, event: QPaintEvent) -> None:
        line = Line(QPainter(self), self.width(), ROW)
        x = 0.0
        for work, standing, words in self._SHOWN:
            timeline_paint.sample(line.painter, QRectF(x, line.middle - 4.5, 14, 9), work, standing)
            line.text(words, x + 20, 80, "ink2", theme.small())
            x += self._width(words)
        line.painter.end()

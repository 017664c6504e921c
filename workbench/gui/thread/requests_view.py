"""The page of a thread's requests to models: the list, and the one that is looked at below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.domain.events import AttemptFailed, Event, StepEnded, StepStarted
from workbench.domain.requests import Request, RequestState
from workbench.gui.controls.heads import Heads
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill
from workbench.gui.controls.row_view import RowView
from workbench.gui.session.session import Session
from workbench.gui.thread.request_detail import RequestDetail
from workbench.gui.thread.requests_list import HEADS, RequestsModel, RequestsPainter
from workbench.gui.thread.split import split

_PAUSE_MS = 200
_CLOCK_MS = 250


class RequestsView(QWidget):
    """Follows the thread while it runs: new requests come below, the chosen one stays."""

    counted = Signal(int)
    """How many requests there are."""

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._wanted = ""
        self.model = RequestsModel()
        self.list = RowView(self.model, RequestsPainter(self.model), name="Requests")
        self.list.newest_last = True
        self.list.set_empty("No model was asked yet. Send the thread a message.")
        self.detail = RequestDetail(session)
        self._below = column_of(Hairline(), self.detail)
        self._below.hide()
        above = column_of(Heads(HEADS, self.list), self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split(Qt.Orientation.Vertical, above, self._below, 180, 360))
        fill(self, Ground.BASE)
        self.setFocusProxy(self.list)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: session.do(self._read(), self))
        self._clock = QTimer(self)
        self._clock.setInterval(_CLOCK_MS)
        self._clock.timeout.connect(self.list.viewport().update)
        self.list.moved.connect(self._moved)
        self.list.opened.connect(lambda _: self.detail.setFocus())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self.reload)
        session.do(self._read(), self)

    def reload(self) -> None:
        """Read them again, soon."""
        if not self._pause.isActive():
            self._pause.start()

    def choose(self, request_id: str) -> None:
        """Make a request the current one, now or when it is there."""
        self._wanted = request_id
        at = self.model.place(request_id)
        if at is not None:
            self._wanted = ""
            self.list.go_to(at)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return self.detail.offers() if self.detail.isVisibleTo(self) else {}

    async def _read(self) -> None:
        found = await self._session.ask(lambda wb: wb.threads.requests(self._thread_id))
        first = not self.model.count() and bool(found)
        self.model.show(found)
        self.counted.emit(len(found))
        self._below.setVisible(bool(found))
        running = any(request.state is RequestState.RUNNING for request in found)
        self._clock.start() if running else self._clock.stop()
        if self._wanted:
            self.choose(self._wanted)
        elif first:
            self.list.go_to(len(found) - 1)
            # Once the request has got its place below, which leaves less for the list.
            QTimer.singleShot(0, self.list, lambda: self.list.scrollTo(self.list.currentIndex()))
        current = self.list.current()
        if current is not None:
            self._moved(current)

    def _moved(self, request: Request | None) -> None:
        if request is not None:
            self.detail.show_request(request, self.model.rows)

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            told = isinstance(event, StepStarted | StepEnded | AttemptFailed)
            if told and event.thread_id == self._thread_id:
                self.reload()

    def _changed(self, changes: Changes) -> None:
        if changes.history or self._thread_id in changes.threads:
            self.reload()

"""One request to a model, whole: its parts, the exact JSON, what changed since the one before, its attempts."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app import Workbench
from workbench.app.runs.request_changes import numbers_of, one_before
from workbench.app.runs.request_parts import exact_json, parts_of
from workbench.base.errors import BugError
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.domain.model_requests import ModelRequest
from workbench.domain.requests import Request
from workbench.domain.threads import Message
from workbench.gui.commands.offering import Offering
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.sections import copy
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.results.result_view import ResultView
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.thread.request_attempts import RequestAttempts
from workbench.gui.thread.request_changes_view import RequestChanges
from workbench.gui.thread.request_parts_view import RequestParts
from workbench.gui.thread.requests_list import MARKS, WORDS


class Face(IntEnum):
    PARTS = 0
    JSON = 1
    CHANGES = 2
    ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Whole:
    """A request with what was sent and what came of it; `asked` None while nothing was sent."""

    asked: ModelRequest | None
    answer: Message | None
    before: Request | None
    asked_before: ModelRequest | None


class RequestDetail(QWidget):
    """Reads what it shows when it is asked to, and again when the request has moved on."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.request: Request | None = None
        self._asked: ModelRequest | None = None
        self._before = ""
        """What the request is called that it is compared with."""
        self._title = Words("", font=theme.body(600))
        self._state = Words("", "ink2")
        self.faces = Segments(["Parts", "JSON", "Changes", "Attempts"], 0, name="View of the request")
        self.copy_json = Button("Copy JSON", Kind.QUIET, icon="copy")
        self.copy_curl = Button("Copy as curl", Kind.QUIET, icon="copy", tip="Its key stands as a variable")
        self.parts = RequestParts(self._do)
        self.json = ResultView(_no_file, self._do)
        self.changes = RequestChanges()
        self.attempts = RequestAttempts()
        self.pages = QStackedWidget()
        self._of_faces = (self.parts, self.json, self.changes, self.attempts)
        for page in self._of_faces:
            self.pages.addWidget(page)
        margins = (DOCUMENT_GUTTER, 0, 12, 0)
        buttons = (self.copy_json, self.copy_curl, 6, self.faces)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(
            line_of(self._title, self._state, None, *buttons, margins=margins, gap=8, height=HEADER)
        )
        layout.addWidget(Hairline())
        layout.addWidget(self.pages, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.parts)
        self.faces.chosen.connect(self.turn_to)
        self.copy_json.clicked.connect(self._copy_json)
        self.copy_curl.clicked.connect(lambda: self._do(self._copy_curl()))

    def show_request(self, request: Request, all_of_thread: Sequence[Request]) -> None:
        """Show this one; `all_of_thread` has the one to compare it with."""
        if request == self.request:
            return
        is_another = self.request is None or self.request.id != request.id
        self.request = request
        mark = MARKS[request.state]
        numbers = numbers_of(all_of_thread)
        before = one_before(all_of_thread, request)
        self._before = f"request {numbers[before.id]}" if before is not None else ""
        self._title.set_words(f"Request {numbers[request.id]}, {request.prompt}")
        self._state.set_words(WORDS[request.state], role=mark.role, mark=mark)
        self.attempts.show_request(request)
        self._do(self._read(request, before, is_another=is_another))

    async def _read(self, request: Request, before: Request | None, *, is_another: bool) -> None:
        async def read(wb: Workbench) -> _Whole:
            answer = await wb.store.message(request.message_id) if request.message_id else None
            return _Whole(
                await wb.store.asked(request.id),
                answer,
                before,
                await wb.store.asked(before.id) if before is not None else None,
            )

        whole = await self._session.ask(read)
        if self.request is not None and self.request.id == request.id:
            self._show(request, whole, keep=not is_another)

    def _show(self, request: Request, whole: _Whole, *, keep: bool) -> None:
        asked = self._asked = whole.asked
        for button in (self.copy_json, self.copy_curl):
            button.setEnabled(asked is not None)
        if asked is None:
            self.parts.show_parts(())
            self.json.show_result(ToolResult(text=""), can_compare=False)
            self.changes.show_first()
            return
        self.parts.show_parts(parts_of(asked, request, whole.answer))
        if not keep:
            self.json.show_result(ToolResult(json_text=exact_json(asked)), "request", can_compare=False)
        if whole.before is None or whole.asked_before is None:
            self.changes.show_first()
        elif not keep:
            self.changes.compare(whole.asked_before, asked, self._before)

    def turn_to(self, face: int) -> None:
        """Show another view of the request."""
        self.faces.set_current(face)
        self.pages.setCurrentIndex(face)
        self.setFocusProxy(self._of_faces[face])

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        front = self.pages.currentWidget()
        ways: Mapping[str, Callable[[], None]] = front.offers() if isinstance(front, Offering) else {}
        if self._asked is None:
            return ways
        return {**ways, "copy-request": self.copy_json.click, "copy-request-curl": self.copy_curl.click}

    def _copy_json(self) -> None:
        if self._asked is not None:
            copy(exact_json(self._asked, indent=2))
            self._session.tell("Copied the request as JSON")

    async def _copy_curl(self) -> None:
        request, asked = self.request, self._asked
        if request is not None and asked is not None:
            copy(await self._session.ask(lambda wb: wb.models.curl(request, asked)))
            self._session.tell("Copied as curl; the key stands as a variable")

    def _do(self, work: Coroutine[object, object, object]) -> object:
        return self._session.do(work, self)


async def _no_file(ref: AttachmentRef) -> bytes:
    raise BugError(f"A request as JSON has no files, but {ref.name} was asked for.")

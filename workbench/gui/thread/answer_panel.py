"""You are the model: where a request of a thread waits for a person, who writes its answer in words and calls."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.app.threads.model_desk import OpenQuestion
from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import Ground, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, Work
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER
from workbench.gui.thread.answer_calls import AnswerCalls
from workbench.gui.thread.message_box import MessageField

_DRAFT_MS = 800


class AnswerPanel(QWidget):
    """Shown while a question of its thread waits. What is written is kept as a draft until it is sent or declined."""

    appeared = Signal(bool)
    """Whether a question waits now."""
    request_asked = Signal(str)
    """The id of the request that waits, to be shown as it was sent."""

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self.question: OpenQuestion | None = None
        self._looked_for = ""
        """The id of the question that is shown, or is about to be."""
        self._sending = False
        self.head = _Head()
        self.field = MessageField("Answer as the model")
        self.calls = AnswerCalls()
        self.send = Button("Send answer", Kind.PRIMARY, shortcut="Ctrl+Enter")
        self.decline = Button("Decline…")
        self._note = Words("", "ink2", theme.small())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout.addWidget(self.head)
        layout.addWidget(line_of(self.field, margins=(DOCUMENT_GUTTER, 4, DOCUMENT_GUTTER, 0)))
        layout.addWidget(self.calls, 1)
        layout.addWidget(line_of(self._note, None, self.decline, self.send, margins=margins))
        fill(self, Ground.BASE)
        self.setFocusProxy(self.field)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_DRAFT_MS)
        self._pause.timeout.connect(self._keep)
        self.hide()
        self.head.show_request.clicked.connect(self._show_request)
        self.send.clicked.connect(self._give)
        self.field.sent.connect(self._give)
        self.decline.clicked.connect(self._ask_to_decline)
        self.field.textChanged.connect(self._changed)
        self.calls.changed.connect(self._changed)
        session.changed.connect(self._follow)
        session.do(self._look(), self)

    def keep_now(self) -> None:
        """Keep at once what waits for a pause in typing."""
        if self._pause.isActive():
            self._pause.stop()
            self._keep()

    # --- the question

    def _follow(self, changes: Changes) -> None:
        if changes.questions:
            self._session.do(self._look(), self)

    async def _look(self) -> None:
        found = await self._session.ask(lambda wb: wb.models.questions())
        question = next((one for one in found if one.thread_id == self._thread_id), None)
        now = question.id if question else ""
        if now == self._looked_for:
            return
        # Until its draft is there, what stands in the field belongs to no question and can be sent to none.
        self._looked_for, self.question = now, None
        self._pause.stop()
        if question is not None:
            draft = await self._session.ask(lambda wb: wb.models.draft(question)) or {}
            if self._looked_for != now:
                return
            self._show(question, draft)
        self.question = question
        self.setVisible(question is not None)
        self.appeared.emit(question is not None)

    def _show(self, question: OpenQuestion, draft: Mapping[str, object]) -> None:
        request = question.request
        prompt = request.conversation.rpartition("/")[2]
        self.head.say(f"You are the model that {prompt} asks.")
        self.calls.offer(request.tools)
        self.field.setPlainText(str(draft.get("text", "")))
        self.calls.restore(draft.get("calls"))
        self._pause.stop()
        self._show_send()

    def _show_request(self) -> None:
        if self.question is not None and self.question.request_id is not None:
            self.request_asked.emit(self.question.request_id)

    # --- the answer

    def _changed(self) -> None:
        self._pause.start()
        policy = QSizePolicy.Policy.Expanding if self.calls.model.count() else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        self._show_send()

    def _show_send(self) -> None:
        something = bool(self.field.text.strip() or self.calls.model.count())
        self.send.setEnabled(something)
        self._note.set_words("" if something else "Write a text, add a call, or both.")

    def _give(self) -> None:
        if not self.send.isEnabled() or self.question is None or self._sending:
            return
        if self.calls.calls() is None:
            self.calls.reveal_problem()
            return
        self._session.do(self._answer(self.question), self)

    async def _answer(self, question: OpenQuestion) -> None:
        text, calls = self.field.text, self.calls.calls() or []
        self._pause.stop()
        self._sending = True
        try:
            await self._session.ask(lambda wb: wb.models.answer(question.id, text, calls))
        finally:
            self._sending = False

    def _ask_to_decline(self) -> None:
        question = self.question
        if question is None:
            return
        dialog = Ask(self, "Decline to answer?", "The step fails, and no other model is asked.")
        reason = LineField("Why, for the history", mono=False)
        reason.setAccessibleName("Why")
        dialog.body.addWidget(reason)

        def decline() -> Work:
            self._pause.stop()
            return self._session.ask(lambda wb: wb.models.decline(question.id, reason.text().strip()))

        (button,) = dialog.offer_attempts(("Decline", Kind.PRIMARY, decline))
        reason.returnPressed.connect(button.click)
        dialog.open()
        reason.setFocus()

    def _keep(self) -> None:
        question = self.question
        if question is not None:
            draft = {"text": self.field.text, "calls": self.calls.to_draft()}
            self._session.do(self._session.ask(lambda wb: wb.models.keep_draft(question, draft)))


class _Head(QWidget):
    """That a person is waited for, on the ground of what needs action."""

    def __init__(self) -> None:
        super().__init__()
        self._words = Words("", "warn", mark=Mark.NEEDS_APPROVAL)
        self.show_request = Button("Show what was asked", Kind.LINK)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout.addWidget(line_of(self._words, self.show_request, None, margins=margins, gap=12, height=BAND))

    def say(self, words: str) -> None:
        self._words.set_words(words)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour("warnbg"))
        painter.end()

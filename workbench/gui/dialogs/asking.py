"""Dialogs for a decision: they are opened beside the window's work, which goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence

import shiboken6
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.app.results.characters import revealed_in_json
from workbench.base.errors import WorkbenchError
from workbench.base.exact_json import JsonError, dump, parse_object
from workbench.base.ids import CallId
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField, set_state
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.texts import Grammar, Highlighter, exact_text, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark

Work = Coroutine[object, object, object]
_REFUSAL_LINE = 18
_NAMED = 3


class Refusal(QWidget):
    """Why an answer was not taken, and what to do: two lines that have their place also while there is nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._message = Words("", "err", theme.small(), height=_REFUSAL_LINE)
        self._hint = Words("", "ink2", theme.small(), height=_REFUSAL_LINE)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._message)
        layout.addWidget(self._hint)

    @property
    def words(self) -> str:
        """Both lines, "" when nothing was refused."""
        return "\n".join(words for words in (self._message.words, self._hint.words) if words)

    def show_words(self, message: str = "", hint: str = "") -> None:
        """A message of several lines is a head and its points; the points then stand in the place of the hint."""
        head, *points = message.splitlines() or [""]
        self._message.set_words(head)
        self._message.set_mark(Mark.FAILED if head else None)
        self._hint.set_words("; ".join(point.strip().removeprefix("- ") for point in points) or hint)


class Ask(QDialog):
    """A question with buttons. Escape answers nothing."""

    def __init__(self, parent: QWidget, title: str, words: str = "", *, width: int = 440) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(width)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(20, 16, 20, 16)
        self.body.setSpacing(8)
        self.refusal = Refusal()
        self._attempt: asyncio.Task[None] | None = None
        self.body.addWidget(Words(title, font=theme.body(600)))
        if words:
            self.body.addWidget(Words(words, "ink2"))

    def paintEvent(self, event: QPaintEvent) -> None:
        """An edge of its own, for desktops that give dialogs none."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(theme.colour("edge"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def offer(self, *buttons: tuple[str, Kind, Callable[[], None]], leave: str = "Cancel") -> list[Button]:
        """The answers, the primary last; each closes the dialog and then does its work. `leave` does nothing."""
        return self._place(*((words, kind, _answer(self, do)) for words, kind, do in buttons), leave=leave)

    def offer_attempts(self, *buttons: tuple[str, Kind, Callable[[], Work]]) -> list[Button]:
        """Answers that may be refused: the dialog closes when one was taken, and stays with the words when not."""
        self.body.addWidget(self.refusal)
        return self._place(*((words, kind, _attempt(self, do)) for words, kind, do in buttons))

    def on_ctrl_enter(self, do: Callable[[], None]) -> None:
        """Do this when Ctrl+Enter is pressed, wherever in it the keyboard is."""
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, do)

    def attempt(self, work: Callable[[], Work]) -> None:
        """Try an answer, one at a time."""
        if self._attempt is None or self._attempt.done():
            self._attempt = asyncio.ensure_future(self._try(work()))

    async def _try(self, work: Work) -> None:
        try:
            await work
        except WorkbenchError as error:
            if shiboken6.isValid(self):
                self.refusal.show_words(error.message, error.hint)
        else:
            if shiboken6.isValid(self):
                self.accept()

    def _place(self, *buttons: tuple[str, Kind, Callable[[], None]], leave: str = "Cancel") -> list[Button]:
        made: list[Button] = []
        for words, kind, do in buttons:
            button = Button(words, kind)
            button.clicked.connect(do)
            made.append(button)
        nothing = Button(leave, Kind.QUIET)
        nothing.clicked.connect(self.reject)
        self.body.addSpacing(8)
        self.body.addWidget(line_of(None, nothing, *made, gap=8))
        return made


def _answer(dialog: QDialog, do: Callable[[], None]) -> Callable[[], None]:
    def answer() -> None:
        dialog.accept()
        do()

    return answer


def _attempt(dialog: Ask, do: Callable[[], Work]) -> Callable[[], None]:
    return lambda: dialog.attempt(do)


def _at_work_words(running: int, waiting: int) -> str:
    runs = (
        "1 call, thread or code pad is still running"
        if running == 1
        else f"{running} calls, threads and code pads are still running"
    )
    waits = "1 call waits for you" if waiting == 1 else f"{waiting} calls wait for you"
    return ", ".join(words for words, count in ((runs, running), (waits, waiting)) if count)


class AskToClose(Ask):
    """Something runs or waits: stop it and close, or stay.

    `at_work` is how much of it runs, and how many calls wait for the person; `unsaved` names the documents whose text
    is kept as a draft.
    """

    def __init__(
        self, parent: QWidget, at_work: tuple[int, int], unsaved: Sequence[str], done: Callable[[], None]
    ) -> None:
        super().__init__(
            parent, _at_work_words(*at_work), "Closing stops what runs and waits. Its history is kept."
        )
        self.said = ""
        """What is said of text that is not saved."""
        if unsaved:
            names = ", ".join(unsaved[:_NAMED]) + (", …" if len(unsaved) > _NAMED else "")
            self.said = f"Not saved, kept as a draft: {names}"
            self.body.addWidget(Words(self.said, "ink2", icon="pencil"))
        (self._stop,) = self.offer(("Stop and close", Kind.PRIMARY, done))
        self._stop.setFocus()

    def answer(self) -> None:
        """Stop and close."""
        self._stop.click()


class ApprovalDialog(Ask):
    """What a call wants to do, to be edited and approved, or rejected with a reason (C12).

    Hidden and look-alike characters stand in it as escapes, which JSON reads the same, and are counted under it.
    `approve` gets the text when it was changed, None when the call is to run as it came.
    """

    def __init__(
        self,
        parent: QWidget,
        tool: str,
        arguments: str,
        *,
        approve: Callable[[bytes | None], Work],
        reject: Callable[[str], Work],
    ) -> None:
        super().__init__(
            parent,
            f"{tool} asks for approval",
            "Edit what it will run with, or say why not. Ctrl+Enter approves.",
            width=560,
        )
        self._text = QPlainTextEdit()
        self._text.setProperty("role", "field")
        self._text.setFont(theme.data())
        self._text.setAccessibleName("Arguments")
        self._text.setFixedHeight(240)
        self._highlighter = Highlighter(self._text.document(), Grammar.JSON)
        self._text.setTabChangesFocus(True)
        self._text.setPlainText(revealed_in_json(pretty_json(arguments)))
        self._shown = self._checked = exact_text(self._text.document())
        self._hidden = Words("", "warn", theme.small(), mark=Mark.WARNING, height=_REFUSAL_LINE)
        self.reason = LineField("Reason, if it is rejected; Enter rejects", mono=False)
        self.reason.setAccessibleName("Reason for rejecting")
        self.body.addWidget(self._text)
        self.body.addWidget(self._hidden)
        self.body.addWidget(self.reason)
        self._do_approve, self._do_reject = approve, reject
        self._wrong = ""
        """What is wrong with the arguments as they are edited."""
        self._warned = False
        self.body.addWidget(self.refusal)
        self._place(("Reject", Kind.PLAIN, self._reject), ("Approve", Kind.PRIMARY, self._approve))
        self.on_ctrl_enter(self._approve)
        self.reason.returnPressed.connect(self._reject)
        self._text.textChanged.connect(self._check)
        self._say_hidden(arguments)
        self._text.setFocus()

    @property
    def said(self) -> str:
        """What is said of hidden characters in the arguments, "" when there are none."""
        return self._hidden.words

    def _say_hidden(self, text: str) -> None:
        words = amounts.hidden_characters(text)
        self._hidden.setVisible(bool(words))
        self._hidden.set_words(words)
        self._text.setAccessibleDescription(words)

    def _approve(self) -> None:
        """The button stays where it is while the arguments are wrong, so that the same keys never mean another one."""
        if self._wrong:
            self.refusal.show_words(self._wrong, "Nothing was approved. Mend the arguments first.")
            self._text.setFocus()
        else:
            self.attempt(lambda: self._do_approve(self._edited()))

    def _reject(self) -> None:
        reason = self.reason.text().strip()
        if reason:
            self.attempt(lambda: self._do_reject(reason))
        else:
            self.refusal.show_words("Say why it is rejected: the model is told.", "Enter then rejects.")
            self.reason.setFocus()

    def reject(self) -> None:
        """Leave the call waiting; an edit is let go of only by whoever leaves twice."""
        if self._edited() is None or self._warned:
            super().reject()
            return
        self._warned = True
        self.refusal.show_words("Your edit would be lost.", "Escape again leaves, and the call still waits.")

    def _edited(self) -> bytes | None:
        text = exact_text(self._text.document())
        return None if text == self._shown else text.encode()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._highlighter.rehighlight()

    def _check(self) -> None:
        text = exact_text(self._text.document())
        if text == self._checked:
            return  # new colours are told as a change, too
        self._checked = text
        self._wrong, self._warned = "", False
        try:
            self._say_hidden(dump(parse_object(text)))
        except JsonError as error:
            self._wrong = error.message
        self.refusal.show_words(self._wrong)
        set_state(self._text, "error" if self._wrong else "")


async def ask_about(call_id: CallId, session: Session, parent: QWidget, *, rejects: bool = False) -> None:
    """Show a call that waits for a yes, to be approved, also with other arguments, or rejected.

    With `rejects` work begins at the reason.
    """
    call = await session.ask(lambda wb: wb.call(call_id))

    async def approve(data: bytes | None) -> None:
        await session.ask(lambda wb: wb.decide(call_id, "approve", arguments=data))

    async def reject(reason: str) -> None:
        await session.ask(lambda wb: wb.decide(call_id, "reject", reason=reason))

    dialog = ApprovalDialog(parent, call.tool, call.arguments, approve=approve, reject=reject)
    dialog.open()
    if rejects:
        dialog.reason.setFocus()

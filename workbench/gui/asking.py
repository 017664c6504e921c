"""Dialogs for a decision: they are opened beside the window's work, which goes on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.base.exact_json import JsonError, parse_object
from workbench.gui import theme
from workbench.gui.controls import Button, Kind, Words, line_of
from workbench.gui.fields import LineField, set_state
from workbench.gui.texts import Grammar, Highlighter, exact_text, pretty_json


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
        self.body.addWidget(Words(title, font=theme.body(600)))
        if words:
            self.body.addWidget(Words(words, "ink2"))

    def paintEvent(self, event: QPaintEvent) -> None:
        """An edge of its own, for desktops that give dialogs none."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(theme.colour("edge"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def offer(self, *buttons: tuple[str, Kind, Callable[[], None]]) -> list[Button]:
        """The answers, the primary last; each closes the dialog and then does its work."""
        made: list[Button] = []
        for words, kind, do in buttons:
            button = Button(words, kind)
            button.clicked.connect(_answer(self, do))
            made.append(button)
        leave = Button("Cancel", Kind.QUIET)
        leave.clicked.connect(self.reject)
        self.body.addSpacing(8)
        self.body.addWidget(line_of(None, leave, *made, gap=8))
        return made


def _answer(dialog: QDialog, do: Callable[[], None]) -> Callable[[], None]:
    def answer() -> None:
        dialog.accept()
        do()

    return answer


def ask_name(parent: QWidget, title: str, words: str, ghost: str, done: Callable[[str], None]) -> Ask:
    """Ask for one word."""
    dialog = Ask(parent, title, words)
    field = LineField(ghost)
    field.setAccessibleName(title)
    dialog.body.addWidget(field)
    (button,) = dialog.offer(("Create", Kind.PRIMARY, lambda: done(field.text().strip())))
    button.setEnabled(False)
    field.textChanged.connect(lambda text: button.setEnabled(bool(str(text).strip())))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    field.returnPressed.connect(button.click)
    dialog.open()
    field.setFocus()
    return dialog


class AskToClose(Ask):
    """Calls still run: stop them and close, or stay."""

    def __init__(self, parent: QWidget, running: int, done: Callable[[], None]) -> None:
        words = "1 call is" if running == 1 else f"{running} calls are"
        super().__init__(parent, f"{words} still running", "Closing stops what runs. Its history is kept.")
        (self._stop,) = self.offer(("Stop and close", Kind.PRIMARY, done))
        self._stop.setFocus()

    def answer(self) -> None:
        """Stop and close."""
        self._stop.click()


class ApprovalDialog(Ask):
    """What a call wants to do, to be edited and approved, or rejected with a reason (C12)."""

    def __init__(
        self,
        parent: QWidget,
        tool: str,
        arguments: str,
        *,
        approve: Callable[[bytes], None],
        reject: Callable[[str], None],
    ) -> None:
        super().__init__(
            parent, f"{tool} asks for approval", "Edit what it will run with, or say why not.", width=560
        )
        self._text = QPlainTextEdit()
        self._text.setProperty("role", "field")
        self._text.setFont(theme.data())
        self._text.setAccessibleName("Arguments")
        self._text.setFixedHeight(240)
        self._highlighter = Highlighter(self._text.document(), Grammar.JSON)
        self._text.setPlainText(pretty_json(arguments))
        self._wrong = Words("", "err", theme.small())
        self._reason = LineField("Reason, if it is rejected", mono=False)
        self._reason.setAccessibleName("Reason for rejecting")
        for piece in (self._text, self._wrong, self._reason):
            self.body.addWidget(piece)
        buttons = self.offer(
            ("Reject", Kind.PLAIN, lambda: reject(self._reason.text())),
            ("Approve", Kind.PRIMARY, lambda: approve(exact_text(self._text.document()).encode())),
        )
        self._approve = buttons[1]
        self._text.textChanged.connect(self._check)

    def _check(self) -> None:
        try:
            parse_object(exact_text(self._text.document()))
        except JsonError as error:
            self._wrong.set_words(error.message)
        else:
            self._wrong.set_words("")
        set_state(self._text, "error" if self._wrong.words else "")
        self._approve.setEnabled(not self._wrong.words)

"""Under a thread's head: what it waits for, why it failed, and that its history needs repairs, each with what to do."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.app.conversation.called import Called
from workbench.domain.calls import CallState
from workbench.domain.threads import Thread, ThreadStatus
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.words import Words
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import BAND, DOCUMENT_GUTTER


class ThreadStrip(QWidget):
    """Hidden while there is nothing to say. The words are one line; a longer reason stands in the tool tip."""

    set_asked = Signal(str)
    """The name of a variable to be given a value."""
    call_asked = Signal()
    """The call that waits is to be shown."""
    repairs_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.waits = _Line("warnbg", "warn")
        self.failed = _Line("errbg", "err")
        self.repaired = _Line("warnbg", "warn", "Show them")
        for line in (self.waits, self.failed, self.repaired):
            layout.addWidget(line)
            line.hide()
        self._variable = ""
        self.waits.button.clicked.connect(self._answer)
        self.repaired.button.clicked.connect(self.repairs_asked)
        self.hide()

    def show_thread(self, thread: Thread, waiting: Called | None) -> None:
        """What the thread, or a call of it, waits for; or why it failed."""
        words, button, self._variable = "", "", ""
        if waiting is not None and waiting.state is CallState.WAITING_FOR_APPROVAL:
            words, button = f"{waiting.tool} asks before it runs.", "Show the call"
        elif waiting is not None:
            self._variable = next(iter(waiting.waiting_for), "")
            words, button = f"{waiting.tool} waits for {', '.join(waiting.waiting_for)}.", "Set value"
        elif thread.status is ThreadStatus.WAITING and thread.status_text:
            self._variable = variable_in(thread.status_text)
            words, button = thread.status_text, "Set value" if self._variable else ""
        self.waits.say(
            words, Mark.NEEDS_APPROVAL if button == "Show the call" else Mark.NEEDS_VARIABLE, button
        )
        failed = thread.status_text if thread.status is ThreadStatus.FAILED else ""
        self.failed.say(failed, Mark.FAILED)
        self._show()

    def show_repairs(self, count: int) -> None:
        """How much is changed, in a copy, when the history is sent (T10)."""
        words = f"Models are sent this history with {amounts.count(count, 'repair')}." if count else ""
        self.repaired.say(words, Mark.WARNING, "Show them")
        self._show()

    def _show(self) -> None:
        self.setVisible(any(line.words for line in (self.waits, self.failed, self.repaired)))

    def _answer(self) -> None:
        if self._variable:
            self.set_asked.emit(self._variable)
        else:
            self.call_asked.emit()


class _Line(QWidget):
    """A mark, words, and a link, on a ground that is seen."""

    def __init__(self, ground: str, role: str, button: str = "") -> None:
        super().__init__()
        self._ground = ground
        self._text = Words("", role)
        self.button = Button(button, Kind.LINK)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        layout.setSpacing(12)
        layout.addWidget(self._text)
        layout.addWidget(self.button)
        layout.addStretch(1)
        self.setFixedHeight(BAND)

    @property
    def words(self) -> str:
        return self._text.words

    def say(self, words: str, mark: Mark, button: str = "") -> None:
        """Show words with what to do about them; nothing is said by ""."""
        self._text.set_words(words, mark=mark)
        self.button.set_words(button)
        self.button.setVisible(bool(button))
        self.setVisible(bool(words))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.colour(self._ground))
        painter.end()


def variable_in(words: str) -> str:
    """The first variable that a thread says that it waits for."""
    start = "Waits for "
    return words.removeprefix(start).rstrip(".").split(", ")[0] if words.startswith(start) else ""

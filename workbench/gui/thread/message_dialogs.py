"""Changing what was said: another text, a new message in between, a message less, with what that comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from workbench.app.conversation.changing import Repairs
from workbench.domain.threads import Message, Role
from workbench.gui.controls.button import Kind
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, Work
from workbench.gui.results.diff_view import DiffView
from workbench.gui.style import amounts
from workbench.gui.style.marks import Mark
from workbench.gui.thread.message_box import MessageField

_WIDTH, _HEIGHT = 620, 260
_ROLES = (("User", Role.USER), ("Assistant", Role.ASSISTANT), ("System", Role.SYSTEM))
_NAMED = 6


class _Writing(Ask):
    """A dialog with a text. Ctrl+Enter takes it."""

    def __init__(self, parent: QWidget, title: str, about: str, text: str) -> None:
        super().__init__(parent, title, about, width=_WIDTH)
        self.words = MessageField("Text of the message", height=_HEIGHT)
        self.words.setPlainText(text)

    def _finish(self, verb: str, do: Callable[[], Work]) -> None:
        (self.take,) = self.offer_attempts((verb, Kind.PRIMARY, do))
        self.words.sent.connect(self.take.click)
        self.words.textChanged.connect(self._forget_refusal)
        self.words.setFocus()

    def _forget_refusal(self) -> None:
        self.refusal.show_words()


class EditMessage(_Writing):
    """`keep` is given the new text."""

    def __init__(self, parent: QWidget, message: Message, keep: Callable[[str], Work]) -> None:
        kept = "its calls stay" if message.tool_calls else "requests that were sent stay as they were"
        note = f"Models are sent the new text from now on; {kept}."
        super().__init__(parent, "Edit the message", note, message.content or "")
        self.body.addWidget(self.words)
        self._finish("Keep", lambda: keep(self.words.text))


class InsertMessage(_Writing):
    """`put` is given the text and whose it is."""

    def __init__(self, parent: QWidget, place: str, put: Callable[[str, Role], Work]) -> None:
        super().__init__(parent, "Insert a message", place, "")
        self.roles = Segments([name for name, _ in _ROLES], 0, name="Whose message it is")
        self.body.addWidget(self.roles)
        self.body.addWidget(self.words)
        self._finish("Insert", lambda: put(self.words.text, _ROLES[self.roles.current][1]))


class DeleteMessage(Ask):
    """Names what goes along, so that the history can still be sent (T10)."""

    def __init__(self, parent: QWidget, gone: Sequence[Message], delete: Callable[[], Work]) -> None:
        many = len(gone) > 1
        title = f"Delete {len(gone):,} messages for good?" if many else "Delete this message for good?"
        about = (
            "A call goes with its result, and a result with its call." if many else "This cannot be undone."
        )
        super().__init__(parent, title, about, width=_WIDTH)
        self.lines = [_line(message) for message in gone]
        shown = self.lines if len(gone) <= _NAMED else self.lines[: _NAMED - 1]
        for words in shown:
            self.body.addWidget(Words(words, "ink2"))
        if len(shown) < len(gone):
            self.body.addWidget(Words(f"and {len(gone) - len(shown):,} more", "ink2"))
        (button,) = self.offer_attempts(("Delete", Kind.PRIMARY, delete))
        button.setFocus()


class RepairsDialog(Ask):
    """What a model is sent in the place of a history that cannot be sent as it is (T10)."""

    def __init__(self, parent: QWidget, repairs: Repairs) -> None:
        title = f"{amounts.count(len(repairs.repairs), 'repair')} in what models are sent"
        super().__init__(
            parent, title, "Left what is kept, right what is sent. Nothing that is kept changes.", width=860
        )
        for one in repairs.repairs[:_NAMED]:
            self.body.addWidget(Words(one.words, "warn", mark=Mark.WARNING))
        self.difference = DiffView()
        self.difference.setFixedHeight(320)
        self.difference.compare(repairs.kept, repairs.sent)
        self.body.addWidget(self.difference)
        self.offer(leave="Close")
        self.difference.setFocus()


def _line(message: Message) -> str:
    words = " ".join((message.content or "").split())[:120]
    calls = ", ".join(call.name for call in message.tool_calls)
    what = f"result of {message.name}" if message.role is Role.TOOL else message.role.value
    return f"{what}: {words or (f'calls {calls}' if calls else 'no text')}"

"""The inspector's pages of a thread: what is known of it as a whole, and of the message that is chosen in it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.conversation.said import Said
from workbench.app.threads.replays import mode_words
from workbench.base.exact_json import dump
from workbench.base.ids import ThreadId
from workbench.domain.auth import LOCAL
from workbench.domain.changes import Changes
from workbench.domain.events import CallFinished, CallStateChanged, Event, StepEnded, ThreadMoved
from workbench.domain.pages import ThreadTotals
from workbench.domain.threads import Message, MessageStatus, Thread, ThreadStatus
from workbench.gui.controls.layout import Ground, fill
from workbench.gui.controls.sections import Stack, divided, fact, head, quiet, title
from workbench.gui.controls.texts import Grammar, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.results.text_box import TextBox
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.definition_icons import BADGES
from workbench.gui.thread.thread_words import standing
from workbench.gui.thread.work_clock import WorkClock

_SOON_MS, _TICK_MS = 400, 100
_Telling = StepEnded | ThreadMoved | CallStateChanged | CallFinished

Pieces = list[QWidget | int]


class ThreadPanel(QWidget):
    """Read when it is made, and again as the thread goes on."""

    def __init__(self, session: Session, thread_id: ThreadId, words: str) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self._stack = Stack(Ground.WINDOW)
        self._is_under_way = False
        self.title = Words("", font=theme.body(600))
        self.show_title(words)
        _lay_out(self, head(self.title), self._stack)
        self._worked = WorkClock()
        self._at_work = Words()
        self._clock = QTimer(self, interval=_TICK_MS)
        self._clock.timeout.connect(self._show_at_work)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(lambda: session.do(self._read(), self))
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.do(self._read(), self)

    def show_title(self, words: str) -> None:
        """What the thread is called; "" while nothing was said in it."""
        self.title.set_words(f"Thread {words}" if words else "Thread")

    async def _read(self) -> None:
        thread_id = self._thread_id
        thread = await self._session.ask(lambda wb: wb.store.thread(thread_id))
        if thread is not None:
            self._is_under_way = thread.status.is_under_way
            totals = await self._session.ask(lambda wb: wb.threads.totals(thread_id))
            asks = await self._session.ask(lambda wb: wb.models.asks(thread_id))
            works = thread.status is ThreadStatus.RUNNING and totals.waits is None and not asks
            self._worked.run(running=works)
            self._worked.take(totals.worked_ms)
            self._clock.start() if works else self._clock.stop()
            self._at_work = Words()
            self._show_at_work()
            self._stack.show_pieces(6, *divided(*_sections(thread, totals, self._at_work, asks=asks)), 12)

    def _show_at_work(self) -> None:
        """It goes on between what is told of the thread, too."""
        self._at_work.set_words(amounts.duration(self._worked.milliseconds))

    def _happened(self, events: list[Event]) -> None:
        """Of other threads, too, whose calls may be what it waits for."""
        told = (event for event in events if isinstance(event, _Telling))
        if not self._soon.isActive() and any(self._concerns(event) for event in told):
            self._soon.start()

    def _concerns(self, event: _Telling) -> bool:
        is_call = isinstance(event, CallStateChanged | CallFinished)
        return event.thread_id == self._thread_id or (is_call and self._is_under_way)

    def _changed(self, changes: Changes) -> None:
        if changes.history or changes.questions or self._thread_id in changes.threads:
            self._soon.start()


def _sections(thread: Thread, totals: ThreadTotals, at_work: Words, *, asks: bool) -> Sequence[Pieces]:
    is_new = thread.updated_at == thread.created_at
    stands = standing(thread, is_new=is_new, waits=totals.waits, asks=asks, below=totals.waits_below)
    usage = totals.usage
    about: Pieces = [
        fact("State", stands.words, role=stands.mark.role, mark=stands.mark),
        fact("Agent", thread.agent, mono=True),
        fact("Begun", amounts.moment(thread.created_at)),
        fact("Last at work", amounts.moment(thread.updated_at)),
        fact("Id", thread.id, mono=True),
    ]
    if thread.replay is not None:
        about.append(fact("Replay", mode_words(thread.replay), icon="loop"))
    if thread.dry_run:
        about.append(fact("Dry run", "only what reads is run", icon=BADGES["stub"]))
    if thread.as_of is not None:
        about.append(fact("As of", thread.as_of, icon="clock"))
    if thread.auth.principal != LOCAL:
        about.append(fact("Belongs to", thread.auth.principal))
    if thread.tags:
        about.append(fact("Tags", ", ".join(thread.tags)))
    spent: Pieces = [
        title("So far"),
        fact("At work", at_work),
        fact("Requests", f"{totals.requests:,}"),
        fact(
            "Calls",
            f"{totals.calls:,}" + (f", {totals.failed_calls:,} failed" if totals.failed_calls else ""),
        ),
        fact("Tokens", f"{usage.input_tokens:,} in, {usage.output_tokens:,} out"),
        fact("Cost", "not known" if usage.cost is None else f"${usage.cost:.4f}"),
    ]
    if totals.threads > 1:
        spent.append(fact("Of threads", f"{totals.threads:,}, those below among them"))
    sections = [about, spent]
    if thread.arguments:
        sections.append(_json("Made with", dump(thread.arguments)))
    if thread.handed_over:
        sections.append(_json("Handed over with", dump(thread.handed_over)))
    return sections


class MessagePanel(QWidget):
    """A message as it is now."""

    request_asked = Signal(str)
    """The id of the request that a model answered with it."""

    def __init__(self, said: Said, name: str) -> None:
        super().__init__()
        self._said = said
        self._name = name
        self._shown = said.message
        self._stack = Stack(Ground.WINDOW)
        buttons: list[QWidget] = []
        request_id = said.message.request_id
        if request_id is not None:
            request = quiet("Request", "open")
            request.setAccessibleName("Show the request that it answers")
            request.clicked.connect(lambda: self.request_asked.emit(request_id))
            self.setFocusProxy(request)
            buttons.append(request)
        self._show()
        _lay_out(self, head("Message", *buttons), self._stack)

    def look(self) -> None:
        """Show it anew if it was changed."""
        if self._said.message != self._shown:
            self._shown = self._said.message
            self._show()

    def _show(self) -> None:
        self._stack.show_pieces(6, *divided(*_facts(self._shown, self._name)), 12)


def _facts(message: Message, name: str) -> Sequence[Pieces]:
    lines: Pieces = [
        fact("From", name),
        fact("Role", message.role.value + (", silent" if message.silent else "")),
        fact("Kept", amounts.moment(message.created_at)),
        fact("Length", amounts.count(len(message.content or ""), "character")),
    ]
    if message.side is not None:
        lines.insert(1, fact("Side", message.side.upper()))
    if message.prompt is not None:
        lines.append(fact("Prompt", message.prompt, mono=True))
    if message.tool_calls:
        lines.append(fact("Calls", ", ".join(call.name for call in message.tool_calls), mono=True))
    if message.attachments:
        lines.append(fact("Files", ", ".join(ref.name for ref in message.attachments), mono=True))
    if message.status is not MessageStatus.COMPLETED:
        lines.append(fact("Status", message.status.value))
    lines.append(fact("Id", message.id, mono=True))
    return [lines, _json("Metadata", dump(dict(message.metadata)))] if message.metadata else [lines]


def _json(name: str, text: str) -> Pieces:
    return [title(name), TextBox(pretty_json(text), Grammar.JSON, name=name, most_lines=18)]


def _lay_out(panel: QWidget, *pieces: QWidget) -> None:
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for piece in pieces:
        layout.addWidget(piece, isinstance(piece, Stack))
    fill(panel, Ground.WINDOW)

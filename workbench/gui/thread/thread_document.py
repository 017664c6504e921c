"""The document of a thread: its head, a page each for what was said and what was done, and the box to write in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from workbench.app import Workbench
from workbench.app.conversation.called import Called
from workbench.app.threads.replays import advice
from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.changes import Changes
from workbench.domain.events import CallFinished, CallStateChanged, Event, StepEnded, ThreadMoved
from workbench.domain.threads import Thread, ThreadStatus
from workbench.gui.calls.call_verbs import Chosen, fitting
from workbench.gui.commands.offering import Offering
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.tabs import PageTabs
from workbench.gui.session.session import Session
from workbench.gui.style.tokens import DOCUMENT_GUTTER
from workbench.gui.thread.answer_panel import AnswerPanel
from workbench.gui.thread.conversation_page import ConversationPage
from workbench.gui.thread.message_box import MessageBox
from workbench.gui.thread.message_menu import MessageMenu
from workbench.gui.thread.replay_thread import ask_to_replay
from workbench.gui.thread.thread_actions import ThreadActions
from workbench.gui.thread.thread_forks import fork_and_show
from workbench.gui.thread.thread_head import ThreadHead
from workbench.gui.thread.thread_panel import MessagePanel, ThreadPanel
from workbench.gui.thread.thread_strip import ThreadStrip
from workbench.gui.thread.thread_words import title_of

_TOTALS_MS = 400
"""Between two looks at what a running thread has spent."""
_CHECKED = 2_000
"""Messages of a thread that is looked through for repairs without being asked to."""


class PageOf(NamedTuple):
    """Another page of a thread's document; it is made when it is first turned to."""

    title: str
    make: Callable[[ThreadDocument], QWidget]
    counted: Callable[[Workbench, ThreadId], Awaitable[int]] | None = None
    """How much there is on it, for its tab."""


class ThreadDocument(QWidget):
    """Stays with its thread while that runs, here or elsewhere."""

    titled = Signal(str)
    """What its tab says."""
    call_chosen = Signal(str)
    """The id of the call that is chosen now, "" for something else."""
    call_opened = Signal(str)
    variable_asked = Signal(str)
    request_asked = Signal(str, str)
    """The ids of a thread and of one of its requests, to be shown in its document."""
    thread_asked = Signal(str, str)
    """The id of another thread to be shown, and of a call to go to there ("" for none)."""
    comparison_asked = Signal()
    """The thread is to be compared with another one, which is to be asked for."""
    original_asked = Signal()
    """It is to be compared with the one that it was forked from."""
    forked = Signal(str)
    """The id of a fork of it, to be shown."""
    message_asked = Signal(str, str)
    """The ids of another thread and of a message of it to go to ("" for none)."""
    export_asked = Signal(str)
    """It is to be exported; its title."""
    left = Signal()
    """The thread is gone."""

    def __init__(self, session: Session, thread_id: ThreadId, pages: Sequence[PageOf] = ()) -> None:
        super().__init__()
        self.thread_id = thread_id
        self.now: Thread | None = None
        """The thread's row as last told."""
        self.title = ""
        self._wanted_call: CallId | None = None
        """A call to go to once the conversation was read."""
        self._session = session
        self._titles = [page.title for page in pages]
        self._counts = [(at + 1, page.counted) for at, page in enumerate(pages) if page.counted is not None]
        self._more_pages = {at + 1: page for at, page in enumerate(pages)}
        """Those that were not turned to yet."""
        self.head = ThreadHead()
        self.tabs = PageTabs(["Conversation", *(page.title for page in pages)], "Pages of the thread")
        self.strip = ThreadStrip()
        self.conversation = ConversationPage(session, thread_id)
        self.box = MessageBox()
        self.answer = AnswerPanel(session, thread_id)
        self.asks = ThreadActions(session, thread_id, self)
        self.menu = MessageMenu(self)
        self.pages = QStackedWidget()
        said = QWidget()
        column = QVBoxLayout(said)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.conversation, 1)
        column.addWidget(self.answer)
        column.addWidget(self.box)
        self.pages.addWidget(said)
        for _ in pages:
            self.pages.addWidget(QWidget())
        bar = line_of(self.tabs, None, margins=(DOCUMENT_GUTTER - 12, 0, DOCUMENT_GUTTER, 0), height=32)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(column_of(self.head, bar, Hairline(), self.strip))
        layout.addWidget(self.pages, 1)
        fill(self, Ground.BASE)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._spent = QTimer(self)
        self._spent.setSingleShot(True)
        self._spent.setInterval(_TOTALS_MS)
        self._connect()
        session.do(self._begin(), self)

    def _connect(self) -> None:
        session, conversation, head, asks = self._session, self.conversation, self.head, self.asks
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        self.tabs.turned.connect(self._turned)
        self._spent.timeout.connect(lambda: session.do(self._read_totals(), self))
        head.stop_asked.connect(asks.stop)
        head.go_on_asked.connect(asks.go_on)
        head.menu_asked.connect(self.menu.open_for_thread)
        head.parent_asked.connect(self.show_parent)
        head.origin.asked.connect(self.message_asked)
        conversation.menu_asked.connect(self.menu.open_for_row)
        conversation.view.delete_asked.connect(self.menu.delete_chosen)
        conversation.call_chosen.connect(self.call_chosen)
        conversation.call_opened.connect(self.call_opened)
        conversation.call_acted.connect(self._act_on_call)
        conversation.edit_asked.connect(asks.edit)
        conversation.message_opened.connect(self.menu.show_whole)
        conversation.file_opened.connect(self.menu.open_file)
        conversation.loaded.connect(self._check)
        self.box.sent.connect(lambda text, files: session.do(self._send(text, files), self))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        self.box.typed.connect(self._keep_draft)
        self.answer.appeared.connect(self._show_answering)
        self.answer.request_asked.connect(self._show_request)
        asks.changed.connect(self._changed_by_hand)
        asks.deleted.connect(self.left)
        self.strip.set_asked.connect(self.variable_asked)
        self.strip.repairs_asked.connect(lambda: session.do(asks.show_repairs(), self))
        self.strip.call_asked.connect(self._show_waiting)

    # --- what it shows

    async def _begin(self) -> None:
        thread_id, name = self.thread_id, self._draft_name
        draft = await self._session.ask(lambda wb: wb.drafts.read(name))
        if draft is not None and not self.box.has_something:
            files = draft.get("files")
            paths = [Path(str(file)) for file in files] if isinstance(files, list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            self.box.put(str(draft.get("text", "")), [path for path in paths if path.exists()])
        await self._read_thread()
        page = await self._session.ask(lambda wb: wb.threads.messages(thread_id, limit=1))
        self._show_title(page.messages[0].content or "" if page.messages else "", has_messages=page.total > 0)
        await self._read_totals()

    async def _read_thread(self) -> None:
        thread_id = self.thread_id
        self.now = await self._session.ask(lambda wb: wb.threads.thread(thread_id))
        self.conversation.show_thread(self.now)
        self._show_state()
        await self.head.read_origin(self._session, self.now)

    def _look_at_totals(self) -> None:
        """Soon; once for all that happens until then."""
        if not self._spent.isActive():
            self._spent.start()

    async def _read_totals(self) -> None:
        thread_id = self.thread_id
        self.head.show_totals(await self._session.ask(lambda wb: wb.threads.totals(thread_id)))

        async def count(wb: Workbench) -> list[tuple[int, int]]:
            return [(at, await count_of(wb, thread_id)) for at, count_of in self._counts]

        counts: list[tuple[int, int]] = await self._session.ask(count)
        for at, number in counts:
            self.tabs.set_count(at, number)

    def _show_title(self, first_words: str, *, has_messages: bool) -> None:
        if self.now is not None:
            self.title = title_of(self.now.name, first_words, self.now.agent)
            self.head.show_title(self.title, has_messages=has_messages)
            self._show_state()
            self.titled.emit(self.title)

    def _show_state(self) -> None:
        thread = self.now
        if thread is None:
            return
        waiting = self.conversation.waiting()
        asks = self.answer.question is not None
        self.head.show_thread(thread, waits=waiting.state if waiting is not None else None, asks=asks)
        self.strip.show_thread(thread, waiting)
        ended = thread.status is ThreadStatus.TERMINATED
        why_not = "The thread was ended for good: it takes no more messages." if ended else ""
        self.box.allow(why_not, advice(thread))

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            if event.thread_id != self.thread_id:
                if isinstance(event, CallStateChanged | CallFinished) and self._runs:
                    self._look_at_totals()  # which tell what waits below it
                continue
            match event:
                case ThreadMoved():
                    self._moved(event)
                case CallStateChanged() | CallFinished():
                    self._show_state()
                case StepEnded():
                    self._look_at_totals()
                case _:
                    pass

    def _moved(self, event: ThreadMoved) -> None:
        if self.now is None:
            return
        changes = {"status": event.status, "status_text": event.status_text, "updated_at": event.at}
        changes |= {"at_limit": event.at_limit}
        agent = event.agent or self.now.agent
        handed_over = agent != self.now.agent
        ran = self._runs
        self.now = self.now.model_copy(update={**changes, "agent": agent})
        if handed_over:
            self.conversation.show_thread(self.now)
        if not self.title or self.title == agent:
            self._session.do(self._begin(), self)
        if ran != self._runs:
            self._look_for_repairs()
            self._look_at_totals()
        self._show_state()

    def _changed(self, changes: Changes) -> None:
        if changes.history or self.thread_id in changes.threads:
            self._session.do(self._look_for(), self)

    async def _look_for(self) -> None:
        """Another process may have gone on with it, or deleted it."""
        thread_id = self.thread_id
        thread = await self._session.ask(lambda wb: wb.store.thread(thread_id))
        if thread is None:
            self.left.emit()
        else:
            await self._read_thread()
            self._look_at_totals()

    def _changed_by_hand(self) -> None:
        self._session.do(self._read_thread(), self)
        self._check()

    def _check(self) -> None:
        if self._wanted_call is not None:
            self.conversation.show_call(self._wanted_call)
            self._wanted_call = None
        self._look_for_repairs()

    def _look_for_repairs(self) -> None:
        if len(self.conversation.model.conversation.messages) <= _CHECKED:
            self._session.do(self._count_repairs(), self)

    async def _count_repairs(self) -> None:
        count = 0 if self._runs else await self.asks.repairs()
        self.strip.show_repairs(0 if self._runs else count)

    @property
    def _runs(self) -> bool:
        """A history that is being written misses what comes next."""
        return self.now is not None and self.now.status is ThreadStatus.RUNNING

    def _show_answering(self, waits: bool) -> None:
        """While a person answers as the model, there is one place to write."""
        had_focus = self.box.field.hasFocus() or self.answer.isAncestorOf(QApplication.focusWidget() or self)
        self.box.setVisible(not waits)
        if had_focus:
            (self.answer if waits else self.box).setFocus()
        self._show_state()

    def _show_request(self, request_id: str) -> None:
        self.request_asked.emit(self.thread_id, request_id)

    # --- what a person does

    async def _send(self, text: str, files: Sequence[Path]) -> None:
        """What was typed goes only when it was taken."""
        message = await self.asks.send(text, files)
        self.box.clear()
        self.conversation.sent(message)

    @property
    def _draft_name(self) -> str:
        return f"thread-{self.thread_id}"

    def _keep_draft(self) -> None:
        draft = {"text": self.box.text, "files": [str(file) for file in self.box.attachments.files]}
        name = self._draft_name
        self._session.do_next(lambda wb: wb.drafts.keep(name, draft))

    def keep_now(self) -> None:
        """Keep at once what is typed and not sent."""
        self.box.keep_now()
        self.answer.keep_now()

    def _act_on_call(self, called: Called, action: str) -> None:
        if action == "set":
            self.variable_asked.emit(next(iter(called.waiting_for), ""))
        elif action == "thread":
            self.show_subagent(called.id)
        else:
            self.asks.act_on_call(called.id, action)

    async def _show_subagent(self, call_id: CallId) -> None:
        thread_id = await self._session.ask(lambda wb: wb.threads.subagent_of(call_id))
        if thread_id is None:
            raise UserError("There is no thread of that call, or it was deleted.")
        self.thread_asked.emit(thread_id, "")

    def fork(self, at: MessageId | None = None, *, run: bool = False) -> None:
        """Fork it at a message, or the whole of it; `run` lets the fork go on from there."""
        forking = fork_and_show(self._session, self.thread_id, self.forked.emit, at, run=run)
        self._session.do(forking, self)

    def show_parent(self) -> None:
        """The thread that this one works for, at the call that made it."""
        if self.now is not None and self.now.parent_id is not None:
            self.thread_asked.emit(self.now.parent_id, self.now.made_by or "")

    def replay(self) -> None:
        """Ask how this thread is to be replayed; the new one then comes to the front (T22)."""
        self._session.do(ask_to_replay(self._session, self, self.thread_id, self.forked.emit), self)

    def _show_waiting(self) -> None:
        waiting = self.conversation.waiting()
        if waiting is not None:
            self.turn_to(0)
            self.conversation.show_call(waiting.id)
            self.conversation.setFocus()

    def show_call(self, call_id: CallId) -> None:
        """Make a call the current row of the conversation, now or when it was read."""
        self.turn_to(0)
        self._wanted_call = None if self.conversation.show_call(call_id) else call_id

    @property
    def session(self) -> Session:
        return self._session

    def page(self, title: str) -> QWidget | None:
        """Turn to another page by its title, which is then made."""
        self.turn_to(self._titles.index(title) + 1)
        return self.pages.currentWidget()

    def set_count(self, title: str, count: int) -> None:
        """Show how much there is on another page."""
        self.tabs.set_count(self._titles.index(title) + 1, count)

    def turn_to(self, page: int) -> None:
        self.tabs.setCurrentIndex(page)

    def _turned(self, at: int) -> None:
        page = self._more_pages.pop(at, None)
        if page is not None:
            self.pages.insertWidget(at, page.make(self))
            place = self.pages.widget(at + 1)
            if place is not None:
                self.pages.removeWidget(place)
                place.deleteLater()
        was_inside = self.pages.isAncestorOf(QApplication.focusWidget() or self)
        self.pages.setCurrentIndex(at)
        if was_inside:
            # Qt would give the focus to whatever comes next, such as a button that deletes.
            self.setFocus()
        self.call_chosen.emit(next((one.id for one in self.chosen_calls()), ""))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Work begins where a message is written, on other pages with what they show."""
        at = self.pages.currentIndex()
        target = self.box if at == 0 and self.box.field.isEnabled() else self.pages.currentWidget()
        if target is not None:
            target.setFocus(event.reason())

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways: dict[str, Callable[[], None]] = {"write": self.write, "terminate": self.asks.terminate}
        ways |= {"delete-thread": self.asks.delete, "save-script": self.asks.save_script}
        ways |= {"replay-thread": self.replay, "export-thread": self.export}
        ways["fork-thread"] = self.fork
        if self.head.stop.isVisibleTo(self):
            ways["stop-thread"] = self.asks.stop
        if self.head.go_on.isVisibleTo(self):
            ways["go-on"] = self.asks.go_on
        for title in ("Conversation", *self._titles):
            ways[f"thread-{title.lower()}"] = partial(self._go_to, title)
        if self.now is not None and self.now.parent_id is not None:
            ways["parent-thread"] = self.show_parent
        ways["compare-threads"] = self.comparison_asked.emit
        if self.now is not None and self.now.forked_from is not None:
            ways["compare-original"] = self.original_asked.emit
        below = next((one.id for one in self.chosen_calls() if "thread" in fitting([one])), None)
        below = below or self.conversation.newest_leading_below()
        if below is not None:
            ways["subagent"] = partial(self.show_subagent, below)
        if self.answer.question is not None:
            ways |= {"send-answer": self.answer.send.click, "decline-answer": self.answer.decline.click}
        front = self.pages.currentWidget()
        if self.pages.currentIndex() == 0:
            if self.box.send.isEnabled():
                ways["send"] = self.box.send.click
            return {**ways, **self.menu.offers()}
        return {**ways, **front.offers()} if isinstance(front, Offering) else ways

    def export(self) -> None:
        """Ask where to export it to."""
        self.export_asked.emit(self.title)

    def show_subagent(self, call_id: CallId) -> None:
        """Show the thread that a call made, or spoke to."""
        self._session.do(self._show_subagent(call_id), self)

    def inspected(self) -> CallId | QWidget:
        """The call that is chosen, else a page about the message that is, else about the thread."""
        for called in self.chosen_calls():
            return called.id
        chosen = self.conversation.chosen_message() if self.pages.currentIndex() == 0 else None
        if chosen is None:
            about = ThreadPanel(self._session, self.thread_id, self.title)
            self.titled.connect(about.show_title)
            return about
        panel = MessagePanel(*chosen)
        self.conversation.model.changed.connect(panel.look)
        panel.request_asked.connect(self._show_request)
        return panel

    def chosen_calls(self) -> Sequence[Chosen]:
        return self.conversation.chosen_calls() if self.pages.currentIndex() == 0 else ()

    def _go_to(self, title: str) -> None:
        self.turn_to(0 if title not in self._titles else self._titles.index(title) + 1)
        self.setFocus()

    def write(self) -> None:
        """Go to the box that a message is written in."""
        self.turn_to(0)
        self.box.setFocus()

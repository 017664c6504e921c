"""The page of a thread's document that shows what was said: reads it from the end, and goes on as it happens."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.calls.badges import badges_of
from workbench.app.conversation.called import Called
from workbench.app.conversation.rows import Call, Fact, File, Fold, Note, Row, Sign, Text
from workbench.app.conversation.said import Said
from workbench.app.conversation.speakers import speakers_of
from workbench.app.conversation.texts import SHOWN
from workbench.base.errors import WorkbenchError
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.domain.changes import Changes
from workbench.domain.definitions import DefinitionKind
from workbench.domain.events import (
    CallFinished,
    CallStateChanged,
    Event,
    MessageAdded,
    MessageChanged,
    MessageRemoved,
)
from workbench.domain.pages import ConversationPage as Page
from workbench.domain.threads import Message, Thread
from workbench.gui.calls.call_verbs import Chosen
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.results.saving import save_as
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.tokens import SECTION
from workbench.gui.thread.conversation_model import ConversationModel
from workbench.gui.thread.conversation_paint import EDIT, OPEN, SAVE, ConversationPainter
from workbench.gui.thread.conversation_view import ConversationView
from workbench.gui.thread.pictures import Pictures

FIRST, MORE = 60, 250
"""Messages of the page that is shown at once, and of those that follow in the background."""
TAIL = 40
_EMPTY = "Nothing was said yet. Write the first message below and press Ctrl+Enter."
_PAUSE_MS = 15
"""Between two pages of the background: the window draws breath."""


class ConversationPage(QWidget):
    """Tells what is asked about its rows; does itself what concerns nothing but showing."""

    call_chosen = Signal(str)
    """The id of the call whose line is the current one now, "" when it is another line."""
    call_opened = Signal(str)
    call_acted = Signal(object, str)
    """A `Called` and what to do about it: `approve`, `edit`, `reject`, `set`, `stop`."""
    message_opened = Signal(object)
    """A message (`Said`) that is too long to be shown here."""
    edit_asked = Signal(object)
    """A message (`Said`) to be edited."""
    menu_asked = Signal(object, QPoint)
    file_opened = Signal(object)
    """An `AttachmentRef` to be looked at in another program."""
    loaded = Signal()
    """The last page is there."""

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self.thread_id = thread_id
        self._session = session
        self._wanted = set[MessageId]()
        """Messages that are new and not read yet."""
        self._looking = False
        self._look_again = False
        self._has_more = True
        self._agent = ""
        self._is_recorded = False
        self.model = ConversationModel(thread_id)
        self.pictures = Pictures(session, thread_id, self)
        self.painter = ConversationPainter(self.pictures)
        self.view = ConversationView(self.model, self.painter)
        self.newest = Button("Go to newest", Kind.QUIET, icon="arrow-down", font=theme.small())
        # A line of its own: over the rows it would cover what can be clicked in them.
        self._place = line_of(None, self.newest, None, height=SECTION)
        self._place.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self._place)
        self.setFocusProxy(self.view)
        self._older = QTimer(self)
        self._older.setSingleShot(True)
        self._older.setInterval(_PAUSE_MS)
        self._connect()
        session.do(self._load_last(), self)

    def _connect(self) -> None:
        view, session = self.view, self._session
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._catch_up)
        session.refreshed.connect(self._show_speakers)
        self._older.timeout.connect(lambda: session.do(self._load_older(), self))
        self.pictures.came.connect(view.settle)
        self.newest.clicked.connect(view.follow_newest)
        view.place_changed.connect(self._show_place)
        view.expanded.connect(lambda row, on: self.expand(row.called, expanded=on))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType, reportUnknownMemberType]
        view.folded.connect(lambda row: self.model.unfold(row, is_open=not row.is_open))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType, reportUnknownMemberType]
        view.acted.connect(self._act)
        view.opened.connect(self._opened)
        view.moved.connect(self._moved)
        view.menu_asked.connect(self.menu_asked)

    # --- reading

    async def _load_last(self) -> None:
        page = await self._ask_page(None, FIRST)
        self.model.start_again(page)
        live = await self._session.ask(lambda wb: wb.live_calls())
        for call in live:
            known = self.model.conversation.calls.get(call.id)
            if known is not None:
                known.take_call(call)
        self._has_more = page.has_more
        if not page.messages:
            self.view.set_empty(_EMPTY)
        self.view.settle()
        self.loaded.emit()
        if self._has_more:
            self._older.start()

    async def _load_older(self) -> None:
        """The page before the first message that is there, until all are."""
        messages = self.model.conversation.messages
        if not messages or not self._has_more:
            return
        page = await self._ask_page(messages[0].id, MORE)
        self.model.put_before(page)
        self._has_more = page.has_more
        if self._has_more:
            self._older.start()

    async def _reload(self) -> None:
        """Read as many messages again as were there."""
        count = max(FIRST, len(self.model.conversation.messages) + 1)
        page = await self._ask_page(None, count)
        self.model.start_again(page)
        self._has_more = page.has_more

    async def _ask_page(self, before: MessageId | None, limit: int) -> Page:
        thread_id = self.thread_id
        return await self._session.ask(
            lambda wb: wb.threads.conversation(thread_id, before=before, limit=limit)
        )

    def _look(self) -> None:
        """Read the last messages, once for all that happens meanwhile."""
        if self._looking:
            self._look_again = True
            return
        self._looking = True
        self._session.do(self._read_tail(), self)

    def _catch_up(self) -> None:
        self.model.forget_coming()
        self._look()

    async def _read_tail(self) -> None:
        try:
            limit = TAIL
            while True:
                self._look_again = False
                wanted, self._wanted = self._wanted, set[MessageId]()
                page = await self._ask_page(None, limit)
                if not self.model.put_tail(page):
                    limit *= 4
                    self._wanted |= wanted
                    continue
                for message_id in wanted - {message.id for message in page.messages}:
                    await self._read_between(message_id)
                if not self._look_again:
                    return
        finally:
            self._looking = False

    async def _read_between(self, message_id: MessageId) -> None:
        """A message that was put in further up; what is not read yet comes with its page."""
        message = await self._session.ask(lambda wb: wb.store.message(message_id))
        page = await self._ask_page(message_id, 1)
        previous = page.messages[-1].id if page.messages else None
        if message is not None and not self.model.put_behind(message, previous) and not self._has_more:
            await self._reload()

    # --- what happens

    def _happened(self, events: list[Event]) -> None:
        mine = [event for event in events if event.thread_id == self.thread_id]
        if not mine:
            return
        self.model.tell(mine)
        gone = [event.message_id for event in mine if isinstance(event, MessageRemoved)]
        if gone:
            self.model.remove(gone)
        for event in mine:
            match event:
                case MessageAdded():
                    self._wanted.add(event.message_id)
                    self._look()
                case MessageChanged():
                    self._session.do(self._read_one(event.message_id), self)
                case CallStateChanged() if not self.model.conversation.knows_call(event.call_id):
                    self._look()
                case CallFinished():
                    self._ended(event.call_id)
                case _:
                    pass

    def _ended(self, call_id: CallId) -> None:
        called = self.model.conversation.calls.get(call_id)
        if called is None or called.owner is None:
            self._look()
        elif called.expanded:
            self._session.do(self._read_call(called), self)

    def _changed(self, changes: Changes) -> None:
        if changes.history or self.thread_id in changes.threads:
            self._look()

    async def _read_one(self, message_id: MessageId) -> None:
        message = await self._session.ask(lambda wb: wb.store.message(message_id))
        if message is not None:
            self.model.put(message)

    def sent(self, message: Message) -> None:
        """A message is on its way."""
        self.model.send(message)
        self.view.follow_newest()

    def show_thread(self, thread: Thread) -> None:
        """The names of the sides are those of this thread's agent."""
        self._agent = thread.agent
        self._is_recorded = thread.replay is not None and thread.replay.recorded_models
        self._show_speakers()

    def _show_speakers(self) -> None:
        listings = self._session.listings
        self.painter.agents = frozenset(one.name for one in listings if one.file.kind is DefinitionKind.AGENT)
        self.painter.badges = badges_of(listings)
        self.model.set_speakers(speakers_of(listings, self._agent, are_recorded=self._is_recorded))

    # --- what a person does

    def expand(self, called: Called, *, expanded: bool) -> None:
        """Show or hide what is told of a call."""
        self.model.expand(called, expanded=expanded)
        if expanded and called.whole is None:
            self._session.do(self._read_call(called), self)

    async def _read_call(self, called: Called) -> None:
        call_id = called.id
        called.take_call(await self._session.ask(lambda wb: wb.call(call_id)))
        if called.owner is not None:
            self.model.refresh(called.owner)

    def _act(self, row: Row, action: str) -> None:
        if self.view.take_action(row, action):
            return
        match row:
            case Call():
                self.call_acted.emit(row.called, action)
            case Text() if action == EDIT:
                self.edit_asked.emit(row.said)
            case File() if action == SAVE:
                self._session.do(self._save(row.ref), self)
            case File() if action == OPEN:
                self.file_opened.emit(row.ref)
            case _:
                pass

    def _opened(self, row: Row) -> None:
        match row:
            case Call() | Fact():
                self.call_opened.emit(row.called.id)
            case Fold():
                self.model.unfold(row, is_open=not row.is_open)
            case File():
                self.file_opened.emit(row.ref)
            case Note() if row.sign is Sign.CUT and len(row.said.text) > SHOWN:
                self.message_opened.emit(row.said)
            case Text():
                self.message_opened.emit(row.said)
            case _:
                pass

    def _moved(self, row: Row | None) -> None:
        self.call_chosen.emit(row.called.id if isinstance(row, Call | Fact) else "")

    async def _save(self, ref: AttachmentRef) -> None:
        save_as(self, ref.name, await self.read_file(ref))

    async def read_file(self, ref: AttachmentRef) -> bytes:
        """The bytes of an attachment. Raises UserError when it is gone."""
        thread_id = self.thread_id
        return await self._session.ask(lambda wb: wb.read_file(thread_id, ref.path))

    def show_call(self, call_id: CallId) -> bool:
        """Make a call's line the current one; False when it is not there."""
        return self._go_to(self.model.place_of_call(call_id))

    def show_message(self, said: Said) -> bool:
        """Make the first row of a message the current one; False when it is not there."""
        return self._go_to(self.model.place_of_message(said))

    def _go_to(self, place: int) -> bool:
        if place >= 0:
            self.view.following = False
            self.view.go_to(place)
            self.view.settle()
        return place >= 0

    def chosen_calls(self) -> Sequence[Chosen]:
        """The call whose line is the current one."""
        row = self.view.current()
        if not isinstance(row, Call | Fact):
            return ()
        called = row.called
        return [Chosen(called.id, called.state, called.tool, is_agent=self.painter.leads_below(called))]

    def newest_leading_below(self) -> CallId | None:
        """The newest call that has to do with a thread below."""
        calls = self.model.conversation.newest_calls()
        return next((one.id for one in calls if self.painter.leads_below(one)), None)

    def chosen_message(self) -> tuple[Said, str] | None:
        """The message whose line is the current one, and whose it is."""
        row = self.view.current()
        if row is None or row.said.coming:
            return None
        return row.said, self.model.speaker(row.said)

    def waiting(self) -> Called | None:
        """The newest call that waits for the person."""
        calls = self.model.conversation.calls.values()
        return next((one for one in reversed(calls) if one.waits), None)

    def run(self, work: Coroutine[object, object, object]) -> None:
        """Let something run to its end; what goes wrong is shown."""
        self._session.do(work, self)

    def fail(self, error: WorkbenchError) -> None:
        """Show what went wrong."""
        self._session.failed.emit(error)

    # --- where it stands

    def _show_place(self) -> None:
        bar = self.view.verticalScrollBar()
        self._place.setVisible(not self.view.following and bar.value() < bar.maximum())

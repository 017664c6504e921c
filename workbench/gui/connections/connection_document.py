"""A connection: how it stands, what its server lists, its log and its messages; connected and stopped by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.app import Workbench
from workbench.domain.changes import Changes
from workbench.domain.connections import (
    ConnectionLine,
    ConnectionState,
    ConnectionStatus,
    ConnectionTool,
    WireMessage,
)
from workbench.gui.commands.offering import do_offered
from workbench.gui.connections.connection_lists import (
    MARKS,
    MESSAGE_HEADS,
    TOOL_HEADS,
    WORDS,
    MessagesModel,
    MessagesPainter,
    ToolsModel,
    ToolsPainter,
    about,
)
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.heads import Heads
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.row_view import RowView
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.texts import Grammar, TextView, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

_PAUSE_MS = 150
_MOST_MESSAGES = 500
_PAGES = ("Tools", "Log", "Messages")


class _Seen(NamedTuple):
    """One look at a connection."""

    status: ConnectionStatus
    tools: tuple[ConnectionTool, ...]
    log: tuple[ConnectionLine, ...]
    messages: tuple[WireMessage, ...]


class ConnectionDocument(QWidget):
    """Follows what happens to the connection; what is chosen stays chosen."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__()
        self._session = session
        self.name = name
        self.status: ConnectionStatus | None = None
        self._last = 0
        self._state = Words("")
        self._about = Words("", "ink2")
        self._why = Words("", "ink2")
        self.connect_button = Button("Connect", Kind.QUIET, icon="loop", tip="Connect, or connect anew")
        self.stop_button = Button("Stop", Kind.QUIET, icon="stop", tip="End it, and its process")
        self.pages = Segments(list(_PAGES), 0, name="Shown")
        self.tools = ToolsModel()
        self.tool_list: RowView[ConnectionTool] = RowView(self.tools, ToolsPainter(), name="Tools")
        self.tool_list.set_empty("The server has listed no tools yet.")
        self.log = TextView(name="Log", on_window=False)
        self.messages = MessagesModel()
        self.message_list: RowView[WireMessage] = RowView(self.messages, MessagesPainter(), name="Messages")
        self.message_list.set_empty("Nothing went over this connection yet.")
        self.message = TextView(Grammar.JSON, name="Message", on_window=False)
        self._stack = QStackedWidget()
        self._lay_out()
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._connect()
        self._read()

    def _lay_out(self) -> None:
        margins = (DOCUMENT_GUTTER, 0, 12, 0)
        title = Words(self.name, font=theme.data(600))
        buttons = (self.connect_button, self.stop_button)
        head = line_of(
            title, self._state, self._about, None, *buttons, margins=margins, gap=12, height=HEADER
        )
        why = line_of(self._why, None, margins=margins)
        choice = line_of(self.pages, None, margins=margins, height=HEADER)
        below = QSplitter(Qt.Orientation.Vertical)
        below.setHandleWidth(1)
        below.setChildrenCollapsible(False)
        below.addWidget(column_of(Heads(MESSAGE_HEADS, self.message_list), self.message_list))
        below.addWidget(_inset(self.message))
        below.setSizes([300, 260])
        for page in (column_of(Heads(TOOL_HEADS, self.tool_list), self.tool_list), _inset(self.log), below):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (head, why, choice, Hairline()):
            layout.addWidget(piece)
        layout.addWidget(self._stack, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.pages)

    def _connect(self) -> None:
        session = self._session
        self._pause.timeout.connect(self._read)
        self.pages.chosen.connect(self._stack.setCurrentIndex)
        self.message_list.moved.connect(self._show_message)
        self.connect_button.clicked.connect(lambda: do_offered(self, "connect"))
        self.stop_button.clicked.connect(lambda: do_offered(self, "disconnect"))
        session.changed.connect(self._changed)
        session.missed.connect(self._pause.start)

    # --- what it does

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        ways: dict[str, Callable[[], None]] = {
            "connect": lambda: self._session.do_next(lambda wb: wb.connections.reconnect(self.name), self)
        }
        if self.status is not None and self.status.state is not ConnectionState.STOPPED:
            ways["disconnect"] = lambda: self._session.do_next(
                lambda wb: wb.connections.stop(self.name), self
            )
        return ways

    def turn_to(self, page: int) -> None:
        """Show tools (0), log (1) or messages (2)."""
        self.pages.set_current(page)
        self._stack.setCurrentIndex(page)

    # --- what it shows

    def _changed(self, changes: Changes) -> None:
        if self.name in changes.connections or changes.settings:
            self._pause.start()

    def _read(self) -> None:
        self._session.do(self._look(), self)

    async def _look(self) -> None:
        def look(wb: Workbench) -> _Seen | None:
            of = wb.connections
            if self.name not in {status.name for status in of.statuses()}:
                return None
            name, last = self.name, self._last
            return _Seen(of.status(name), of.tools(name), of.log(name), of.messages(name, last))

        seen = await self._session.ask(look)
        if seen is None:
            self._show_status(None)
            return
        self._show_status(seen.status)
        if seen.tools != self.tools.rows:
            self.tools.show(seen.tools)
        self._show_log(seen.log)
        self._add_messages(seen.messages)

    def _show_status(self, status: ConnectionStatus | None) -> None:
        self.status = status
        self.stop_button.setVisible("disconnect" in self.offers())
        self.connect_button.setEnabled(status is not None)
        is_stopped = status is None or status.state is ConnectionState.STOPPED
        self.connect_button.set_words("Connect" if is_stopped else "Reconnect")
        if status is None:
            self._state.set_words("Gone", role="ink2", mark=MARKS[ConnectionState.STOPPED])
            self._why.set_words("workbench.toml does not name it any more.")
            return
        mark = MARKS[status.state]
        self._state.set_words(WORDS[status.state], role=mark.role, mark=mark)
        self._about.set_words(about(status))
        self._why.set_words(f"{status.message} {status.hint}".strip() or status.target)

    def _show_log(self, lines: Sequence[ConnectionLine]) -> None:
        text = "\n".join(f"{amounts.moment(line.at)}  {line.source:<9}  {line.text}" for line in lines)
        if text != self.log.toPlainText():
            bar = self.log.verticalScrollBar()
            follows = bar.value() >= bar.maximum()
            place = bar.value()
            self.log.show_text(text)
            bar.setValue(bar.maximum() if follows else place)

    def _add_messages(self, fresh: Sequence[WireMessage]) -> None:
        if not fresh:
            return
        chosen = self.message_list.current()
        bar = self.message_list.verticalScrollBar()
        follows = bar.value() >= bar.maximum()
        self._last = fresh[-1].number
        rows = [*self.messages.rows, *fresh][-_MOST_MESSAGES:]
        self.messages.show(rows)
        at = next((at for at, row in enumerate(rows) if chosen and row.number == chosen.number), None)
        if at is not None:
            self.message_list.go_to(at)
        elif follows:
            self.message_list.scrollToBottom()

    def _show_message(self, message: WireMessage | None) -> None:
        self.message.show_text("" if message is None else pretty_json(message.text))


def _inset(text: TextView) -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(DOCUMENT_GUTTER, 8, 12, 8)
    layout.addWidget(text)
    fill(holder, Ground.BASE)
    return holder

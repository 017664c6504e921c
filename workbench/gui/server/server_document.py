"""The server's document: started and stopped, where it is reached, its token while asked for, and what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.base.errors import UserError
from workbench.domain.serving import RequestLine, ServerState, ServerView
from workbench.gui.commands.offering import do_offered
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField, set_state
from workbench.gui.controls.heads import Heads
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.row_view import RowView
from workbench.gui.controls.sections import KEY_WIDTH, copy, title
from workbench.gui.controls.switch import Switch
from workbench.gui.controls.words import Words
from workbench.gui.server.request_log import REQUEST_HEADS, RequestsModel, RequestsPainter
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER, ROW

_PAUSE_MS = 150
_PORT = 90
_MARKS = {
    ServerState.STOPPED: (Mark.STOPPED, "Stopped"),
    ServerState.STARTING: (Mark.RUNNING, "Starting"),
    ServerState.RUNNING: (Mark.RUNNING, "Running"),
    ServerState.STOPPING: (Mark.RUNNING, "Stopping, calls under way may end"),
}
_HIDDEN = "•" * 12


class ServerDocument(QWidget):
    """Follows the server. The token comes here when it is asked for, and goes when the server stops."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.view = ServerView()
        self._state = Words("")
        self.start_button = Button("Start", Kind.PRIMARY, icon="play")
        self.stop_button = Button("Stop", Kind.QUIET, icon="stop", tip="Calls under way may end first")
        self.port = LineField("3000")
        self.port.setAccessibleName("Port")
        self.port.setFixedWidth(_PORT)
        self.asks_token = Switch("Ask for a token", on=True)
        self.problem = Words("", "err", theme.small())
        self._url, self._tools, self._mcp, self._openapi = (Words("", font=theme.data()) for _ in range(4))
        self._callers = Words("")
        self.token = Words("", font=theme.data())
        self.reveal = Button("Show", Kind.LINK)
        self.requests = RequestsModel()
        self.request_list: RowView[RequestLine] = RowView(self.requests, RequestsPainter(), name="Requests")
        self.request_list.set_empty("Nothing was asked of it yet.")
        self._lay_out()
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._connect()
        self._session.do(self._begin(), self)

    def _lay_out(self) -> None:
        gutter = DOCUMENT_GUTTER
        head = line_of(
            Words("Server", font=theme.data(600)),
            self._state,
            None,
            self.start_button,
            self.stop_button,
            margins=(gutter, 0, 12, 0),
            gap=12,
            height=HEADER,
        )
        asked = line_of(
            Words("Port", "ink2", width=KEY_WIDTH),
            self.port,
            self.asks_token,
            self.problem,
            None,
            margins=(gutter, 0, gutter, 0),
            gap=12,
            height=ROW + 8,
        )
        self._who = _place("Callers", self._callers)
        self._running = column_of(
            _place("Address", self._url, self._copier("Copy", "copy-server-url")),
            _place("Tools", self._tools),
            _place("MCP", self._mcp, self._copier("Copy", "copy-server-mcp")),
            _place("OpenAPI", self._openapi),
            _place("Token", self.token, self.reveal, self._copier("Copy", "copy-server-token")),
            self._who,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (head, Hairline(), asked, self._running, title("Requests", gutter=gutter)):
            layout.addWidget(piece)
        layout.addWidget(Heads(REQUEST_HEADS, self.request_list))
        layout.addWidget(self.request_list, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.start_button)

    def _copier(self, words: str, what: str) -> Button:
        button = Button(words, Kind.LINK)
        button.clicked.connect(lambda: do_offered(self, what))
        return button

    def _connect(self) -> None:
        self._pause.timeout.connect(lambda: self._session.do(self._look(), self))
        self._session.server_changed.connect(self._pause.start)
        self.start_button.clicked.connect(lambda: do_offered(self, "start-server"))
        self.stop_button.clicked.connect(lambda: do_offered(self, "stop-server"))
        self.port.returnPressed.connect(self.start_button.click)
        self.port.textChanged.connect(lambda: self._say_problem(""))
        self.reveal.clicked.connect(self._turn_token)

    # --- what it does

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        if self.view.state is ServerState.STOPPED:
            return {"start-server": self.start}
        if self.view.state is not ServerState.RUNNING:
            return {}
        ways: dict[str, Callable[[], None]] = {
            "stop-server": self.stop,
            "copy-server-url": lambda: self._copy(self.view.url),
            "copy-server-mcp": lambda: self._copy(f"{self.view.url}/mcp"),
        }
        if self.view.asks_token:
            ways["copy-server-token"] = self.copy_token
        return ways

    def start(self) -> None:
        """Start it with what the fields say."""
        self._session.do(self._start(), self)

    def stop(self) -> None:
        """Stop it, when the calls under way have ended."""
        self._session.do(self._session.ask_server(lambda desk, wb: desk.stop()))

    def copy_token(self) -> None:
        """Copy the token, whether or not it is shown."""
        self._session.do(self._copy_token(), self)

    async def _start(self) -> None:
        """Start it with what the fields say; what stands against it is said beside them."""
        self._say_problem("")
        text = self.port.text().strip() or self.port.placeholderText()
        if not (text.isascii() and text.isdecimal() and int(text) <= 65_535):
            self._say_problem("A port is a whole number up to 65535; 0 takes a free one.")
            return
        port, auth = int(text), self.asks_token.isChecked()
        self.start_button.setEnabled(False)
        try:
            await self._session.ask_server(lambda desk, wb: desk.start(wb, port, auth=auth))
        except UserError as error:
            self._say_problem(error.message)
            self.problem.setToolTip(f"{error.message}\n{error.hint}")
            self.start_button.setEnabled(True)
        await self._look()

    def _say_problem(self, words: str) -> None:
        self.problem.set_words(words)
        self.problem.set_mark(Mark.FAILED if words else None)
        set_state(self.port, "error" if words else "")

    def _copy(self, text: str) -> None:
        copy(text)
        self._session.tell("Copied.")

    async def _copy_token(self) -> None:
        self._copy(await self._session.ask_server(lambda desk, wb: desk.token) or "")

    def _turn_token(self) -> None:
        if self.token.words == _HIDDEN:
            self._session.do(self._show_token(), self)
        else:
            self._hide_token()

    async def _show_token(self) -> None:
        self.token.set_words(await self._session.ask_server(lambda desk, wb: desk.token) or "")
        self.token.setAccessibleName("Token, shown")
        self.reveal.set_words("Hide")

    def _hide_token(self) -> None:
        self.token.set_words(_HIDDEN if self.view.asks_token else "none is asked for")
        self.token.setAccessibleName("Token, hidden" if self.view.asks_token else "No token is asked for")
        self.reveal.set_words("Show")
        self.reveal.setVisible(self.view.asks_token)

    # --- what it shows

    async def _begin(self) -> None:
        settings = await self._session.ask(lambda wb: wb.server_settings)
        self.port.setPlaceholderText(str(settings.port))
        self.asks_token.setChecked(settings.auth)
        await self._look()

    async def _look(self) -> None:
        view = await self._session.ask_server(lambda desk, wb: desk.view())
        if (view.state, view.asks_token) != (self.view.state, self.view.asks_token) or not self._state.words:
            self.view = view
            self._show_state()
        self.view = view
        self._show_requests()

    def _show_state(self) -> None:
        view = self.view
        mark, words = _MARKS[view.state]
        self._state.set_words(words, role=mark.role, mark=mark)
        is_stopped, is_running = view.state is ServerState.STOPPED, view.state is ServerState.RUNNING
        self.start_button.setVisible(is_stopped)
        self.start_button.setEnabled(is_stopped)
        self.stop_button.setVisible(is_running)
        self.setFocusProxy(self.stop_button if is_running else self.start_button)
        for control in (self.port, self.asks_token):
            control.setEnabled(is_stopped)
        self._running.setVisible(is_running)
        self._url.set_words(view.url)
        self._tools.set_words(f"{view.url}/v1/tools/NAME")
        self._mcp.set_words(f"{view.url}/mcp")
        self._openapi.set_words(f"{view.url}/openapi.json")
        self._callers.set_words(f"{', '.join(view.callers)}, by tokens of their own")
        self._who.setVisible(bool(view.callers))
        self._hide_token()

    def _show_requests(self) -> None:
        if list(self.view.requests) == list(self.requests.rows):
            return
        bar = self.request_list.verticalScrollBar()
        follows = bar.value() >= bar.maximum()
        self.requests.show(self.view.requests)
        if follows:
            self.request_list.scrollToBottom()


def _place(key: str, value: Words, *right: Button) -> QWidget:
    margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
    return line_of(
        Words(key, "ink2", width=KEY_WIDTH), value, *right, None, margins=margins, gap=12, height=ROW
    )

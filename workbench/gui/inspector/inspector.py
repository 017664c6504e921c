"""The inspector: of whatever is looked at, the part that does not fit its row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.base.errors import UserError
from workbench.base.ids import CallId
from workbench.domain.changes import Changes
from workbench.domain.definitions import Diagnostic
from workbench.domain.tools import ToolDefinition
from workbench.forms import Sent
from workbench.gui.calls.call_panel import CallPanel
from workbench.gui.controls.layout import Ground, column_of, fill, line_of
from workbench.gui.controls.sections import head
from workbench.gui.controls.words import Words
from workbench.gui.inspector.problem_panel import ProblemPanel
from workbench.gui.inspector.sent_panel import SentPanel
from workbench.gui.session.session import Session
from workbench.gui.style.tokens import PANEL_GUTTER
from workbench.gui.variables.variable_panel import VariablePanel

_SETTLE_MS = 80


class Inspector(QWidget):
    """Shows one thing at a time: what will be sent, why nothing can be, a call, or a variable; always as it is now."""

    asked_about_calls = Signal(str, list)
    """A verb (`call_verbs`) and the ids of calls."""
    source_asked = Signal(str, int, int)
    set_asked = Signal(object)
    """A `VariableLine` to give a value."""
    left = Signal()
    """Escape was pressed: back to what the document in front is about."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._coming: CallPanel | None = None
        self.sent = SentPanel(session)
        self._place = QStackedWidget()
        hint = Words("Choose a call, a message or a variable.", "ink2")
        hint_line = line_of(hint, margins=(PANEL_GUTTER, 8, PANEL_GUTTER, 0))
        self._empty = column_of(head("Nothing selected"), hint_line, None, ground=Ground.WINDOW)
        self._place.addWidget(self._empty)
        self._place.addWidget(self.sent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._place)
        fill(self, Ground.WINDOW)
        self._wanted = ""
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self._show_wanted)
        session.refreshed.connect(self._refresh_variable)
        session.changed.connect(self._changed)

    def show_nothing(self) -> None:
        self._stop_waiting()
        self._show(self._empty)

    def show_sent(self, definition: ToolDefinition | None, sent: Sent | None) -> None:
        if definition is None or sent is None:
            self.show_nothing()
            return
        self._stop_waiting()
        self.sent.show_sent(definition, sent)
        self._show(self.sent)

    def update_sent(self, definition: ToolDefinition | None, sent: Sent | None) -> None:
        """Keep what will be sent up to date while something else is in view."""
        if definition is not None and sent is not None:
            self.sent.show_sent(definition, sent)

    @property
    def shows_front(self) -> bool:
        """Whether it shows what the document in front is about, and nothing else is on its way."""
        return not self._settle.isActive() and (
            self.shown in (self.sent, self._empty) or isinstance(self.shown, ProblemPanel)
        )

    def show_call(self, call_id: str) -> None:
        """Show a call, once the selection rests on it and the call was read."""
        self._stop_waiting()
        self._wanted = call_id
        self._settle.start()

    def show_problems(self, name: str, problems: Sequence[Diagnostic]) -> None:
        """Show why a definition cannot be called."""
        self._stop_waiting()
        shown = self.shown
        if isinstance(shown, ProblemPanel) and (shown.name, shown.problems) == (name, tuple(problems)):
            return
        page = ProblemPanel(name, problems)
        page.source_asked.connect(self.source_asked)
        self._show(page)

    def show_variable(self, line: VariableLine) -> None:
        self._stop_waiting()
        page = VariablePanel(self._session, line)
        page.set_asked.connect(self.set_asked)
        self._show(page)

    def _refresh_variable(self) -> None:
        """The variable that is shown may have another value or origin now, or be gone."""
        shown = self.shown
        if not isinstance(shown, VariablePanel):
            return
        line = next((each for each in self._session.variables if each.name == shown.line.name), None)
        if line is None:
            self.show_nothing()
        elif line != shown.line:
            self.show_variable(line)

    def _changed(self, changes: Changes) -> None:
        shown = self.shown
        if isinstance(shown, CallPanel) and (changes.history or shown.call_id in changes.calls):
            self._session.do(self._look_for(shown.call_id), self)

    async def _look_for(self, call_id: CallId) -> None:
        """A call that was deleted is shown no longer."""
        try:
            await self._session.ask(lambda wb: wb.call(call_id))
        except UserError:
            shown = self.shown
            if isinstance(shown, CallPanel) and shown.call_id == call_id:
                self.left.emit()

    def show_page(self, page: QWidget) -> None:
        """Show what the document in front tells of itself; the page is let go of when something else is shown."""
        self._stop_waiting()
        self._show(page)

    @property
    def shown(self) -> QWidget | None:
        return self._place.currentWidget()

    def _show_wanted(self) -> None:
        shown = self.shown
        if isinstance(shown, CallPanel) and shown.call_id == self._wanted:
            return
        page = CallPanel(self._session, CallId(self._wanted))
        page.asked.connect(self.asked_about_calls)
        page.source_asked.connect(self.source_asked)
        # Filling a page and laying it out are two steps, and the window draws breath between them.
        page.loaded.connect(self._arrived, Qt.ConnectionType.QueuedConnection)
        self._coming = page

    def _arrived(self) -> None:
        """Only now the page has something to show: what was there until then did not blink."""
        page, self._coming = self._coming, None
        if page is not None:
            self._show(page)

    def _stop_waiting(self) -> None:
        self._settle.stop()
        if self._coming is not None:
            self._coming.deleteLater()
            self._coming = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _show(self, page: QWidget) -> None:
        before = self.shown
        if page is before:
            return
        if self._place.indexOf(page) < 0:
            self._place.addWidget(page)
        self._place.setCurrentWidget(page)
        if before is not None and before not in (self._empty, self.sent):
            self._place.removeWidget(before)
            before.deleteLater()

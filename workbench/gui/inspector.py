"""The inspector: of whatever is looked at, the part that does not fit its row."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app import VariableLine
from workbench.base.ids import CallId
from workbench.domain.tools import ToolDefinition
from workbench.forms import Sent
from workbench.gui.call_panel import CallPanel
from workbench.gui.controls import Ground, column_of, fill
from workbench.gui.sections import head
from workbench.gui.sent_panel import SentPanel
from workbench.gui.session import Session
from workbench.gui.variable_panel import VariablePanel

_SETTLE_MS = 80


class Inspector(QWidget):
    """Shows one thing at a time: what will be sent, a call, or a variable."""

    asked_about_calls = Signal(str, list)
    """A verb (`call_verbs`) and the ids of calls."""
    source_asked = Signal(str, int)
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
        self._empty = column_of(head("Nothing selected"), None, ground=Ground.WINDOW)
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
        """Keep what will be sent up to date, in view or not."""
        if self.shown in (self.sent, self._empty) and not self._settle.isActive():
            self.show_sent(definition, sent)
        elif definition is not None and sent is not None:
            self.sent.show_sent(definition, sent)

    def show_call(self, call_id: str) -> None:
        """Show a call, once the selection rests on it and the call was read."""
        self._stop_waiting()
        self._wanted = call_id
        self._settle.start()

    def show_variable(self, line: VariableLine) -> None:
        self._stop_waiting()
        page = VariablePanel(self._session, line)
        page.set_asked.connect(self.set_asked)
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
        page.loaded.connect(self._arrived)
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

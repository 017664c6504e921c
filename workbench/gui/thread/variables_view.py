"""The page of a thread's variables: what its agent reaches, where each value comes from, the thread's own values."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app import VariableLine, Workbench
from workbench.base.ids import ThreadId
from workbench.domain.changes import Changes
from workbench.domain.events import CallFinished, Event, ThreadMoved
from workbench.domain.variables import Scope
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, Hairline, fill, line_of
from workbench.gui.controls.row_view import RowView
from workbench.gui.controls.words import Words
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.variables.variable_editor import VariableEditor
from workbench.gui.variables.variables_model import Row, VariablesModel
from workbench.gui.variables.variables_view import VariableHeads, VariablesPainter

_PAUSE_MS = 250


class ThreadVariablesView(QWidget):
    """As the thread sees them (V1): a value that is set here is the thread's own."""

    missing = Signal(int)
    """How many required ones have no value."""

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self.model = VariablesModel()
        self.view = RowView(self.model, VariablesPainter(), name="Variables of the thread")
        self.view.set_empty("Nothing that this thread can come to declares a variable.")
        self.editor = VariableEditor(session, thread_id)
        self._said = Words("As this thread sees them: its own value wins", "ink2", theme.small())
        self._missing = Words("", "warn", theme.small(), mark=Mark.MISSING)
        self.take_away = Button("Remove own value", Kind.QUIET, icon="trash")
        new = Button("New variable", Kind.QUIET, icon="plus")
        margins = (DOCUMENT_GUTTER, 0, 12, 0)
        bar = line_of(self._missing, self._said, None, self.take_away, new, margins=margins, height=HEADER)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for piece in (bar, self.editor, Hairline(), VariableHeads(self.view)):
            layout.addWidget(piece)
        layout.addWidget(self.view, 1)
        fill(self, Ground.BASE)
        self.setFocusProxy(self.view)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: session.do(self._read(), self))
        new.clicked.connect(lambda: self.editor.begin(None))
        self.take_away.clicked.connect(lambda: session.do(self._unset(), self))
        self.editor.done.connect(self.view.setFocus)
        self.view.moved.connect(self._moved)
        self.view.opened.connect(self._edit)
        self.view.acted.connect(lambda row, _: self._edit(row))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        session.refreshed.connect(self._pause.start)
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        self._moved(None)
        session.do(self._read(), self)

    async def _read(self) -> None:
        async def read(wb: Workbench) -> tuple[VariableLine, ...]:
            return await wb.thread_data.variables(await wb.threads.thread(self._thread_id))

        lines = await self._session.ask(read)
        current = self.view.current()
        self.model.show_lines(lines)
        missing = sum(line.missing for line in lines)
        self._missing.setVisible(missing > 0)
        self._missing.set_words(f"{missing} missing")
        self.missing.emit(missing)
        at = self.model.position(current.name) if isinstance(current, VariableLine) else None
        rows = range(self.model.count())
        first = next((at for at in rows if self.model.selectable(self.model.row(at))), None)
        if at is not None or first is not None:
            self.view.go_to(at if at is not None else first or 0)
        self._moved(self.view.current())

    async def _unset(self) -> None:
        line = self.view.current()
        if isinstance(line, VariableLine):
            await self._session.ask(lambda wb: wb.thread_data.unset_variable(self._thread_id, line.name))

    def _edit(self, row: Row) -> None:
        if isinstance(row, VariableLine):
            self.editor.begin(row)

    def _moved(self, row: Row | None) -> None:
        own = isinstance(row, VariableLine) and row.scope is Scope.THREAD and not row.is_default
        self.take_away.setEnabled(own)

    def _happened(self, events: list[Event]) -> None:
        told = (event for event in events if isinstance(event, CallFinished | ThreadMoved))
        if any(event.thread_id == self._thread_id for event in told):
            self._pause.start()

    def _changed(self, changes: Changes) -> None:
        if changes.variables or changes.definitions or self._thread_id in changes.threads:
            self._pause.start()

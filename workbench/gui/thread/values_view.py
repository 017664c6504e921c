"""The page of a thread's durable values: a table by key, each looked at as JSON, changed and taken away by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from workbench.app import Workbench
from workbench.app.results.characters import revealed_in_json
from workbench.base.errors import BugError
from workbench.base.ids import ThreadId
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.domain.changes import Changes
from workbench.domain.events import CallEmitted, CallFinished, Event, StepEnded, TurnEnded
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.heads import Column, Heads
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.texts import Grammar, Highlighter, exact_text, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, Work
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.revealing import write
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.thread.split import split

_LIST = 380
_SIZE = 12
_PAUSE_MS = 250
_VALUE = 176
_HEADS = (
    Column("Key", DOCUMENT_GUTTER),
    Column("Value", _VALUE, about="As JSON."),
    Column("Size", -_SIZE, right=True, about="Of the value as JSON."),
)


class Kept(NamedTuple):
    """A value by its key, as JSON text."""

    key: str
    json: str


class ValuesModel(ListedRows[Kept]):
    """By key."""

    def name(self, row: Kept) -> str:
        return row.key

    def words(self, row: Kept) -> str:
        return f"{row.key}: {row.json[:200]}"

    def tip(self, row: Kept) -> str:
        return f"{row.key}\n{revealed_in_json(row.json[:1000])}"


class _Painter(RowPainter[Kept]):
    def paint_row(self, line: Line, row: Kept, look: Look) -> None:
        line.text(row.key, DOCUMENT_GUTTER, _VALUE - DOCUMENT_GUTTER - 12, font=theme.data())
        write(line, row.json, _VALUE, line.width - _VALUE - 84, "ink2", font=theme.data())
        size = amounts.size(len(row.json.encode(errors="replace")))
        line.text(size, line.width - _SIZE - 70, 70, "ink2", theme.small(), align=paint.RIGHT)


class ValuesView(QWidget):
    """Follows the thread; Enter changes a value, Delete asks before it goes."""

    counted = Signal(int)

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self.model = ValuesModel()
        self.list = RowView(self.model, _Painter(), name="Values")
        self.list.set_empty("No values. Code keeps them with state.set_value(key, value).")
        self.view = ResultView(_no_file, lambda work: session.do(work, self))
        new = Button("New value", Kind.QUIET, icon="plus")
        self._title = Words("", font=theme.data(600))
        self.change = Button("Edit", Kind.QUIET, icon="pencil")
        self.take_away = Button("Delete…", Kind.QUIET, icon="trash")
        margins = (DOCUMENT_GUTTER, 0, 12, 0)
        head = line_of(self._title, None, self.change, self.take_away, margins=margins, height=HEADER)
        self._beside = column_of(head, Hairline(), self.view)
        self._beside.hide()
        said = Words("Durable, for this thread only", "ink2", theme.small())
        bar = line_of(said, None, new, margins=margins, height=HEADER)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        above = column_of(bar, Hairline(), Heads(_HEADS, self.list), self.list)
        layout.addWidget(split(Qt.Orientation.Horizontal, above, self._beside, _LIST, _LIST))
        fill(self, Ground.BASE)
        self.setFocusProxy(self.list)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: session.do(self._read(), self))
        self.list.moved.connect(self._moved)
        self.list.opened.connect(self.edit)
        self.list.delete_asked.connect(self.delete)
        new.clicked.connect(lambda: self.edit(None))
        self.change.clicked.connect(lambda: self.edit(self.list.current()))
        self.take_away.clicked.connect(self.delete)
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._pause.start)
        session.do(self._read(), self)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return {} if self._beside.isHidden() else self.view.offers()

    def edit(self, kept: Kept | None) -> None:
        """Ask for another value, or for a new one with its key."""

        def put(key: str, text: str) -> Work:
            return self._session.ask(lambda wb: wb.thread_data.set_value(self._thread_id, key, text))

        ValueDialog(self, kept, put).open()

    def delete(self) -> None:
        """Ask, then take the current value away."""
        kept = self.list.current()
        if kept is None:
            return
        dialog = Ask(self, f"Delete {kept.key}?", "Code of this thread then finds nothing under this key.")
        (delete,) = dialog.offer(("Delete", Kind.PRIMARY, lambda: self._begin_deleting(kept.key)))
        delete.setFocus()
        dialog.open()

    def _begin_deleting(self, key: str) -> None:
        self._session.do(self._delete(key), self)

    async def _delete(self, key: str) -> None:
        await self._session.ask(lambda wb: wb.thread_data.delete_value(self._thread_id, key))

    async def _read(self) -> None:
        async def read(wb: Workbench) -> tuple[Kept, ...]:
            return tuple(Kept(key, text) for key, text in await wb.thread_data.values(self._thread_id))

        rows = await self._session.ask(read)
        if rows == self.model.rows:
            return
        current = self.list.current()
        self.model.show(rows)
        self.counted.emit(len(rows))
        self._beside.setVisible(bool(rows))
        at = next((at for at, row in enumerate(rows) if current and row.key >= current.key), len(rows) - 1)
        if rows:
            self.list.go_to(at)

    def _moved(self, kept: Kept | None) -> None:
        if kept is not None:
            self._title.set_words(kept.key)
            self.view.show_result(ToolResult(json_text=kept.json), kept.key, can_compare=False)

    def _happened(self, events: list[Event]) -> None:
        told = (
            event for event in events if isinstance(event, CallFinished | CallEmitted | StepEnded | TurnEnded)
        )
        if any(event.thread_id == self._thread_id for event in told):
            self._pause.start()

    def _changed(self, changes: Changes) -> None:
        if changes.history or self._thread_id in changes.threads:
            self._pause.start()


class ValueDialog(Ask):
    """A key and a value as JSON; what cannot be read keeps the dialog open."""

    def __init__(self, parent: QWidget, kept: Kept | None, put: Callable[[str, str], Work]) -> None:
        title = f"Edit {kept.key}" if kept is not None else "New value"
        super().__init__(parent, title, "As JSON; null takes the value away.", width=560)
        self.key = LineField("key")
        self.key.setAccessibleName("Key")
        self.text = QPlainTextEdit()
        self.text.setProperty("role", "field")
        self.text.setFont(theme.data())
        self.text.setAccessibleName("Value as JSON")
        self.text.setFixedHeight(220)
        self._highlighter = Highlighter(self.text.document(), Grammar.JSON)
        if kept is not None:
            self.key.setText(kept.key)
            self.key.setReadOnly(True)
            self.text.setPlainText(pretty_json(kept.json))
        self.body.addWidget(self.key)
        self.body.addWidget(self.text)
        (self.keep,) = self.offer_attempts(
            ("Keep", Kind.PRIMARY, lambda: put(self.key.text().strip(), exact_text(self.text.document())))
        )
        (self.key if kept is None else self.text).setFocus()


async def _no_file(ref: AttachmentRef) -> bytes:
    raise BugError(f"A value has no files, but {ref.name} was asked for.")

"""The page of a thread's own files: the list, and the one that is looked at beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app.results.opening import file_to_open
from workbench.app.runs.previews import LOOKED_AT, preview, reference
from workbench.base.ids import ThreadId
from workbench.domain.calls import AttachmentRef
from workbench.domain.changes import Changes
from workbench.domain.events import CallFinished, Event, MessageAdded
from workbench.engine.ports import StoredFile
from workbench.gui import lane
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.heads import Column, Heads
from workbench.gui.controls.layout import Ground, Hairline, column_of, fill, line_of
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.controls.words import Words
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.saving import save_as
from workbench.gui.session.session import Session
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER
from workbench.gui.thread.split import split

_LIST = 460
_TYPE, _SIZE = 172, 12
_PAUSE_MS = 250
_HEADS = (
    Column("Path", DOCUMENT_GUTTER + 22),
    Column("Type", -_TYPE, about="What is in it, as whoever wrote it says (MIME type)."),
    Column("Size", -_SIZE, right=True),
)


class FilesModel(ListedRows[StoredFile]):
    """By path."""

    def name(self, row: StoredFile) -> str:
        return row.path

    def words(self, row: StoredFile) -> str:
        return f"{row.path}, {row.mime_type}, {amounts.size(row.size)}"

    def tip(self, row: StoredFile) -> str:
        return f"{row.path}\n{row.size:,} bytes, written {amounts.moment(row.created_at)}"


class _Painter(RowPainter[StoredFile]):
    def paint_row(self, line: Line, row: StoredFile, look: Look) -> None:
        icon = "image" if row.mime_type.startswith("image/") else "file"
        line.icon(icon, DOCUMENT_GUTTER, "ink" if look.current else "ink2")
        x = DOCUMENT_GUTTER + 22
        room = line.width - _TYPE - x - 8
        line.text(row.path, x, room, font=theme.data(), elide=paint.ELIDE_MIDDLE)
        line.text(row.mime_type, line.width - _TYPE, _TYPE - 80, "ink2", theme.small())
        line.text(
            amounts.size(row.size), line.width - _SIZE - 70, 70, "ink2", theme.small(), align=paint.RIGHT
        )


class FilesView(QWidget):
    """Follows the thread: files that come or go are told of by its calls and messages."""

    counted = Signal(int)

    def __init__(self, session: Session, thread_id: ThreadId) -> None:
        super().__init__()
        self._session = session
        self._thread_id = thread_id
        self.model = FilesModel()
        self.list = RowView(self.model, _Painter(), name="Files")
        self.list.set_empty("No files. Attachments and what tools write with write_file stand here.")
        self.view = ResultView(self._bytes, lambda work: session.do(work, self), lists_files=False)
        self._said = Words("", "ink2")
        self._title = Words("", font=theme.data(600))
        self.open = Button("Open", Kind.QUIET, icon="open")
        self.save = Button("Save file…", Kind.QUIET, icon="import")
        head = line_of(
            self._title, None, self.open, self.save, margins=(DOCUMENT_GUTTER, 0, 12, 0), height=HEADER
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(self.view)
        self._pages.addWidget(column_of(line_of(self._said, margins=(DOCUMENT_GUTTER, 8, 12, 0)), None))
        self._beside = column_of(head, Hairline(), self._pages)
        self._beside.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        above = column_of(Heads(_HEADS, self.list), self.list)
        layout.addWidget(split(Qt.Orientation.Horizontal, above, self._beside, _LIST, 360))
        fill(self, Ground.BASE)
        self.setFocusProxy(self.list)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: session.do(self._read(), self))
        self.list.moved.connect(self._moved)
        self.list.opened.connect(self.open_outside)
        self.open.clicked.connect(self.open_outside)
        self.save.clicked.connect(lambda: session.do(self._save(), self))
        session.happened.connect(self._happened)
        session.changed.connect(self._changed)
        session.missed.connect(self._pause.start)
        session.do(self._read(), self)

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        if self._beside.isHidden() or self._pages.currentWidget() is not self.view:
            return {}
        return self.view.offers()

    async def _read(self) -> None:
        files = await self._session.ask(lambda wb: wb.thread_data.files(self._thread_id))
        if files == self.model.rows:
            return
        current = self.list.current()
        self.model.show(files)
        self.counted.emit(len(files))
        self._beside.setVisible(bool(files))
        at = next((at for at, file in enumerate(files) if current and file.path == current.path), 0)
        if files:
            self.list.go_to(at)

    def _moved(self, file: StoredFile | None) -> None:
        if file is not None:
            self._title.set_words(file.path.rpartition("/")[2])
            self._session.do(self._show(file), self)

    async def _show(self, file: StoredFile) -> None:
        if file.size > LOOKED_AT:
            self._say(f"{amounts.size(file.size)} are too much to be looked at here. Save it, or open it.")
            return
        data = await self._bytes(reference(file))
        shown = preview(file, data)
        if self.list.current() != file:
            return
        if shown is None:
            self._say(f"{file.mime_type}, {amounts.size(file.size)}: neither text nor a picture.")
        else:
            self.view.show_result(shown, file.path.rpartition("/")[2], can_compare=False)
            self._pages.setCurrentWidget(self.view)

    def _say(self, words: str) -> None:
        self._said.set_words(words)
        self._pages.setCurrentIndex(1)

    async def _bytes(self, ref: AttachmentRef) -> bytes:
        return await self._session.ask(lambda wb: wb.read_file(self._thread_id, ref.path))

    async def _save(self) -> None:
        file = self.list.current()
        if file is not None:
            ref = reference(file)
            save_as(self, ref.name, await self._bytes(ref))

    def open_outside(self) -> None:
        """Open the current file in the program that the desktop has for it."""
        file = self.list.current()
        if file is not None:
            self._session.do(self._open(reference(file)), self)

    async def _open(self, ref: AttachmentRef) -> None:
        data = await self._bytes(ref)

        def opened(path: Path) -> None:
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                self._session.tell(f"No program opens {path.name}. Save it instead.")

        lane.start(self, lambda _: file_to_open(ref.name, data), opened, self._session.failed.emit)

    def _happened(self, events: list[Event]) -> None:
        told = (event for event in events if isinstance(event, CallFinished | MessageAdded))
        if any(event.thread_id == self._thread_id for event in told):
            self._pause.start()

    def _changed(self, changes: Changes) -> None:
        if changes.history or self._thread_id in changes.threads:
            self._pause.start()

"""What can be done to a message, a file or a whole thread, in menus and by commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QMenu, QVBoxLayout

from workbench.app.conversation.rows import Call, Fact, Head, Row, Text
from workbench.app.conversation.said import Said
from workbench.app.results.opening import file_to_open
from workbench.base.errors import BugError, UserError
from workbench.base.ids import MessageId
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.gui import lane
from workbench.gui.controls.sections import copy
from workbench.gui.results.result_view import ResultView
from workbench.gui.style import icons
from workbench.gui.thread.conversation_view import text_of
from workbench.gui.thread.thread_commands import EDIT_KEYS, FORK_KEYS, INSERT_KEYS, RUN_FROM_KEYS
from workbench.gui.thread.thread_forks import FORK_TIP, RUN_TIP

if TYPE_CHECKING:
    from workbench.gui.thread.thread_document import ThreadDocument


class MessageMenu(QObject):
    """Acts on the row that it was opened for, and for commands on the current row."""

    def __init__(self, document: ThreadDocument) -> None:
        super().__init__(document)
        self._document = document

    # --- a row

    def open_for_row(self, row: Row, place: QPoint) -> None:
        menu = self._menu()
        said = row.said
        if isinstance(row, Call | Fact):
            call_id = row.called.id
            opens = "Open the call\tEnter"
            menu.addAction(icons.icon("open"), opens, lambda: self._document.call_opened.emit(call_id))
        part = self._document.conversation.view.selected_text()
        words = "Copy what is selected" if part else "Copy"
        menu.addAction(icons.icon("copy"), f"{words}\tCtrl+C", lambda: copy(part or text_of(row)))
        if isinstance(row, Text | Head):
            opens = "Show whole…" if isinstance(row, Head) else "Show whole…\tEnter"
            menu.addAction(icons.icon("open"), opens, lambda: self.show_whole(said))
        menu.addSeparator()
        if not (said.coming or said.waiting):
            self._offer_forks(menu, said.message.id)
        for title, icon, do in self._changes(row):
            menu.addAction(icons.icon(icon), title, do)
        menu.popup(place)
        menu.setActiveAction(menu.actions()[0])

    def _offer_forks(self, menu: QMenu, at: MessageId) -> None:
        fork = self._document.fork
        menu.setToolTipsVisible(True)
        here = menu.addAction(icons.icon("branch"), f"Fork here\t{FORK_KEYS}", lambda: fork(at))
        here.setToolTip(FORK_TIP)
        on = menu.addAction(icons.icon("play"), f"Run from here\t{RUN_FROM_KEYS}", lambda: fork(at, run=True))
        on.setToolTip(RUN_TIP)
        menu.addSeparator()

    def _changes(self, row: Row) -> list[tuple[str, str, Callable[[], None]]]:
        asks, said = self._document.asks, row.said
        if said.coming or said.waiting:
            return []
        edit = [(f"Edit message…\t{EDIT_KEYS}", "pencil", lambda: asks.edit(said))] if _has_text(row) else []
        return [
            *edit,
            (f"Insert a message before…\t{INSERT_KEYS}", "plus", lambda: asks.insert(said)),
            ("Delete message…\tDelete", "trash", lambda: asks.delete_message(said.message.id)),
        ]

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done to the current row's message, by the ids of commands."""
        asks, row = self._document.asks, self._document.conversation.view.current()
        fork = self._document.fork
        ways: dict[str, Callable[[], None]] = {"insert-message": lambda: asks.insert(None)}
        if row is None or row.said.coming or row.said.waiting:
            return ways
        said = row.said
        if _has_text(row):
            ways["edit-message"] = lambda: asks.edit(said)
        return {
            **ways,
            "fork-here": lambda: fork(said.message.id),
            "run-from-here": lambda: fork(said.message.id, run=True),
            "insert-message": lambda: asks.insert(said),
            "delete-message": lambda: asks.delete_message(said.message.id),
        }

    def delete_chosen(self) -> None:
        """Ask whether the current row's message is to go; nothing where there is none that could."""
        delete = self.offers().get("delete-message")
        if delete is not None:
            delete()

    def show_whole(self, said: Said) -> None:
        """A message in a viewer of its own: to be searched, selected from, copied and saved."""
        document = self._document
        dialog = QDialog(document)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Message")
        dialog.resize(760, 560)
        view = ResultView(_no_file, document.conversation.run)
        view.show_result(ToolResult(text=said.text), "message", can_compare=False)
        layout = QVBoxLayout(dialog)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(view)
        dialog.open()
        view.setFocus()

    # --- a file

    def open_file(self, ref: AttachmentRef) -> None:
        """Hand a file to the program that the system opens it with."""
        self._document.conversation.run(self._open_file(ref))

    async def _open_file(self, ref: AttachmentRef) -> None:
        data = await self._document.conversation.read_file(ref)

        def opened(path: Path) -> None:
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                self._document.conversation.fail(
                    UserError(f"No program opens {path.name}.", hint="Save it instead.")
                )

        def failed(error: BaseException) -> None:
            self._document.conversation.fail(UserError(str(error)))

        lane.start(self._document, lambda _: file_to_open(ref.name, data), opened, failed)

    # --- the thread

    def open_for_thread(self, place: QPoint) -> None:
        document, asks = self._document, self._document.asks
        menu = self._menu()
        menu.addAction(icons.icon("copy"), "Copy its id", lambda: copy(document.thread_id))
        command = f"workbench thread show {document.thread_id}"
        menu.addAction(icons.icon("copy"), "Copy as command line", lambda: copy(command))
        menu.setToolTipsVisible(True)
        fork = menu.addAction(icons.icon("branch"), "Fork the whole thread", lambda: document.fork(None))
        fork.setToolTip(FORK_TIP)
        menu.addAction(icons.icon("script"), "Save as a script", asks.save_script)
        menu.addAction(icons.icon("loop"), "Replay…", document.replay)
        menu.addAction(icons.icon("export"), "Export…", document.export)
        menu.addAction(icons.icon("plus"), "Insert a message…", lambda: asks.insert(None))
        if document.now is not None and document.now.forked_from is not None:
            menu.addAction("Compare with the original", document.original_asked.emit)
        menu.addAction("Compare with…", document.comparison_asked.emit)
        menu.addAction(
            "What models are sent instead…", lambda: document.conversation.run(asks.show_repairs())
        )
        menu.addSeparator()
        menu.addAction(icons.icon("stop"), "End for good…", asks.terminate)
        menu.addAction(icons.icon("trash"), "Delete thread…", asks.delete)
        menu.popup(place)
        menu.setActiveAction(menu.actions()[0])

    def _menu(self) -> QMenu:
        menu = QMenu(self._document)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu


def _has_text(row: Row) -> bool:
    """Whether there is a text to edit: a call's line is about the call, whatever its message says."""
    return bool(row.said.text) and not isinstance(row, Call | Fact)


async def _no_file(ref: AttachmentRef) -> bytes:
    raise BugError(f"A message's text has no files, but {ref.name} was asked for.")

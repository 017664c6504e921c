"""What a person asks of a thread: send, stop, let it go on, change what was said, copy, delete."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.app import Workbench
from workbench.app.conversation.changing import deletion, repairs_of
from workbench.app.conversation.said import Said
from workbench.app.threads.thread_scripts import SavedScript
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.threads import Message, Role
from workbench.gui.controls.button import Kind
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, ask_about
from workbench.gui.session.session import Session
from workbench.gui.thread.message_dialogs import DeleteMessage, EditMessage, InsertMessage, RepairsDialog


class ThreadActions(QObject):
    """Asks where a decision is needed; what goes wrong is shown by the session."""

    changed = Signal()
    """What is kept of the thread was changed by hand."""
    deleted = Signal()

    def __init__(self, session: Session, thread_id: ThreadId, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._thread_id = thread_id
        self._parent = parent

    async def send(self, text: str, files: Sequence[Path]) -> Message:
        """Raises UserError when the thread takes no message, or a file cannot be read."""
        thread_id = self._thread_id
        return await self._session.ask(lambda wb: wb.threads.send(thread_id, text, attachments=files))

    def stop(self) -> None:
        thread_id = self._thread_id
        self._session.do(self._session.ask(lambda wb: wb.threads.stop(thread_id)))

    def go_on(self) -> None:
        thread_id = self._thread_id
        self._session.do(self._session.ask(lambda wb: wb.threads.go_on(thread_id)))

    def save_script(self) -> None:
        """Save what models answered as a script of the project, and say where it is."""

        async def save(wb: Workbench) -> SavedScript:
            return await wb.scripts.save(await wb.threads.thread(self._thread_id))

        async def save_and_tell() -> None:
            saved = await self._session.ask(save)
            self._session.tell(f"Saved as {saved.model}: a scripted model with this file plays it.")

        self._session.do(save_and_tell(), self)

    def terminate(self) -> None:
        """Ask, then end it for good."""

        async def end() -> None:
            thread_id = self._thread_id
            await self._session.ask(lambda wb: wb.threads.terminate(thread_id))
            self.changed.emit()

        dialog = Ask(self._parent, "End this thread for good?", "It takes no more work; what it did is kept.")
        dialog.offer_attempts(("End it", Kind.PRIMARY, end))[0].setFocus()
        dialog.open()

    def delete(self) -> None:
        """Ask, then delete it with all below it."""

        async def delete() -> None:
            thread_id = self._thread_id
            await self._session.ask(lambda wb: wb.threads.delete(thread_id))
            self.deleted.emit()

        words = "Its messages, calls, files and values go, with the threads below it."
        dialog = Ask(self._parent, "Delete this thread for good?", words, width=560)
        dialog.body.addWidget(Words("This cannot be undone.", "ink2"))
        dialog.offer_attempts(("Delete", Kind.PRIMARY, delete))[0].setFocus()
        dialog.open()

    # --- messages

    def edit(self, said: Said) -> None:
        message_id = said.message.id

        async def keep(text: str) -> None:
            await self._session.ask(lambda wb: wb.threads.edit_message(message_id, text))
            self.changed.emit()

        EditMessage(self._parent, said.message, keep).open()

    def insert(self, before: Said | None) -> None:
        """A message before another one, or at the end."""
        thread_id, at = self._thread_id, before.message.id if before is not None else None

        async def put(text: str, role: Role) -> None:
            await self._session.ask(
                lambda wb: wb.threads.insert_message(thread_id, text, role=role, before=at)
            )
            self.changed.emit()

        place = (
            "Before the chosen message."
            if before is not None
            else "At the end; the thread does not run for it."
        )
        InsertMessage(self._parent, place, put).open()

    def delete_message(self, message_id: MessageId) -> None:
        self._session.do(self._ask_to_delete(message_id), self)

    async def _ask_to_delete(self, message_id: MessageId) -> None:
        thread_id = self._thread_id
        gone = await self._session.ask(lambda wb: deletion(wb.store, thread_id, message_id))

        async def delete() -> None:
            await self._session.ask(lambda wb: wb.threads.delete_messages(thread_id, message_id))
            self.changed.emit()

        DeleteMessage(self._parent, gone, delete).open()

    async def repairs(self) -> int:
        """How many repairs of what is damaged a request makes in what is kept (T10)."""
        thread_id = self._thread_id
        return (await self._session.ask(lambda wb: repairs_of(wb.store, thread_id))).damages

    async def show_repairs(self) -> None:
        thread_id = self._thread_id
        found = await self._session.ask(lambda wb: repairs_of(wb.store, thread_id))
        RepairsDialog(self._parent, found).open()

    # --- calls that wait

    def act_on_call(self, call_id: CallId, action: str) -> None:
        """`approve`, `edit`, `reject` or `stop`."""
        match action:
            case "stop":
                self._session.do(self._session.ask(lambda wb: wb.stop_call(call_id)))
            case "approve":
                self._session.do(self._session.ask(lambda wb: wb.decide(call_id, "approve")))
            case "edit" | "reject":
                rejects = action == "reject"
                self._session.do(ask_about(call_id, self._session, self._parent, rejects=rejects))
            case _:
                raise AssertionError(f"a call has no action {action!r}")

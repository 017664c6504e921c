"""The code pads of a project as the window lists them, and what is asked about one: a new one, its name, its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from workbench.domain.changes import Changes
from workbench.gui.controls.button import Kind
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.navigator.navigator_entries import PAD, Entry
from workbench.gui.session.session import Session
from workbench.gui.window.documents import Documents

if TYPE_CHECKING:
    from workbench.app.pads.contents import PadInfo
    from workbench.gui.code_pad.pad_document import CodePad


class PadShelf(QObject):
    """Opens pads as documents, each of them once, and follows what becomes of them."""

    changed = Signal()
    """The list is another."""
    state_changed = Signal()
    """What a pad can do, or does, may be another."""

    def __init__(self, session: Session, documents: Documents) -> None:
        super().__init__(documents)
        self._session = session
        self._documents = documents
        self.pads: Sequence[PadInfo] = ()
        session.changed.connect(self._follow)

    @property
    def entries(self) -> list[Entry]:
        """The pads as the navigator lists them."""
        return [Entry(PAD + pad.id, pad.name, "code", is_document=True) for pad in self.pads]

    def running(self) -> int:
        """How many pads run."""
        return sum(pad is not None and pad.runner.running for pad in map(self.opened, self._ids()))

    def opened(self, id: str) -> CodePad | None:
        """The document of a pad, if it is open: the key is only ever a pad's."""
        return cast("CodePad | None", self._documents.get(PAD + id))

    def _ids(self) -> list[str]:
        return [key.removeprefix(PAD) for key in self._documents.open_keys() if key.startswith(PAD)]

    def look(self) -> None:
        """Read the list."""
        self._session.do(self._read(), self)

    def _follow(self, changes: Changes) -> None:
        if changes.pads:
            self.look()

    async def _read(self) -> None:
        self.pads = await self._session.ask(lambda wb: wb.code_pads.all())
        for pad in self.pads:
            document = self.opened(pad.id)
            if document is not None and document.name != pad.name:
                document.show_name(pad.name)
                self._documents.rename(document, pad.name)
        self.changed.emit()

    # --- what is asked

    def new(self) -> None:
        """A pad to begin with."""
        self._session.do(self._new())

    async def _new(self) -> None:
        info = await self._session.ask(lambda wb: wb.code_pads.create())
        (await self.show(info.id)).setFocus()

    async def show(self, id: str) -> CodePad:
        """Bring a pad to the front. Raises UserError when it is gone."""
        from workbench.gui.code_pad.pad_document import CodePad

        pad = await self._session.ask(lambda wb: wb.code_pads.open(id))
        known = self.opened(id)
        if known is not None:
            self._documents.bring_forward(known)
            return known
        document = CodePad(self._session, pad)
        self._documents.open(PAD + id, pad.info.name, "code", lambda: document)
        document.rename_asked.connect(lambda: self.rename(id))
        document.delete_asked.connect(lambda: self.delete(id))
        document.state_changed.connect(self.state_changed)
        if document.unsaved:
            document.unsaved_changed.emit()
        return document

    def rename(self, id: str) -> None:
        """Ask for another name."""

        async def named(name: str) -> None:
            await self._session.ask(lambda wb: wb.code_pads.rename(id, name))

        from workbench.gui.code_pad.pad_names import AskName

        AskName(self._documents, "Rename the code pad", "Rename", named, name=self._name(id)).open()

    def delete(self, id: str) -> None:
        """Ask whether it goes."""

        async def gone() -> None:
            await self._session.ask(lambda wb: wb.code_pads.delete(id))
            self._documents.close_key(PAD + id)

        words = "Its code goes, and how its last run ended. Calls that it made stay in the history."
        dialog = Ask(self._documents, f"Delete {self._name(id)} for good?", words, width=560)
        dialog.body.addWidget(Words("This cannot be undone.", "ink2"))
        (button,) = dialog.offer_attempts(("Delete", Kind.PRIMARY, gone))
        dialog.open()
        button.setFocus()

    def _name(self, id: str) -> str:
        return next((pad.name for pad in self.pads if pad.id == id), "the code pad")

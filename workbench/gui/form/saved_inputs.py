"""The dialogs of saved inputs: one asks for a name, one lists them all to be loaded, renamed and deleted."""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from workbench.app.inputs.saved import LONGEST_NAME, NameTaken, SavedInput
from workbench.app.notices import not_masked
from workbench.base.errors import WorkbenchError
from workbench.base.sentences import shortened
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, Refusal, Work
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import ROW

_WIDTH = 560
_PREVIEW = 72
_MOST_ROWS = 10


class SaveInputDialog(Ask):
    """Keeps what a form holds under a name; a name in use is overwritten by a second yes."""

    def __init__(self, parent: QWidget, session: Session, tool: str, arguments: str) -> None:
        super().__init__(parent, "Save input", f"Kept with this project for {tool}.")
        self.masking = Words("Looking for secrets to mask…", "ink2")
        self.body.addWidget(self.masking)
        self._session = session
        self._tool = tool
        self._arguments = arguments
        self._taken = ""
        """The name that was found to be in use."""
        self.name = LineField("name, such as refund of two items", mono=False)
        self.name.setAccessibleName("Name of the saved input")
        self.name.setMaxLength(LONGEST_NAME)
        preview = Words(shortened(arguments, _PREVIEW), "ink2", theme.data())
        for piece in (self.name, preview):
            self.body.addWidget(piece)
        (self.button,) = self.offer_attempts(("Save", Kind.PRIMARY, self._save))
        self.button.setEnabled(False)
        self.name.textChanged.connect(self._typed)
        self.name.returnPressed.connect(self.button.click)
        self.name.setFocus()
        session.do(self._look_at_masking(), self)

    async def _look_at_masking(self) -> None:
        names = await self._session.ask(lambda wb: wb.inputs.not_masked())
        if names:
            self.masking.set_words(not_masked(names), role="warn", mark=Mark.WARNING)
        else:
            self.masking.set_words("Secrets are masked.")

    def _typed(self, text: str) -> None:
        self.button.setEnabled(bool(text.strip()))
        self.button.set_words("Save")
        self._taken = ""
        self.refusal.show_words()

    def _save(self) -> Work:
        return self._try_to_save(self.name.text())

    async def _try_to_save(self, name: str) -> None:
        tool, arguments, overwrite = self._tool, self._arguments, self._taken == name
        try:
            saved = await self._session.ask(
                lambda wb: wb.inputs.save(tool, name, arguments, overwrite=overwrite)
            )
        except NameTaken:
            if shiboken6.isValid(self):
                self._taken = name
                self.button.set_words("Overwrite")
            raise
        self._session.tell(f"Saved as {saved.name}.")


class SavedInputsDialog(Ask):
    """All saved inputs of a tool. What is deleted can be put back while the dialog is open."""

    chosen = Signal(str)
    """The arguments of the input to load, JSON text."""

    def __init__(self, parent: QWidget, session: Session, tool: str, saved: Sequence[SavedInput]) -> None:
        about = "Change a name and press Enter to rename." if saved else "Save input as… keeps the first one."
        super().__init__(parent, f"Saved inputs of {tool}", about, width=_WIDTH)
        self.rows = [_Row(session, tool, one, self.refusal) for one in saved]
        holder = QWidget()
        layout = QVBoxLayout(holder)
        layout.setContentsMargins(3, 3, 3, 3)
        layout.setSpacing(6)
        for row in self.rows:
            row.loaded.connect(self._choose)
            layout.addWidget(row)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(holder)
        scroll.setFixedHeight((ROW + 6) * min(max(len(self.rows), 1), _MOST_ROWS) + 8)
        self.body.addWidget(scroll)
        self.body.addWidget(self.refusal)
        self.offer(leave="Close")
        if self.rows:
            self.rows[0].load.setFocus()

    def _choose(self, arguments: str) -> None:
        self.accept()
        self.chosen.emit(arguments)


class _Row(QWidget):
    """One saved input: its name to edit, and what can be done to it."""

    loaded = Signal(str)

    def __init__(self, session: Session, tool: str, saved: SavedInput, refusal: Refusal) -> None:
        super().__init__()
        self._session = session
        self._tool = tool
        self._saved = saved
        self._refusal = refusal
        self._is_there = True
        self.field = LineField("name", mono=False)
        self.field.setAccessibleName(f"Name of {saved.name}")
        self.field.setMaxLength(LONGEST_NAME)
        self.field.setText(saved.name)
        self.field.setToolTip(shortened(saved.arguments, 400))
        self.load = Button("Load")
        self.load.setAccessibleName(f"Load {saved.name}")
        self.delete = Button("Delete", Kind.QUIET)
        self.delete.setAccessibleName(f"Delete {saved.name}")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(line_of(self.field, self.load, self.delete, gap=8, height=ROW))
        self.field.editingFinished.connect(self._rename)
        self.load.clicked.connect(lambda: self.loaded.emit(self._saved.arguments))
        self.delete.clicked.connect(self._delete_or_put_back)

    def _rename(self) -> None:
        name = self.field.text()
        if self._is_there and " ".join(name.split()) != self._saved.name:
            self._session.do(self._try(self._rename_to(name)), self)

    async def _rename_to(self, name: str) -> None:
        tool, old = self._tool, self._saved.name
        self._saved = await self._session.ask(lambda wb: wb.inputs.rename(tool, old, name))

    def _delete_or_put_back(self) -> None:
        self._session.do(self._try(self._delete() if self._is_there else self._put_back()), self)

    async def _delete(self) -> None:
        tool, name = self._tool, self._saved.name
        await self._session.ask(lambda wb: wb.inputs.delete(tool, name))
        self._is_there = False

    async def _put_back(self) -> None:
        tool, saved = self._tool, self._saved
        await self._session.ask(lambda wb: wb.inputs.save(tool, saved.name, saved.arguments))
        self._is_there = True

    async def _try(self, work: Work) -> None:
        """Do it; what is refused is said in the dialog, and the row shows how things stand."""
        self._refusal.show_words()
        try:
            await work
        except WorkbenchError as error:
            self._refusal.show_words(error.message, error.hint)
        self.field.setText(self._saved.name)
        self.field.setEnabled(self._is_there)
        self.load.setEnabled(self._is_there)
        self.field.setAccessibleName(f"Name of {self._saved.name}")
        self.load.setAccessibleName(f"Load {self._saved.name}")
        self.delete.set_words("Delete" if self._is_there else "Put back")
        self.delete.setAccessibleName(f"{self.delete.text()} {self._saved.name}")

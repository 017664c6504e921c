"""One file of a code pad: its text, what is wrong with it, and the bars to find in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.app.pads.contents import PadFile
from workbench.domain.definitions import Diagnostic, Language
from workbench.gui.editor.bars import EditorBars
from workbench.gui.editor.code_edit import CodeEdit


class PadEditor(QWidget):
    """Belongs to a pad, which keeps what is typed."""

    edited = Signal()
    moved = Signal()
    """The caret is somewhere else."""
    save_asked = Signal()

    def __init__(self, file: PadFile) -> None:
        super().__init__()
        self.name = file.name
        self.edit = CodeEdit(Language.TYPESCRIPT)
        self.edit.load(file.text, Language.TYPESCRIPT)
        self.edit.setAccessibleName(file.name)
        self.bars = EditorBars(self.edit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.edit, 1)
        layout.addWidget(self.bars.line)
        layout.addWidget(self.bars.find)
        self.setFocusProxy(self.edit)
        self.edit.edited.connect(self.edited)
        self.edit.cursorPositionChanged.connect(self.moved)
        self.edit.asked.connect(self._asked)

    @property
    def file(self) -> PadFile:
        """The file as it stands."""
        return PadFile(name=self.name, text=self.edit.text())

    @property
    def place(self) -> str:
        """Where the caret is, in words."""
        cursor = self.edit.textCursor()
        return f"Line {cursor.blockNumber() + 1}, column {cursor.positionInBlock() + 1}"

    def rename(self, name: str) -> None:
        self.name = name
        self.edit.setAccessibleName(name)

    def show_problems(self, problems: Sequence[Diagnostic]) -> None:
        """Mark what is wrong with it."""
        self.edit.show_problems([problem for problem in problems if problem.path == self.name])

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return self.bars.offers()

    def _asked(self, what: str) -> None:
        if what == "save":
            self.save_asked.emit()
        elif not self.bars.answer(what):
            self.focusNextChild()  # Escape: nobody is caught in the text

"""The dialog that asks for a name: of a code pad, or of one of its files."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from workbench.gui.controls.button import Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.dialogs.asking import Ask, Work


class AskName(Ask):
    """`take` is given the name; what it refuses is said in the dialog, which stays."""

    def __init__(
        self,
        parent: QWidget,
        title: str,
        verb: str,
        take: Callable[[str], Work],
        *,
        words: str = "",
        name: str = "",
        ghost: str = "name",
    ) -> None:
        super().__init__(parent, title, words, width=520)
        self.field = LineField(ghost, mono=False)
        self.field.setAccessibleName("Name")
        self.field.setText(name)
        self.field.selectAll()
        self.body.addWidget(self.field)
        (self.button,) = self.offer_attempts((verb, Kind.PRIMARY, lambda: take(self.field.text())))
        self.field.textChanged.connect(self._typed)
        self.field.returnPressed.connect(self.button.click)
        self._typed(name)
        self.field.setFocus()

    def _typed(self, text: str) -> None:
        self.button.setEnabled(bool(text.strip()))
        self.refusal.show_words()

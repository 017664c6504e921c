"""The dialog that bounds the arguments in time of the calls made here (C11)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from workbench.gui.controls.button import Kind
from workbench.gui.controls.instant_field import InstantField
from workbench.gui.dialogs.asking import Ask


class AskAsOf(Ask):
    """`done` gets the instant, or None for no bound."""

    def __init__(self, parent: QWidget, instant: str | None, done: Callable[[str | None], None]) -> None:
        words = "Arguments that are bounds in time (time_args) must be instants no later than this one."
        super().__init__(parent, "As of an instant", words, width=640)
        self.field = InstantField("As of", instant)
        self.body.addWidget(self.field)
        self.none, self.button = self.offer(
            ("No bound", Kind.PLAIN, lambda: done(None)),
            ("Set", Kind.PRIMARY, lambda: done(self.field.instant)),
        )
        self.none.setVisible(instant is not None)
        self.field.changed.connect(self._show)
        self.field.field.returnPressed.connect(self.button.click)
        self._show()
        self.field.setFocus()

    def _show(self) -> None:
        self.button.setEnabled(self.field.instant is not None and not self.field.why)

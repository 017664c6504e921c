"""What stands in the place of a form's fields while its JSON text cannot be read."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.base.exact_json import JsonError
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, column_of, fill, line_of
from workbench.gui.controls.words import Words
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW


class Unreadable(QWidget):
    """Stands in the place of the fields while the JSON text cannot be read, since they would show an older state."""

    back = Signal()
    """To the JSON text."""
    dropped = Signal()
    """Give the JSON text up."""

    def __init__(self) -> None:
        super().__init__()
        self._why = Words(role="err", font=theme.data())
        self.back_button = Button("Go to the place", Kind.PRIMARY)
        self.drop_button = Button("Drop the JSON text")
        self.back_button.clicked.connect(self.back)
        self.drop_button.clicked.connect(self.dropped)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(
            column_of(
                Words("The JSON text cannot be read yet", font=theme.body(600), mark=Mark.FAILED),
                self._why,
                Words(
                    "The fields would show what was there before it, so they wait until it can be read.",
                    "ink2",
                ),
                line_of(self.back_button, self.drop_button, None, height=ROW),
                None,
                margins=(DOCUMENT_GUTTER, 16, DOCUMENT_GUTTER, 16),
                gap=8,
            )
        )
        fill(self, Ground.BASE)

    def show_error(self, error: JsonError) -> None:
        self._why.set_words(f"{error.message[:1].upper()}{error.message[1:]}.")

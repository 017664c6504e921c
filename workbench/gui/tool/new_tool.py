"""The dialog that makes a new tool: its name, and the template it starts from."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from workbench.app.definitions.tool_templates import TEMPLATES, check_name
from workbench.base.errors import UserError
from workbench.gui.controls.button import Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, Work

_WIDTH = 520


class NewToolDialog(Ask):
    """`make` gets the name and the id of a template; what it refuses is said in the dialog, which stays."""

    def __init__(self, parent: QWidget, make: Callable[[str, str], Work]) -> None:
        super().__init__(parent, "New tool", width=_WIDTH)
        self._make = make
        self.name = LineField("name, such as fetch_order")
        self.name.setAccessibleName("Name of the new tool")
        self._templates = Segments([one.title for one in TEMPLATES], 0, name="Template")
        self._about = Words(TEMPLATES[0].description, "ink2")
        for piece in (self.name, self._templates, self._about):
            self.body.addWidget(piece)
        margins = self.body.contentsMargins()
        self.setFixedWidth(max(_WIDTH, self._templates.width() + margins.left() + margins.right()))
        (self._create,) = self.offer_attempts(("Create", Kind.PRIMARY, self._create_tool))
        self._create.setEnabled(False)
        self._templates.chosen.connect(self._show_template)
        self.name.textChanged.connect(self._typed)
        self.name.returnPressed.connect(self._create.click)
        self.name.setFocus()

    def _show_template(self, at: int) -> None:
        self._about.set_words(TEMPLATES[at].description)
        self._typed(self.name.text())

    def _typed(self, text: str) -> None:
        """What cannot be a name is said while it is typed."""
        self._create.setEnabled(False)
        self.refusal.show_words()
        if not text.strip():
            return
        try:
            check_name(text.strip(), TEMPLATES[self._templates.current])
        except UserError as error:
            self.refusal.show_words(error.message, error.hint)
        else:
            self._create.setEnabled(True)

    def _create_tool(self) -> Work:
        return self._make(self.name.text().strip(), TEMPLATES[self._templates.current].id)

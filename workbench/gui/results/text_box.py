"""A text in a document or panel, as tall as it needs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, line_of
from workbench.gui.controls.texts import SHOWN, Grammar, TextView
from workbench.gui.controls.words import Words
from workbench.gui.results.saving import save_as
from workbench.gui.style import amounts, theme
from workbench.gui.style.tokens import PANEL_GUTTER


class TextBox(QWidget):
    """A text with its gutter, as tall as it needs; beyond what can be shown it offers to save the whole.

    `reveal` is what is done to the part that is shown: all of a text may take longer than the window can wait.
    """

    def __init__(
        self,
        text: str,
        grammar: Grammar = Grammar.PLAIN,
        *,
        name: str,
        reveal: Callable[[str], str] = str,
        most_lines: int = 24,
        gutter: int = PANEL_GUTTER,
        ground: Ground = Ground.WINDOW,
    ) -> None:
        super().__init__()
        self._text = text
        self.view = TextView(grammar, name=name, most_lines=most_lines, on_window=ground is Ground.WINDOW)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(gutter, 0, gutter, 0)
        layout.setSpacing(4)
        layout.addWidget(self.view)
        if len(text) > SHOWN:
            save = Button("Save all…", Kind.LINK)
            save.clicked.connect(self._save)
            note = Words(
                f"The first {amounts.size(SHOWN)} of {amounts.size(len(text))}", "ink2", theme.small()
            )
            layout.addWidget(line_of(note, save, None, gap=12))
        self.view.show_text(reveal(text[:SHOWN]))

    def _save(self) -> None:
        save_as(self, "result.txt", self._text.encode("utf-8", "replace"))

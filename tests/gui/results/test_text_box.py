"""A text in a panel: what hides in it is shown, in as much of it as is shown."""

from __future__ import annotations

from tests.gui.driving import Ui
from workbench.app.results.characters import revealed
from workbench.gui.controls.texts import SHOWN
from workbench.gui.results.text_box import TextBox


def test_what_hides_is_looked_for_only_in_the_part_that_is_shown(ui: Ui) -> None:
    asked: list[int] = []

    def reveal(text: str) -> str:
        asked.append(len(text))
        return revealed(text)

    box = TextBox("\u200b" + "x" * 2 * SHOWN, name="Result", reveal=reveal)

    assert asked == [SHOWN]
    assert box.view.toPlainText().startswith("\\u200bxxx")

"""A line of words says all of what it holds: what is cut, what hides in it, and what only looks like markup."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication

from workbench.app.results.characters import count_hidden
from workbench.gui.controls.words import Words
from workbench.gui.style.tips import plain, revealed

pytestmark = pytest.mark.usefixtures("ui")


def test_words_that_are_cut_have_the_whole_as_their_tip() -> None:
    words = Words("register_parcel")
    assert words.toolTip() == ""
    words.resize(40, words.height())
    QApplication.sendEvent(words, QResizeEvent(words.size(), words.size()))
    assert words.toolTip() == "register_parcel"
    assert words.accessibleName() == "register_parcel"


def test_characters_that_hide_or_turn_the_text_are_written_as_escapes() -> None:
    words = Words("cpdf.\u202etxt, no\u200bthing but a name")
    shown = "cpdf.\\u202etxt, no\\u200bthing but a name"
    assert (words.accessibleName(), words.toolTip()) == (shown, shown)
    assert words.words == "cpdf.\u202etxt, no\u200bthing but a name"


def test_no_character_that_hides_is_passed_over() -> None:
    hiding = [chr(code) for code in range(0x10000) if count_hidden(chr(code))]
    assert len(hiding) > 100
    assert [character for character in hiding if revealed(character) == character] == []
    assert revealed("Ren\u00e9 \u2013 \u201chello\u201d\u2026") == "Ren\u00e9 \u2013 \u201chello\u201d\u2026"


def test_a_tip_draws_no_markup() -> None:
    assert plain("5 to 8") == "5 to 8"
    assert "&lt;img src=x&gt;" in plain("<img src=x>")

"""Whatever text takes the place of another, it is that text, character by character, and undo has the one before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.gui.driving import Ui
from workbench.app.source.files import source_of
from workbench.domain.definitions import Language
from workbench.gui.editor.code_edit import CodeEdit

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab \t\n\n\"'#\u00a0\u200b\u202e\U0001f600\x0b\x0c\x1c\x85"),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
).filter(lambda text: "\r" not in text and not source_of("a.py", text.encode()).locked)


@given(old=TEXTS, new=TEXTS)
def test_a_text_is_exchanged_for_another_and_back(ui: Ui, old: str, new: str) -> None:
    edit = CodeEdit()
    edit.load(old, Language.PYTHON)
    assert edit.text() == old
    edit.replace_text(new)
    assert edit.text() == new
    if old != new:
        assert edit.document().isModified()
        edit.undo()
    assert edit.text() == old
    assert not edit.document().isModified()
    edit.deleteLater()

"""What an editor does to lines keeps everything else of the text as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.source.edits import (
    blanks_after,
    blanks_before_bracket,
    comment_toggled,
    edit_within,
    edits_between,
    indent_unit,
    indented,
    outdented,
)
from workbench.app.source.utf16 import Utf16
from workbench.domain.definitions import Language

PYTHON, TYPESCRIPT = Language.PYTHON, Language.TYPESCRIPT
LINES = st.lists(st.text("ab \t#:(", max_size=6), max_size=8)


@given(st.text("ab\n", max_size=40), st.text("ab\n", max_size=40))
def test_edits_make_one_text_of_the_other(old: str, new: str) -> None:
    made = old
    for edit in edits_between(old, new):
        made = made[: edit.start] + edit.text + made[edit.end :]
    assert made == new


@given(st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_the_edit_within_a_line_makes_one_of_the_other(old: str, new: str) -> None:
    edit = edit_within(old, new)
    assert old[: edit.start] + edit.text + old[edit.end :] == new


@given(LINES, st.sampled_from(["    ", "  ", "\t"]))
def test_outdenting_takes_back_what_indenting_did(lines: list[str], unit: str) -> None:
    assert outdented(indented(lines, unit), unit) == [
        line if line.strip() else outdented([line], unit)[0] for line in lines
    ]


@given(
    st.lists(st.from_regex(r"\A[ ]{0,4}[ab][ab#]{0,3}\Z"), min_size=1, max_size=6),
    st.sampled_from((PYTHON, TYPESCRIPT)),
)
def test_commenting_twice_gives_the_lines_back(lines: list[str], language: Language) -> None:
    once = comment_toggled(lines, language)
    assert once != lines
    assert comment_toggled(once, language) == lines


def test_comments_stand_at_the_indentation_that_lines_share() -> None:
    assert comment_toggled(["    if a:", "", "        b()"], PYTHON) == ["    # if a:", "", "    #     b()"]
    assert comment_toggled(["", ""], PYTHON) == ["# ", "# "]


@pytest.mark.parametrize(
    ("before", "language", "blanks"),
    [
        ("def f():", PYTHON, "    "),
        ("    call(", PYTHON, "        "),
        ("    x = 1", PYTHON, "    "),
        ("        return x", PYTHON, "    "),
        ("return", PYTHON, ""),
        ("  const f = () => {", TYPESCRIPT, "      "),
        ("  return x", TYPESCRIPT, "  "),
        ("  case 1:", TYPESCRIPT, "  "),
    ],
)
def test_a_new_line_begins_where_its_code_will_stand(before: str, language: Language, blanks: str) -> None:
    assert blanks_after(before, "    ", language) == blanks


@pytest.mark.parametrize(
    ("blanks", "above", "moved"),
    [
        ("    ", "const f = () => {", ""),
        ("    ", "    return x;", ""),
        ("        ", "    call(", "    "),
        ("", "    return x;", ""),
        ("    ", "        return x;", "    "),
        ("", "f();", ""),
    ],
)
def test_a_closing_bracket_stands_where_what_it_closes_does(blanks: str, above: str, moved: str) -> None:
    assert blanks_before_bracket(blanks, above, "    ", TYPESCRIPT) == moved


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("", "    "),
        ("if a:\n  b\n  if c:\n    d\n", "  "),
        ("if a:\n\tb\n", "\t"),
        ("if a:\n    b\n", "    "),
    ],
)
def test_the_step_of_indentation_is_that_of_the_file(text: str, unit: str) -> None:
    assert indent_unit(text, PYTHON) == unit


@given(st.text("a€😀", max_size=12), st.integers(0, 12))
def test_places_are_counted_as_qt_counts_them_and_back(text: str, place: int) -> None:
    place = min(place, len(text))
    places = Utf16(text)
    assert places.units(place) == len(text[:place].encode("utf-16-le")) // 2
    assert places.place(places.units(place)) == place

"""Rows of a text: nothing lost, nothing twice, wherever the text is cut and wrapped."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.app.results import text_index
from workbench.app.results.text_index import Row, TextIndex

TEXTS = st.lists(
    st.sampled_from(["\n", "\r\n", "word ", "a", "\t", "ש", "😀", "x" * 30, " " * 9, "\r", "\u2028"]),
    max_size=60,
).map("".join)


def whole(text: str, columns: int) -> TextIndex:
    index = TextIndex(text, columns)
    while index.grow():
        pass
    return index


def rows(index: TextIndex) -> list[Row]:
    return [index.row(at) for at in range(index.row_count)]


@given(text=TEXTS, columns=st.integers(2, 40), block=st.integers(41, 120))
@example(text="x" * 30 + " " * 9 + "\r" + "x" * 30, columns=2, block=41)
def test_rows_cover_a_text_without_gap_whatever_the_blocks(text: str, columns: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_index, "BLOCK", block)
        index = whole(text, columns)
        found = rows(index)

        assert found[0].start == 0
        for row, following in pairwise(found):
            assert text[row.end : following.start] in ("", "\n", "\r\n"), (row, following)
            assert following.first == (text[following.start - 1] == "\n")
        assert text[found[-1].end :] in ("", "\r")
        assert all(row.end - row.start <= columns for row in found)
        assert [row.line for row in found] == [text.count("\n", 0, row.start) + 1 for row in found]
        assert index.line_count == text.count("\n") + 1


@given(text=TEXTS, columns=st.integers(2, 40))
def test_a_place_is_found_in_its_row_and_a_line_at_its_first_row(text: str, columns: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_index, "BLOCK", 64)
        index = whole(text, columns)
        found = rows(index)

        for at, row in enumerate(found):
            assert index.row_at(row.start) == max(
                i for i, other in enumerate(found) if other.start <= row.start
            )
            if row.first:
                assert index.row_of_line(row.line) == at


def test_a_long_line_wraps_after_a_space_where_there_is_one() -> None:
    index = whole("one two three four", 10)

    assert [index.text[row.start : row.end] for row in rows(index)] == ["one two ", "three four"]


def test_an_index_that_still_grows_tells_only_what_it_knows() -> None:
    index = TextIndex("line\n" * 100_000, 80)

    index.grow()

    assert not index.complete
    assert index.row(index.row_count - 1).end < index.known
    assert 0 < index.row_count < 100_000

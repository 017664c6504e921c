"""Pairs of lines are broken to a width: nothing is lost, marks stay on what they mark."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results.differences import Change, LinePair, compare_texts
from workbench.app.results.wrapping import wrapped

LINES = st.text(alphabet="ab ", max_size=40)


@given(old=LINES, new=LINES, columns=st.integers(3, 20))
def test_the_pieces_of_a_pair_are_its_lines_again_with_the_same_marks(
    old: str, new: str, columns: int
) -> None:
    for pair in compare_texts(old, new).pairs:
        pieces = list(wrapped(pair, columns))

        assert "".join(piece.old for piece in pieces) == pair.old
        assert "".join(piece.new for piece in pieces) == pair.new
        assert all(max(len(piece.old), len(piece.new)) <= columns for piece in pieces)
        for marks, side in (("old_marks", "old"), ("new_marks", "new")):
            marked = [getattr(pair, side)[a:b] for a, b in getattr(pair, marks)]
            broken = [getattr(piece, side)[a:b] for piece in pieces for a, b in getattr(piece, marks)]
            assert "".join(broken) == "".join(marked)


def test_lines_are_broken_between_words_and_a_side_that_has_ended_is_none() -> None:
    pair = LinePair(Change.CHANGED, 3, "one two three", 4, "one", ((4, 7),), ())

    assert list(wrapped(pair, 8)) == [
        LinePair(Change.CHANGED, 3, "one two ", 4, "one", ((4, 7),), ()),
        LinePair(Change.CHANGED, 3, "three", 0, ""),
    ]


def test_how_many_equal_lines_are_left_out_is_no_line() -> None:
    skipped = LinePair(Change.SKIPPED, 12)

    assert list(wrapped(skipped, 1)) == [skipped]

"""Two results are aligned by content, so that one insertion does not shift the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results.alignment import align
from workbench.app.results.differences import COMPARED, Change, compare_texts, compare_values, marked
from workbench.base.exact_json import JsonValue

LINES = st.lists(st.sampled_from(["a", "b", "c", "{", "}", "one", "two"]), max_size=30)


@given(old=LINES, new=LINES)
def test_an_alignment_covers_both_sides_and_pairs_only_equals(old: list[str], new: list[str]) -> None:
    a = c = 0
    for piece in align(old, new):
        assert (piece.old_start, piece.new_start) == (a, c)
        a, c = piece.old_end, piece.new_end
        if piece.same:
            assert old[piece.old_start : a] == new[piece.new_start : c]
    assert (a, c) == (len(old), len(new))


def test_one_line_that_came_shifts_nothing_else() -> None:
    old = [f"line {number}" for number in range(30_000)]
    new = [*old[:10_000], "new line", *old[10_000:]]

    difference = compare_texts("\n".join(old), "\n".join(new))

    assert (difference.added, difference.removed) == (1, 0)
    assert [pair.change for pair in difference.pairs].count(Change.SKIPPED) == 2
    assert len(difference.pairs) == 2 + 6 + 1


def test_a_changed_line_stands_beside_what_it_was_with_the_part_that_differs() -> None:
    difference = compare_texts("status 200 in 14 ms", "status 503 in 14 ms")

    (pair,) = difference.pairs
    assert pair.change is Change.CHANGED
    assert {pair.old[a:b] for a, b in pair.old_marks} <= {"200", "2", "0", "00"}
    assert "".join(pair.new[a:b] for a, b in pair.new_marks) in ("503", "53", "50")


def test_words_are_told_apart_and_of_each_what_lies_between_equal_ends_is_marked() -> None:
    (sentence,) = compare_texts("We are sorry, Mina: it left late.", "I am sorry, Mina: it left early.").pairs
    (word,) = compare_texts("a" * 60 + "b" + "c" * 60, "a" * 60 + "BB" + "c" * 60).pairs

    assert [sentence.old[a:b] for a, b in sentence.old_marks] == ["We", "are", "late"]
    assert [sentence.new[a:b] for a, b in sentence.new_marks] == ["I", "am", "early"]
    assert [word.new[a:b] for a, b in word.new_marks] == ["BB"]


@pytest.mark.parametrize(
    ("old", "new", "was", "now"),
    [
        (
            "That did not work, sorry.",
            "This is done, then.",
            "That did not work, sorry",
            "This is done, then",
        ),
        ("quote_postage", "register_parcel", "quote_postage", "register_parcel"),
        ("call regional_post", "call register_parcel", "regional_post", "register_parcel"),
        ('  "text": "hello world",', '  "text": "other things"', 'hello world",', 'other things"'),
    ],
)
def test_of_lines_or_words_that_are_hardly_alike_one_whole_part_is_marked(
    old: str, new: str, was: str, now: str
) -> None:
    old_marks, new_marks = marked(old, new)

    assert [old[a:b] for a, b in old_marks] == [was]
    assert [new[a:b] for a, b in new_marks] == [now]


def test_equal_texts_are_told_to_be_the_same() -> None:
    assert compare_texts("a\nb", "a\nb").same
    assert not compare_texts("a\nb", "a\nb\n").same


@pytest.mark.slow
def test_beyond_the_bound_it_is_said_whether_the_rest_differs() -> None:
    long = "x\n" * (COMPARED // 2)

    assert "is equal" in compare_texts(long + "end", long + "end").note
    assert "differs too" in compare_texts(long + "end", long + "END").note


def test_values_are_compared_by_path_and_items_by_content() -> None:
    old: JsonValue = {"kept": 1, "gone": 2, "items": [{"sku": "A"}, {"sku": "B"}, {"sku": "C"}], "n": 1}
    new: JsonValue = {
        "kept": 1,
        "items": [{"sku": "new"}, {"sku": "A"}, {"sku": "B"}, {"sku": "C"}],
        "n": "1",
        "came": None,
    }

    changes = {
        (change.change, change.pointer): (change.old, change.new) for change in compare_values(old, new)
    }

    assert changes == {
        (Change.REMOVED, "/gone"): ("2", ""),
        (Change.ADDED, "/came"): ("", "null"),
        (Change.ADDED, "/items/0"): ("", '{"sku":"new"}'),
        (Change.CHANGED, "/n"): ("1", '"1"'),
    }

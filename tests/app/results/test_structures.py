"""JSON values side by side: what moved is no difference, one insertion shifts nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results.differences import Change, TextDifference
from workbench.app.results.structures import compare_json
from workbench.base.exact_json import JsonValue, dump, parse


def changes(found: TextDifference) -> list[tuple[Change, str, str]]:
    same = (Change.SAME, Change.SKIPPED)
    return [
        (pair.change, pair.old.strip(), pair.new.strip()) for pair in found.pairs if pair.change not in same
    ]


def test_one_inserted_item_is_one_difference() -> None:
    items: list[JsonValue] = [{"id": number, "name": f"name {number}"} for number in range(50)]

    found = compare_json(items, [*items[:10], {"id": "new"}, *items[10:]])

    assert [new for _, _, new in changes(found)] == ["{", '"id": "new"', "}"]
    assert (found.added, found.removed) == (3, 0)


def test_the_order_of_keys_is_no_difference() -> None:
    assert compare_json({"a": 1, "b": {"x": [1, 2], "y": None}}, {"b": {"y": None, "x": [1, 2]}, "a": 1}).same


def test_a_changed_value_stands_beside_what_it_was_with_the_part_that_differs_marked() -> None:
    (pair,) = (
        pair
        for pair in compare_json({"to": {"city": "Bonn"}}, {"to": {"city": "Born"}}).pairs
        if pair.change is Change.CHANGED
    )

    assert [pair.old[start:end] for start, end in pair.old_marks] == ["n"]
    assert [pair.new[start:end] for start, end in pair.new_marks] == ["r"]


def test_a_member_that_went_stands_where_it_was() -> None:
    found = compare_json({"a": 1, "gone": [1, 2], "z": 3}, {"a": 1, "z": 3, "more": None})

    assert changes(found) == [
        (Change.REMOVED, '"gone": [', ""),
        (Change.REMOVED, "1", ""),
        (Change.REMOVED, "2", ""),
        (Change.REMOVED, "]", ""),
        (Change.ADDED, "", '"more": null'),
    ]


def test_numbers_that_are_written_otherwise_differ() -> None:
    assert changes(compare_json(parse("[1.0]"), parse("[1.00]"))) == [(Change.CHANGED, "1.0", "1.00")]


VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b\n", "ü,"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_each_side_reads_as_the_value_it_stands_for(old: JsonValue, new: JsonValue) -> None:
    before: JsonValue = ["p", old, "x"]  # what is equal at either end is left out
    after: JsonValue = ["q", new, "y"]
    found = compare_json(before, after, context=10_000)

    for value, lines, numbers in (
        (before, [p.old for p in found.pairs if p.old_at], [p.old_at for p in found.pairs if p.old_at]),
        (after, [p.new for p in found.pairs if p.new_at], [p.new_at for p in found.pairs if p.new_at]),
    ):
        assert numbers == list(range(1, len(lines) + 1))
        assert sorted(lines) == sorted(line.removesuffix(",") for line in dump(value, indent=2).split("\n"))
    assert compare_json(old, new).same == (len(changes(found)) == 2)

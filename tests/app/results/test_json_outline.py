"""An outline gives the same value as reading the whole text, however big its parts are."""

from __future__ import annotations

import json
import sys
import time
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results import json_outline, json_reading
from workbench.app.results.json_outline import PAGE, Outline, subscript
from workbench.app.results.json_reading import Kind, Member
from workbench.base.exact_json import JsonError, JsonValue, parse
from workbench.base.json_pointer import pointer

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('a"\\é\n', max_size=12),
    lambda inner: (
        st.lists(inner, max_size=8) | st.dictionaries(st.text('k"\\ ', max_size=5), inner, max_size=6)
    ),
    max_leaves=40,
)


def rebuilt(outline: Outline, member: Member) -> JsonValue:
    if not member.kind.holds:
        return parse(outline.value_text(member))
    members: list[Member] = []
    more = True
    while more:
        page = outline.page(member, len(members))
        members += page.members
        more = page.more
    assert outline.count(member) == len(members)
    if member.kind is Kind.ARRAY:
        assert [one.key for one in members] == list(range(len(members)))
        return [rebuilt(outline, one) for one in members]
    return {str(one.key): rebuilt(outline, one) for one in members}


@given(value=VALUES, indent=st.none() | st.integers(0, 3))
def test_an_outline_holds_the_value_of_its_text(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        # Everything is big, and pages are short: each way through the text is taken.
        for name, size in {"BIG": 8, "WINDOW": 24, "PAGE": 3}.items():
            patch.setattr(json_outline, name, size)
            patch.setattr(json_reading, name, size, raising=False)
        outline = Outline(text)
        outline.scan(lambda: False)

        assert outline.complete
        assert rebuilt(outline, outline.root()) == parse(text)


def test_a_page_far_inside_is_reached_at_once_and_numbers_keep_their_digits() -> None:
    text = "[" + ", ".join(f'{{"n": {number}.50}}' for number in range(20_000)) + "]"
    outline = Outline(text)
    outline.scan(lambda: False)
    root = outline.root()

    page = outline.page(root, outline.page_at(root, text.index("19999.50")))

    assert (page.first, len(page.members), page.more) == (20_000 - PAGE, PAGE, False)
    inner = outline.page(page.members[-1]).members[0]
    assert (inner.key, outline.value_text(inner)) == ("n", "19999.50")


@pytest.mark.parametrize("width", [1, 40, 4_000])
def test_every_member_of_many_is_found_by_its_place(width: int) -> None:
    text = json.dumps([str(number).rjust(width) for number in range(1_234)])
    outline = Outline(text)
    outline.scan(lambda: False)
    root = outline.root()

    for number in (0, 499, 500, 1_233):
        place = text.index(f'{str(number).rjust(width)}"') if number else 2
        page = outline.page(root, outline.page_at(root, place))
        assert next(one.key for one in page.members if place < one.end) == number


def test_the_first_members_are_there_before_the_pass_has_run() -> None:
    outline = Outline(json.dumps([{"text": "x" * 100} for _ in range(100_000)]))

    page = outline.page(outline.root())

    assert len(page.members) == PAGE
    assert page.more


@pytest.mark.parametrize("broken", ['{"a": 1', "[1, 2", '{"a" 1}', "[1 2]", '["open]', "nope!", "[1],"])
def test_what_is_no_json_is_refused_with_its_place(broken: str) -> None:
    outline = Outline(broken)

    def read() -> None:
        outline.scan(lambda: False)
        rebuilt(outline, outline.root())

    with pytest.raises(JsonError, match="line 1"):
        read()


def test_paths_are_told_as_pointer_and_as_python() -> None:
    path = ("items", 0, "a/b~c", 'say "x"')

    assert pointer(path) == '/items/0/a~1b~0c/say "x"'
    assert eval(subscript(path), {"result": {"items": [{"a/b~c": {'say "x"': 7}}]}}) == 7


def test_the_pass_over_a_long_flat_array_lets_others_have_their_turn() -> None:
    outline = Outline(json.dumps({"numbers": list(range(600_000)), "text": 'a"\\' * 500_000}))
    turns = 0
    done = Event()

    def beat() -> None:
        nonlocal turns
        while not done.is_set():
            time.sleep(0.001)
            turns += 1

    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    other = Thread(target=beat)
    other.start()
    try:
        outline.scan(lambda: False)
    finally:
        done.set()
        other.join()
        sys.setswitchinterval(before)

    assert turns > 10  # a whole parse leaves two or three

"""The watcher sees one string argument whole at its closing quote, whatever stands around it and however it is cut."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.models.argument_watcher import ArgumentWatcher

AWKWARD = [
    '"',
    "\\",
    '\\"',
    "😀",
    "a😀b",
    "\n\t\r\b\f\x01",
    '{"intent":"x"}',
    "[]",
    "\\u0041",
    "</x>",
    "\u2028",
    "{",
    "}",
    ",",
    ":",
]
texts = st.text(max_size=12) | st.sampled_from(AWKWARD)
keys = st.sampled_from(["intent", "a", 'in"tent', "intent ", "π", "😀", ""]) | st.text(max_size=4)
leaves = texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)
seeds = st.integers(0, 2**32).map(Random)
members = st.lists(st.tuples(keys, values), max_size=6)


def written(pairs: Sequence[tuple[str, object]], *, ascii: bool, random: Random) -> str:
    def gap() -> str:
        return random.choice(["", "", " ", "\n\t "])

    def dumped(value: object) -> str:
        return json.dumps(value, ensure_ascii=ascii)

    inside = ",".join(f"{gap()}{dumped(key)}{gap()}:{gap()}{dumped(value)}{gap()}" for key, value in pairs)
    return f"{gap()}{{{inside or gap()}}}{gap()}"


def pieces(text: str, longest: int, random: Random) -> Iterator[str]:
    position = 0
    while position < len(text):
        step = random.randint(0, longest)
        yield text[position : position + step]
        position += step


@given(members, st.booleans(), seeds, st.integers(1, 9))
def test_it_finds_what_a_json_parser_finds(
    pairs: list[tuple[str, object]], ascii: bool, random: Random, longest: int
) -> None:
    watcher = ArgumentWatcher("intent")
    for piece in pieces(written(pairs, ascii=ascii, random=random), longest, random):
        watcher.feed(piece)

    strings = [value for key, value in pairs if key == "intent" and isinstance(value, str)]
    assert watcher.value == (strings[0] if strings else None)
    assert watcher.closed is not bool(strings), "it reads no further than it must"


@given(members, seeds)
def test_the_value_comes_with_its_closing_quote_and_not_before(
    pairs: list[tuple[str, object]], random: Random
) -> None:
    text = written([*pairs, ("intent", "now")], ascii=False, random=random)
    watcher = ArgumentWatcher("intent")
    for end, character in enumerate(text, start=1):
        watcher.feed(character)
        if watcher.value is not None:
            assert character == '"'
            assert json.loads(text[:end] + "}")["intent"] == watcher.value
            return
    pytest.fail("the argument is there")


@given(st.text(alphabet='{}[]",:\\u0aD8e1 \n-intent', max_size=60), st.integers(1, 5))
def test_no_text_upsets_it(text: str, size: int) -> None:
    whole, cut = ArgumentWatcher("intent"), ArgumentWatcher("intent")
    whole.feed(text)
    for start in range(0, len(text), size):
        cut.feed(text[start : start + size])

    assert (whole.value, whole.closed) == (cut.value, cut.closed)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"intent":"a","intent":"b"}', "a"),
        ('{"intent":1,"intent":"b"}', "b"),
        ('{"a":{"intent":"inner"},"intent":"outer"}', "outer"),
        ('{"a":[{"intent":"inner"}]}', None),
        (r'{"in\u0074ent":"escaped"}', "escaped"),
        (r'{"intent":"\ud83d\ude00"}', "😀"),
        (r'{"intent":"half \ud83d"}', "half �"),
        (r'{"intent":"bad \x"}', None),
        ('{"intent":"a line\nbreak"}', "a line\nbreak"),
        ('{"intent":["x"]}', None),
        ('{"intent":"not closed', None),
        ('["intent","x"]', None),
        ('"intent"', None),
        ("", None),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_cases_that_parsers_differ_on(text: str, value: str | None, size: int) -> None:
    watcher = ArgumentWatcher("intent")
    for start in range(0, len(text), size):
        watcher.feed(text[start : start + size])

    assert watcher.value == value


@pytest.mark.parametrize("depth", [10_000])
def test_depth_costs_nothing(depth: int) -> None:
    watcher = ArgumentWatcher("intent")
    watcher.feed('{"a":' + "[" * depth + "]" * depth + ',"intent":"found"}')

    assert watcher.value == "found"

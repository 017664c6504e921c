"""Strict JSON with exact numbers: what is read, what is refused and where, what is written."""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import sys
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import exact_json
from workbench.base.exact_json import JsonError, JsonValue, dump, parse, parse_object
from workbench.base.json_scanner import scan

pytestmark = pytest.mark.rule("C1")

_texts = st.text(st.characters(exclude_categories=["Cs"]))
_decimals = st.decimals(allow_nan=False, allow_infinity=False).filter(
    lambda d: abs(d.adjusted()) < 9_999 and not str(d).lstrip("-").isdigit()  # digits alone are an int's
)
_values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | _decimals | _texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_texts, inner, max_size=5),
    max_leaves=20,
)
_json_like = st.lists(
    st.sampled_from(
        [*'{}[]",:\\ \n', "\\u", "\\ud83d", "de00", "00", "-", "0", "1.5", "e9", "null", "a", "é", "\0"]
    )
).map("".join)


def _spelled(value: object) -> str:
    """Tells apart what == does not: 1 and True, 1.0 and 1.00, 0 and -0."""
    return repr(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993", 9007199254740993),
        ("-123456789012345678901234567890", -123456789012345678901234567890),
        ("1.50", Decimal("1.50")),
        ("-0.0", Decimal("-0.0")),
        ("-0", Decimal("-0")),
        ("1e400", Decimal("1e400")),
        ("0.123456789012345678901234567891", Decimal("0.123456789012345678901234567891")),
        ("9" * 4000, 10**4000 - 1),
        (r'"\u0000"', "\0"),
        (r'"\ud83d\ude00 \\ud83d"', "😀 \\ud83d"),
        (b' \t\r\n{"\xc3\xa9": [true, false, null, "\\/"]} ', {"é": [True, False, None, "/"]}),
    ],
)
def test_numbers_and_texts_are_read_exactly(text: str | bytes, value: object) -> None:
    assert _spelled(parse(text)) == _spelled(value)


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("", "the text ends where a value should follow at line 1, column 1", 0),
        ('{"a":1,\n "a":2}', 'duplicate key "a" at line 2, column 2', 9),
        ('{"a":{"b":1,"\\u0062":2}}', 'duplicate key "b" at line 1, column 13', 12),
        ('{"a":1} x', "unexpected text after the end of the JSON value at line 1, column 9", 8),
        ('{"path":"x","con', "a string without its closing quote at line 1, column 13", 12),
        ("[1,]", "trailing comma before the end of the array at line 1, column 4", 3),
        (
            '{"' + "k" * 70 + '":1,"' + "k" * 70 + '":2}',
            "duplicate key of 70 characters at line 1, column 77",
            76,
        ),
        ("[sk-0123456789abcdef]", 'expected a value, found "s" at line 1, column 2', 1),
        ("[NaN]", 'expected a value, found "NaN" at line 1, column 2', 1),
        ("-Infinity", '"-Infinity" is not a JSON number at line 1, column 1', 0),
        ("01", '"01" is not a JSON number at line 1, column 1', 0),
        ("{'a':1}", 'expected a key in double quotes, found "\'" at line 1, column 2', 1),
        ('{"a" 1}', 'expected ":" after the key "a", found "1" at line 1, column 6', 5),
        ('["\x00"]', "a raw control character (U+0000) in a string at line 1, column 3", 2),
        (r'["\x"]', "an escape that JSON does not know at line 1, column 3", 2),
        (r'["a\ud83dx"]', r"half of a surrogate pair (\ud83d) at line 1, column 4", 3),
        (r'["\ude00\ud83d"]', r"half of a surrogate pair (\ude00) at line 1, column 3", 2),
        ('["\ud83d"]', "half of a surrogate pair at line 1, column 3", 2),
        (b'["\xc3\xa9\xff"]', "byte 4 (0xff) is not UTF-8 at line 1, column 4", 3),
        ("\ufeff{}", "a byte order mark at line 1, column 1", 0),
        (b"\xef\xbb\xbf{}", "a byte order mark at line 1, column 1", 0),
        ("9" * 4301, "a number of 4,301 characters; at most 4,300 are read at line 1, column 1", 0),
        ("[1e10000]", "a number with an exponent beyond ±9,999 at line 1, column 2", 1),
        ("1e-" + "9" * 400, "a number with an exponent beyond ±9,999 at line 1, column 1", 0),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(text: str | bytes, message: str, offset: int) -> None:
    with pytest.raises(JsonError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.offset) == (message, offset)


def test_utf_16_is_refused_with_a_hint() -> None:
    with pytest.raises(JsonError) as caught:
        parse("{}".encode("utf-16"))
    assert "UTF-8" in caught.value.hint


@pytest.mark.parametrize("shape", ["[]", '{"a":}'])
def test_nesting_is_counted_before_anything_recurses(shape: str) -> None:
    opening, closing = shape[:-1], shape[-1]
    deepest = opening * 511 + "[]" + closing * 511
    assert parse(deepest) == scan(deepest)
    for text in (opening + deepest + closing, opening * 100_000, opening * 100_000 + "1" + closing * 100_000):
        with pytest.raises(JsonError, match="nested more than 512 levels deep"):
            parse(text)


def test_brackets_inside_strings_are_no_nesting() -> None:
    value = ["[" * 2000, "\\" + '"[{' * 1000]
    assert parse(json.dumps(value)) == value


def test_a_caller_deep_in_its_own_stack_still_gets_its_value() -> None:
    text = "[" * 500 + "]" * 500

    def deeper(levels: int) -> JsonValue:
        return deeper(levels - 1) if levels else parse(text)

    assert deeper(sys.getrecursionlimit() - len(inspect.stack()) - 100) == json.loads(text)


@given(st.text() | _json_like | st.binary())
def test_garbage_never_raises_anything_but_a_json_error(garbage: str | bytes) -> None:
    try:
        value = parse(garbage)
    except JsonError:
        return
    assert _spelled(parse(dump(value))) == _spelled(value)


@given(_json_like)
def test_the_fast_and_the_slow_reader_agree(text: str) -> None:
    answers: list[object] = []
    for read in (parse, scan):
        try:
            answers.append(_spelled(read(text)))
        except JsonError as error:
            answers.append(error.message)
    assert answers[0] == answers[1]


@given(_values)
def test_a_value_survives_writing_and_reading(value: object) -> None:
    for indent in (None, 2):
        assert _spelled(parse(dump(value, indent=indent))) == _spelled(value)
    assert _spelled(scan(dump(value))) == _spelled(value)


@pytest.mark.parametrize("text", ["5", "null", '"text"', "[{}]", "1.5"])
def test_arguments_must_be_one_object(text: str) -> None:
    with pytest.raises(JsonError, match="expected a JSON object"):
        parse_object(text)


def test_arguments_that_are_an_object_are_read() -> None:
    assert parse_object(b'{"a":[1.0]}') == {"a": [Decimal("1.0")]}


_holds_itself: list[object] = []
_holds_itself.append(_holds_itself)
_deep: list[object] = []
for _ in range(50_000):
    _deep = [_deep]


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(math.nan, id="NaN"),
        pytest.param(math.inf, id="infinity"),
        pytest.param(Decimal("NaN"), id="decimal NaN"),
        pytest.param([Decimal("-Infinity")], id="decimal infinity"),
        pytest.param("\ud83d", id="surrogate"),
        pytest.param({"\ud83d": 1}, id="surrogate in a key"),
        pytest.param({1, 2}, id="set"),
        pytest.param(b"x", id="bytes"),
        pytest.param(_holds_itself, id="cycle"),
        pytest.param(_deep, id="depth"),
        pytest.param(10**5000, id="digits"),
    ],
)
def test_what_is_no_json_is_not_written(value: object) -> None:
    with pytest.raises(JsonError):
        dump(value)


def test_a_text_that_looks_like_the_stand_in_for_a_number_is_kept() -> None:
    mark: str = vars(exact_json)["_MARK"]
    value = [Decimal("1.50"), mark, f'"{mark}"', {mark: Decimal(2)}]
    assert parse(dump(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '"' + '\\"' * 200_000,
        '"' + '\\"' * 200_000 + "\\",
        '["' * 200_000,
        "[1.5,{}," * 100_000,
        "[" + '"\\ud83d\\ude00",' * 100_000 + "1]",
    ],
    ids=["open", "quotes", "cut escape", "open strings", "numbers", "pairs"],
)
def test_reading_takes_linear_time(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(JsonError):
        parse(text)
    assert time.process_time() - started < 5

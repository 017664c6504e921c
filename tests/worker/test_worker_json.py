"""JSON of the worker: exact both ways, and what is none is named by its place."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.worker.exact_json import NotJsonError, from_json, to_json

texts = st.text(st.characters(codec="utf-8"))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)


@given(values)
def test_json_values_come_back_as_they_were(value: object) -> None:
    assert from_json(to_json(value)) == value


@given(values, st.decimals(allow_nan=False, allow_infinity=False))
def test_the_slow_way_writes_what_the_fast_way_writes(value: object, number: Decimal) -> None:
    fast = to_json([value])
    slow = to_json([value, number])

    assert slow == fast[:-1] + b"," + str(number).encode() + b"]"


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_keeps_every_digit_when_it_is_read_exactly(number: Decimal) -> None:
    read = from_json(b"[" + str(number).encode() + b"]", exact=True)[0]

    assert Decimal(str(read) if isinstance(read, float) else read) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_as_itself(number: float) -> None:
    assert from_json(repr(number).encode()) == number


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400"])
def test_what_no_float_can_hold_is_a_decimal(text: str) -> None:
    assert from_json(text.encode()) == Decimal(text)
    assert from_json(b"0e-400") == 0.0


def test_whole_numbers_of_any_length() -> None:
    text = b"7" * 6_000

    assert to_json([from_json(text)]) == b"[" + text + b"]"


def test_mappings_and_keys_are_written_as_the_library_writes_them() -> None:
    odd: dict[object, int] = {1: 1, None: 2, False: 3, 1.5: 4}

    assert to_json(odd) == json.dumps(odd, separators=(",", ":")).encode()
    assert to_json([odd, Decimal(1)]) == b"[" + json.dumps(odd, separators=(",", ":")).encode() + b",1]"
    assert to_json(MappingProxyType({"b": 1, "a": 2})) == b'{"b":1,"a":2}'


BAD = [math.nan, math.inf, Decimal("NaN"), b"", {1}, object(), "\ud800", {"\ud800": 1}, {b"": 1}]


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_json_is_refused_wherever_it_is(bad: object) -> None:
    with pytest.raises(NotJsonError) as outside:
        to_json(bad)
    with pytest.raises(NotJsonError) as inside:
        to_json({"list": [0, {"key": bad}]})

    assert str(outside.value).startswith(("The value is", "The value holds", "The value has"))
    assert "The value at list[1].key " in str(inside.value)

"""How long a person waits for a form: opening 500 fields, typing into one of a thousand rows."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from workbench.forms import Form, TextNode

pytestmark = pytest.mark.bench

_KINDS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer", "minimum": 0},
    {"type": "boolean", "default": True},
    {"enum": ["a", "b", "c"]},
    {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
]


def milliseconds(do: Callable[[], object]) -> float:
    """The median of nine runs."""
    times: list[float] = []
    for _ in range(9):
        start = perf_counter()
        do()
        times.append((perf_counter() - start) * 1_000)
    return median(times)


def test_a_form_of_500_fields_is_built_and_checked_in_100_ms():
    schema = {"properties": {f"f{number}": _KINDS[number % 5] for number in range(500)}, "required": ["f0"]}
    taken = milliseconds(lambda: Form(schema).problems())
    print(f"form of 500 fields: {taken:.1f} ms")  # noqa: T201 -- the table of the bench
    assert taken <= 100


def test_a_key_typed_into_one_of_1000_rows_is_checked_within_a_frame_or_two():
    row = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "number"}},
        "required": ["a"],
    }
    form = Form({"properties": {"rows": {"type": "array", "items": row}}})
    form.load({"rows": [{"a": str(number), "b": number} for number in range(1_000)]})
    field = form.at("/rows/500/a")
    assert isinstance(field, TextNode)

    def type_a_letter() -> None:
        field.set_text(field.text + "x")
        form.sent()

    taken = milliseconds(type_a_letter)
    print(f"a letter among 1,000 rows: {taken:.1f} ms")  # noqa: T201 -- the table of the bench
    assert taken <= 50

"""Where a value stands in a JSON text."""

from __future__ import annotations

from hypothesis import given

from tests.forms.schemas import json_values
from workbench.base.exact_json import JsonValue, dump
from workbench.base.json_pointer import pointer
from workbench.forms import find_place

TEXT = '{"a": [1, {"b,}": "x\\"]", "c": null}], "d": {}}'


def at(path: str) -> str:
    place = find_place(TEXT, path)
    assert place is not None
    return TEXT[slice(*place)]


def test_a_value_is_found_by_its_path_and_a_missing_one_by_what_it_would_stand_in() -> None:
    assert at("/a/0") == "1"
    assert at("/a/1/b,}") == '"x\\"]"'
    assert at("/a/1/c") == "null"
    assert at("/d") == "{}"
    assert at("/d/missing") == "{}"
    assert at("") == TEXT
    assert find_place("  ", "/a") is None


@given(json_values)
def test_every_value_is_found_where_it_was_written(value: JsonValue) -> None:
    text = dump(value, indent=2)

    def check(inner: JsonValue, way: tuple[str | int, ...]) -> None:
        place = find_place(text, pointer(way))
        assert place is not None
        assert dump(inner, indent=2).split() == text[slice(*place)].split()
        if isinstance(inner, dict):
            for key, each in inner.items():
                check(each, (*way, key))
        if isinstance(inner, list):
            for index, each in enumerate(inner):
                check(each, (*way, index))

    check(value, ())

"""A JSON Pointer names a place in JSON data, whatever characters its keys have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.exact_json import JsonValue
from workbench.base.json_pointer import look_up, pointer, tokens

DATA: JsonValue = {"a/b": [{"m~n": 1}, None], "": {"~1": 2}, "0": 3}


@given(st.lists(st.text()))
def test_a_path_of_keys_comes_back_from_its_pointer(path: list[str]) -> None:
    assert tokens(pointer(path)) == path


@pytest.mark.parametrize(
    ("text", "found"),
    [("", DATA), ("/a~1b/0/m~0n", 1), ("/a~1b/1", None), ("//~01", 2), ("/0", 3)],
)
def test_what_a_pointer_names_is_found(text: str, found: JsonValue) -> None:
    assert look_up(DATA, tokens(text)) == found


@pytest.mark.parametrize("text", ["/gone", "/a~1b/2", "/a~1b/-1", "/a~1b/x", "/0/1"])
def test_where_nothing_lies_nothing_is_found(text: str) -> None:
    with pytest.raises(LookupError):
        look_up(DATA, tokens(text))

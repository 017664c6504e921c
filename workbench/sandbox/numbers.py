"""Whole numbers that JavaScript cannot hold exactly."""

from __future__ import annotations

import re
from decimal import Decimal

from workbench.base.errors import UsageError
from workbench.base.exact_json import JsonError, JsonValue, parse

_LARGEST = 2**53
_LONG_DIGITS = re.compile(rb"\d{16}")


def rounded(place: str) -> str:
    """The words that refuse the number at a place (D7)."""
    return f"{place} is a whole number beyond 2^53, which JavaScript would round. Give it as text."


def as_javascript(value: JsonValue, place: str) -> object:
    """A JSON value as JavaScript would read its text: each number in it is one, none a big integer.

    `place` is what the whole is called. Raises UsageError for a whole number that would be rounded.
    """
    found = _search(value, place)
    if found is not None:
        raise UsageError(rounded(found))
    return _read(value)


def _read(value: JsonValue) -> object:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if isinstance(value, dict):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, Decimal) or (isinstance(value, int) and abs(value) == _LARGEST):
        return float(value)
    return value


def too_big(text: bytes) -> str | None:
    """Where in a JSON text the first such number stands (`value`, `value.ids[3]`); None when there is none."""
    if not _LONG_DIGITS.search(text):  # as in nearly all
        return None
    try:
        return _search(parse(text), "value")
    except JsonError:
        return None


def _search(value: JsonValue, place: str) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return place if abs(value) > _LARGEST else None
    found: str | None = None
    if isinstance(value, list):
        for index, item in enumerate(value):
            found = found or _search(item, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            found = found or _search(item, f"{place}.{key}")
    return found

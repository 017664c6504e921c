"""JSON without loss: whole numbers and decimals stay exact, and what is no JSON is named by its place."""

from __future__ import annotations

import inspect
import json
import math
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

MAX_DEPTH = 512

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class NotJsonError(ValueError):
    """The value cannot be written as JSON; the message says which part of it, and why."""


def to_json(value: Any) -> bytes:
    """Exact JSON text in UTF-8. Raises NotJsonError."""
    try:
        return _encode(value).encode()
    except (TypeError, ValueError, RecursionError):
        out: list[str] = []
        _write(value, "", out, ())
        return "".join(out).encode()


def is_plain(value: Any) -> bool:
    """Whether the value is JSON as it stands, with numbers that any reader takes: no decimals, no endless digits."""
    try:
        return bool(_encode(value).encode())
    except (TypeError, ValueError, RecursionError):
        return False


def from_json(text: bytes, *, exact: bool = False) -> Any:
    """Whole numbers exact, others as float, or as Decimal where a float would overflow or vanish.

    `exact` gives a Decimal also where a float would lose digits.
    """
    decoder = _EXACT if exact else _FLOATS
    return decoder.decode(text.decode())


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # more digits than this interpreter converts by default
        return _unlimited(int, text)


def _number(text: str) -> float | Decimal:
    number = float(text)
    if math.isinf(number) or (number == 0 and Decimal(text) != 0):
        return Decimal(text)
    return number


def _exact_number(text: str) -> float | Decimal:
    number = _number(text)
    return number if Decimal(repr(float(number))) == Decimal(text) else Decimal(text)


_FLOATS = json.JSONDecoder(parse_int=_whole, parse_float=_number)
_EXACT = json.JSONDecoder(parse_int=_whole, parse_float=_exact_number)


def _unlimited(convert: Any, value: Any) -> Any:
    limits: Any = sys  # younger than the oldest interpreter that runs this; without a limit nothing gets here
    limit = limits.get_int_max_str_digits()
    limits.set_int_max_str_digits(0)
    try:
        return convert(value)
    finally:
        limits.set_int_max_str_digits(limit)


def _write(value: Any, place: str, out: list[str], above: tuple[int, ...]) -> None:
    """The slow way, taken when the fast one failed: exact decimals, or the place of what is wrong."""
    if value is None or isinstance(value, (bool, str, int, float, Decimal)):
        out.append(_scalar(value, place))
        return
    if id(value) in above:
        raise NotJsonError(f"{_named(place)} contains itself.")
    if len(above) >= MAX_DEPTH:
        raise NotJsonError(f"The value is nested more than {MAX_DEPTH} levels deep.")
    above = (*above, id(value))
    if isinstance(value, Mapping):
        _write_object(cast("Mapping[Any, Any]", value), place, out, above)
    elif isinstance(value, (list, tuple)):
        out.append("[")
        for index, item in enumerate(cast("Sequence[Any]", value)):
            out.append("," if index else "")
            _write(item, f"{place}[{index}]", out, above)
        out.append("]")
    else:
        raise NotJsonError(f"{_named(place)} is {_what(value)}, which is not JSON.{_advice(value)}")


def _write_object(value: Mapping[Any, Any], place: str, out: list[str], above: tuple[int, ...]) -> None:
    out.append("{")
    for index, (key, item) in enumerate(value.items()):
        if key is None or isinstance(key, (bool, int, float)):
            key = _scalar(key, place)  # as `json` writes it
        if not isinstance(key, str):
            raise NotJsonError(f"{_named(place)} has {key!r} as a key; keys of a JSON object are text.")
        out.append("," if index else "")
        out.append(_scalar(key, place))
        out.append(":")
        _write(item, f"{place}.{key}" if place else key, out, above)
    out.append("}")


def _scalar(value: Any, place: str) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise NotJsonError(
                f"{_named(place)} holds {value[error.start]!r}, half of a surrogate pair, which no text can hold."
            ) from None
        return _encode(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise NotJsonError(f"{_named(place)} is {value}, which JSON has no number for.")
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise NotJsonError(f"{_named(place)} is {value}, which JSON has no number for.")
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return int.__repr__(value)
        except ValueError:
            return _unlimited(int.__repr__, value)
    return _encode(value)


def _named(place: str) -> str:
    return f"The value at {place}" if place else "The value"


def _what(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _advice(value: Any) -> str:
    if inspect.iscoroutine(value):
        value.close()  # it would complain, too, that nobody awaited it
    if inspect.isawaitable(value):
        return " Write await in front of the call that gives it."
    if isinstance(value, (bytes, bytearray, memoryview)):
        return " Return text, or the bytes as a ToolAttachment."
    if hasattr(value, "model_dump"):
        return " Return value.model_dump(mode='json')."
    if hasattr(value, "isoformat"):
        return " Return value.isoformat()."
    if isinstance(value, (set, frozenset)):
        return " Return sorted(value) or list(value)."
    if hasattr(value, "tolist"):
        return " Return value.tolist()."
    return ""

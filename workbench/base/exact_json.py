"""Strict JSON with exact numbers: one value, nothing guessed, nothing rounded, every refusal with its place.

The standard library's C scanner does the work. What it refuses, or must not be given, `json_scanner` reads
again, slowly: it has the last word and says what is wrong and where.
"""

from __future__ import annotations

import json
import re
import secrets
from array import array
from decimal import Decimal
from itertools import accumulate
from typing import NoReturn, TypeAlias

from workbench.base.json_scanner import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_EXPONENT,
    JsonError,
    JsonValue,
    error_at,
    scan,
)

__all__ = ["MAX_DEPTH", "JsonError", "JsonObject", "JsonValue", "dump", "is_object", "parse", "parse_object"]

JsonObject: TypeAlias = dict[str, JsonValue]

# Possessive, and closed by the end of the text too, so that no text makes it look twice at a character.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.?+[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: one down, one up
_NEGATIVE_ZERO = re.compile(r"-0(?![0-9.eE])")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F])|.)", re.DOTALL
)


class _Refused(ValueError):
    """The fast path met something that only the scanner can put into words."""


def parse(text: bytes | str, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """The one JSON value that `text` is (C1).

    Integers come as int, all other numbers as Decimal with the digits as typed (`1.50`, `-0.0`, `1e400`; also
    `-0`, which no int can hold). Bytes are UTF-8 without a byte order mark. Refused besides what RFC 8259
    refuses: a key twice in one object, a lone surrogate, more than `max_depth` levels, numbers of more
    than 4,300 characters or with an exponent beyond ±9,999. Time is linear in the length.

    Raises JsonError, and nothing else, whatever the text.
    """
    data, text = _both_forms(text)
    if data.count(b"[") + data.count(b"{") > max_depth and _depth(data) > max_depth:
        return scan(text, max_depth)
    if _SURROGATE.search(text) and any(escape[1] for escape in _ESCAPE.finditer(text)):
        return scan(text, max_depth)
    try:
        return (_DECODER_MINUS_ZERO if _NEGATIVE_ZERO.search(text) else _DECODER).decode(text)
    except (ValueError, RecursionError):  # not JSON, or the caller stands deep in its own stack
        return scan(text, max_depth)


def parse_object(text: bytes | str, *, max_depth: int = MAX_DEPTH) -> JsonObject:
    """`parse`, for a text that must be one JSON object: the arguments of a call (C1). Raises JsonError."""
    value = parse(text, max_depth=max_depth)
    if isinstance(value, dict):
        return value
    found = "an array" if isinstance(value, list) else "a string" if isinstance(value, str) else dump(value)
    message = f"expected a JSON object ({{…}}), found {found if len(found) < 40 else found[:40] + '…'}"
    raise JsonError(message, offset=0, line=1, column=1)


def is_object(text: bytes | str) -> bool:
    """Whether a text is one JSON object: the arguments of a call that can run (C1)."""
    try:
        parse_object(text)
    except JsonError:
        return False
    return True


def dump(value: object, *, indent: int | None = None) -> str:
    """`value` as JSON text; a Decimal keeps its digits, text stays readable (not escaped to ASCII).

    Raises JsonError for what is no JSON: NaN and infinities, lone surrogates, cycles, foreign types,
    nesting too deep to write.
    """
    if indent is None and (plain := _plain(value)) is not None:
        return plain
    separators = (",", ":") if indent is None else (",", ": ")
    exact = _ExactNumbers(_MARK)
    while True:
        try:
            text = json.dumps(
                value,
                ensure_ascii=False,
                allow_nan=False,
                separators=separators,
                indent=indent,
                default=exact.stand_in,
            )
            if not text.isascii():
                text.encode()
        except UnicodeEncodeError as error:
            raise JsonError(
                "a string holds half of a surrogate pair, which no UTF-8 text can carry"
            ) from error
        except RecursionError:
            raise JsonError("the value is nested too deeply, or holds itself") from None
        except (TypeError, ValueError) as error:
            raise JsonError(f"the value is not JSON: {error}") from None
        if (whole := exact.put_back(text)) is not None:
            return whole
        exact = _ExactNumbers(secrets.token_hex(12))


_MARK = secrets.token_hex(12)


def _plain(value: object) -> str | None:
    """The text of what needs no second look, as most values do: ASCII, no Decimal, JSON; None for any other."""
    try:
        text = _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if text.isascii() else None


class _ExactNumbers:
    """Lets the C encoder write Decimals: a stand-in string for each, exchanged for the digits afterwards."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.numbers: list[str] = []

    def stand_in(self, value: object) -> str:
        if not isinstance(value, Decimal):
            raise TypeError(f"it holds a {type(value).__name__}")
        if not value.is_finite():
            raise ValueError(f"it holds the number {value}")
        self.numbers.append(str(value))
        return self.mark

    def put_back(self, text: str) -> str | None:
        """The text with its numbers, or None when a string of the value happens to hold the mark."""
        if not self.numbers:
            return text
        parts = text.split(f'"{self.mark}"')
        if len(parts) != len(self.numbers) + 1:
            return None
        whole = [""] * (2 * len(parts) - 1)
        whole[::2] = parts
        whole[1::2] = self.numbers
        return "".join(whole)


def _both_forms(text: bytes | str) -> tuple[bytes, str]:
    """The text as UTF-8 and as str; both conversions check what they read."""
    try:
        data, text = (text, text.decode()) if isinstance(text, bytes) else (text.encode(), text)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        what = f"byte {error.start} (0x{error.object[error.start]:02x}) is not UTF-8"
        hint = "The text looks like UTF-16; save it as UTF-8." if error.object[:2] in _UTF_16 else ""
        raise error_at(before, len(before), what, hint=hint) from None
    except UnicodeEncodeError as error:
        raise error_at(error.object, error.start, "half of a surrogate pair") from None
    if text.startswith("\ufeff"):
        raise error_at(text, 0, "a byte order mark", hint="Save the text as UTF-8 without one.")
    return data, text


_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def _depth(data: bytes) -> int:
    """How deep the brackets outside of strings go."""
    brackets = _STRING.sub(b"", data).translate(_STEPS, _NOT_BRACKETS)
    return max(accumulate(array("b", brackets)), default=0)


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused
    return found


def _decimal(text: str) -> Decimal:
    if len(text) > MAX_DIGITS:
        raise _Refused
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise _Refused from None
    if not -MAX_EXPONENT <= number.adjusted() <= MAX_EXPONENT:
        raise _Refused
    return number


def _integer(text: str) -> int | Decimal:
    return Decimal(text) if text == "-0" else int(text)


def _constant(text: str) -> NoReturn:
    raise _Refused(text)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_decimal, parse_constant=_constant)
_DECODER_MINUS_ZERO = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_decimal, parse_int=_integer, parse_constant=_constant
)

"""Values on their way in and out of the sandbox: JSON text with tags, and raw bytes behind it.

| Python | ECMAScript |
|---|---|
| None, bool, str, list, dict | null, boolean, string, array, plain object |
| int up to 2^53-1, float | number (NaN, the infinities and -0 too) |
| a larger int, BigInt | bigint |
| bytes | Uint8Array |
| aware datetime | Date |
| UNDEFINED | undefined |
| a function | a function that calls it: a promise, or for `blocking` its value at once |

Out of the sandbox a Map with string keys comes as dict, a Set as list, an Error as dict of name, message and stack.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

MAX_DEPTH = 250
_MAX_SAFE_INTEGER = 2**53 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TAG = "$"
_HEAD, _END = 4, 1


class Undefined:
    """The type of UNDEFINED, which is false."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED: Final = Undefined()


class BigInt(int):
    """An integer that is a bigint in the sandbox however small it is."""


@dataclass(frozen=True, slots=True)
class Blocking:
    """A host function whose call in the sandbox waits for its value instead of giving a promise."""

    function: Callable[..., object]


def blocking(function: Callable[..., object]) -> Blocking:
    """The host function as one that answers at once; only the sandbox waits, no loop."""
    return Blocking(function)


class NotTransferable(Exception):
    """A value that cannot enter the sandbox; the words say which and where."""


Register = Callable[[Callable[..., object]], int]
"""Takes a host function and answers the number it is called by."""


def write_message(value: object, register: Register) -> bytes:
    """The message of a value. Raises NotTransferable."""
    writer = _Writer(register)
    text = json.dumps(writer.tagged(value, "", 0), ensure_ascii=False, separators=(",", ":"))
    data = text.encode("utf-8", "replace")
    return b"".join([len(data).to_bytes(_HEAD, "little"), data, b"\0", *writer.pieces])


def read_message(message: bytes) -> object:
    """The value of a message that the engine wrote."""
    size = int.from_bytes(message[:_HEAD], "little")
    data = message[_HEAD : _HEAD + size]
    value: object = json.loads(readable(data))
    return _untagged(value, message[_HEAD + size + _END :]) if b'"$"' in data else value


def readable(data: bytes) -> str:
    """Text of the engine; half a surrogate pair, which nothing else could write, becomes the replacement character."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return (
            data.decode("utf-8", "surrogatepass")
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )


class _Writer:
    """Replaces what JSON has no form for by tags and gathers the bytes."""

    def __init__(self, register: Register) -> None:
        self._register = register
        self._size = 0
        self.pieces: list[bytes] = []

    def tagged(self, value: object, where: str, depth: int) -> object:
        """The value as JSON can write it; `where` is its place in the whole, for words."""
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, int):
            big = isinstance(value, BigInt) or abs(value) > _MAX_SAFE_INTEGER
            return _tag("i", str(int(value))) if big else value
        if isinstance(value, float):
            return _number(value)
        if depth >= MAX_DEPTH:
            raise NotTransferable(f"A value nested deeper than {MAX_DEPTH} levels cannot enter the sandbox.")
        if isinstance(value, Mapping):
            return self._object(cast("Mapping[object, object]", value), where, depth)
        if isinstance(value, bytes | bytearray | memoryview):
            return self._bytes(bytes(cast("bytes", value)))
        if isinstance(value, Sequence):
            items = cast("Sequence[object]", value)
            return [self.tagged(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(items)]
        return self._unusual(value, where)

    def _object(self, value: Mapping[object, object], where: str, depth: int) -> object:
        for key in value:
            if not isinstance(key, str):
                raise NotTransferable(
                    f"A key that is no string cannot enter the sandbox: {key!r}{_at(where)}."
                )
        members = {
            cast("str", key): self.tagged(item, f"{where}.{key}", depth + 1) for key, item in value.items()
        }
        return _tag("o", members) if _TAG in members else members

    def _bytes(self, data: bytes) -> object:
        offset, self._size = self._size, self._size + len(data)
        self.pieces.append(data)
        return _tag("b", offset, len(data))

    def _unusual(self, value: object, where: str) -> object:
        if isinstance(value, Undefined):
            return _tag("u")
        if isinstance(value, datetime):
            moment = value if value.tzinfo else value.astimezone()
            return _tag("d", (moment - _EPOCH) // timedelta(milliseconds=1))
        waits = isinstance(value, Blocking)
        function = value.function if isinstance(value, Blocking) else value
        if callable(function):
            name = getattr(function, "__name__", "hostFunction")
            return _tag("f", self._register(function), name, int(waits))
        raise NotTransferable(f"A value of type {type(value).__name__} cannot enter the sandbox{_at(where)}.")


def _at(where: str) -> str:
    return f" (at {where.lstrip('.')})" if where else ""


def _tag(*parts: object) -> dict[str, object]:
    return {_TAG: parts}


def _number(value: float) -> object:
    if math.isfinite(value):
        return value if value or math.copysign(1, value) > 0 else _tag("n", "-0")
    return _tag("n", "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity")


def _untagged(value: object, pieces: bytes) -> object:
    if isinstance(value, list):
        return [_untagged(item, pieces) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    if _TAG in members:
        return _read_tag(members[_TAG], pieces)
    return {key: _untagged(item, pieces) for key, item in members.items()}


def _read_tag(parts: list[Any], pieces: bytes) -> object:
    match parts:
        case ["n", str(text)]:
            return -0.0 if text == "-0" else float(text.replace("Infinity", "inf"))
        case ["i", str(text)]:
            return BigInt(text)
        case ["d", int(milliseconds)]:
            return _EPOCH + timedelta(milliseconds=milliseconds)
        case ["b", int(offset), int(size)]:
            return pieces[offset : offset + size]
        case ["o", dict()]:
            members = cast("dict[str, Any]", parts[1])
            return {key: _untagged(item, pieces) for key, item in members.items()}
        case _:
            return UNDEFINED

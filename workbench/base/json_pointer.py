"""JSON Pointers (RFC 6901): the way to a place in JSON data as one text; the empty text is the whole."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.base.json_scanner import JsonValue


def pointer(path: Iterable[str | int]) -> str:
    """`("items", 0, "a/b")` as `/items/0/a~1b`."""
    return "".join(f"/{escaped(str(part))}" for part in path)


def escaped(key: str) -> str:
    """A key as one token of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescaped(token: str) -> str:
    """A token of a pointer as the key that it stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def tokens(pointer: str) -> list[str]:
    """`/items/0/a~1b` as `["items", "0", "a/b"]`: which of them are places of lists only the data tells."""
    return [unescaped(token) for token in pointer.split("/")[1:]]


def look_up(value: JsonValue, path: Iterable[str]) -> JsonValue:
    """What lies at the `tokens` of a pointer. Raises LookupError when nothing does."""
    for token in path:
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list) and token.isdecimal():
            value = value[int(token)]
        else:
            raise LookupError(token)
    return value

"""Reads a call's arguments as they stream in and tells when one top-level string argument is whole (C8)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_SPACE = " \t\r\n"
_IN_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # up to its end, or to an escape that is cut
_IN_VALUE = re.compile(r'[^"\[\]{}]*+')
_IN_SCALAR = re.compile(r"[^,}]*+")


class ArgumentWatcher:
    """Feed it the text of one JSON object in pieces of any size; it looks at each character once.

    `value` is there as soon as the argument's closing quote has come; when an argument comes twice, the first
    counts. `closed` says that the object has ended. Text that is no JSON is read no further: what is wrong with
    it is for the whole of it to say (C1).
    """

    __slots__ = ("_argument", "_depth", "_escaped", "_is_key", "_kept", "_step", "closed", "value")

    def __init__(self, argument: str) -> None:
        self.value: str | None = None
        self.closed = False
        self._argument = argument
        self._step: _Step | None = ArgumentWatcher._start
        self._is_key = False
        self._kept: list[str] | None = None
        self._escaped = False
        self._depth = 0

    def feed(self, piece: str) -> None:
        """Read on."""
        position, end = 0, len(piece)
        while position < end and self._step is not None:
            position = self._step(self, piece, position)

    # Each step reads from `position`, where there is a character, and says where the next one goes on.

    def _start(self, piece: str, position: int) -> int:
        if piece[position] not in _SPACE:
            self._step = ArgumentWatcher._first_key if piece[position] == "{" else None
        return position + 1

    def _first_key(self, piece: str, position: int) -> int:
        if piece[position] == "}":
            self._close()
            return position
        return self._key(piece, position)

    def _key(self, piece: str, position: int) -> int:
        if piece[position] not in _SPACE:
            self._is_key, self._kept = True, []
            self._step = ArgumentWatcher._string if piece[position] == '"' else None
        return position + 1

    def _colon(self, piece: str, position: int) -> int:
        if piece[position] not in _SPACE:
            self._step = ArgumentWatcher._value if piece[position] == ":" else None
        return position + 1

    def _value(self, piece: str, position: int) -> int:
        character = piece[position]
        if character in _SPACE:
            return position + 1
        if character == '"':
            self._step = ArgumentWatcher._string
            return position + 1
        self._kept = None
        if character in "{[":
            self._step = ArgumentWatcher._nested
        else:
            self._step = ArgumentWatcher._scalar
        return position

    def _scalar(self, piece: str, position: int) -> int:
        position = _end_of(_IN_SCALAR, piece, position)
        if position < len(piece):
            self._step = ArgumentWatcher._next
        return position

    def _next(self, piece: str, position: int) -> int:
        character = piece[position]
        if character == "}":
            self._close()
        elif character not in _SPACE:
            self._step = ArgumentWatcher._key if character == "," else None
        return position + 1

    def _nested(self, piece: str, position: int) -> int:
        position = _end_of(_IN_VALUE, piece, position)
        if position == len(piece):
            return position
        character = piece[position]
        if character == '"':
            self._step = ArgumentWatcher._string
            return position + 1
        self._depth += 1 if character in "{[" else -1
        if self._depth == 0:
            self._step = ArgumentWatcher._next
        return position + 1

    def _string(self, piece: str, position: int) -> int:
        begin = position
        if self._escaped:
            self._escaped = False
            position += 1
        position = _end_of(_IN_STRING, piece, position)
        if position < len(piece) and piece[position] == "\\":
            self._escaped = True
            position += 1
        if self._kept is not None:
            self._kept.append(piece[begin:position])
        if position == len(piece):
            return position
        self._string_ended()
        return position + 1

    def _string_ended(self) -> None:
        if self._depth:
            self._step = ArgumentWatcher._nested
            return
        text = None if self._kept is None else _unescaped("".join(self._kept))
        if self._is_key:
            self._is_key = False
            self._kept = [] if text == self._argument else None
            self._step = ArgumentWatcher._colon
            return
        self._step = ArgumentWatcher._next
        if text is not None:
            self.value = text
            self._step = None

    def _close(self) -> None:
        self.closed = True
        self._step = None


_Step = Callable[[ArgumentWatcher, str, int], int]


def _end_of(pattern: re.Pattern[str], piece: str, position: int) -> int:
    """Where the run of `pattern` ends; each of them matches nothing, too."""
    match = pattern.match(piece, position)
    return match.end() if match else position


def _unescaped(inside: str) -> str | None:
    """The text of a JSON string, or None when an escape is none. Half of a surrogate pair becomes U+FFFD."""
    try:
        text = json.loads(f'"{inside}"', strict=False)
    except ValueError:
        return None
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

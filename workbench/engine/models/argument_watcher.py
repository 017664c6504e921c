"""Reads a call's arguments as they stream in and tells when one top-level string argument is whole (C8)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_SPACE = re.compile(r"[ \t\r\n]*+")
_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)  # of a string; stops before a cut escape, too
_BETWEEN = re.compile(r'[^"\[\]{}]*+')
_SCALAR = re.compile(r"[^,}]*+")


class ArgumentWatcher:
    """Feed it the text of one JSON object in pieces of any size; it looks at each character once.

    `value` is the argument's value as soon as its closing quote has come. `settled` says that no value can come
    any more, or that it is there: then `feed` does nothing. It judges no more of the text than it must: whether
    arguments are valid is for the whole of them to say (C1).
    """

    __slots__ = ("_after", "_argument", "_depth", "_escaped", "_first", "_kept", "_step", "settled", "value")

    def __init__(self, argument: str) -> None:
        self.value: str | None = None
        self.settled = False
        self._argument = argument
        self._step: Callable[[str, int], int] = self._opening
        self._after: Callable[[str], None] = self._key_read
        self._kept: list[str] | None = None
        self._escaped = False
        self._first = True
        self._depth = 0

    def feed(self, piece: str) -> None:
        """Read on."""
        position, end = 0, len(piece)
        while position < end and not self.settled:
            position = self._step(piece, position)

    # Each step reads what it can from `position` on and returns where the next one begins.

    def _opening(self, piece: str, position: int) -> int:
        return self._expect(piece, position, {"{": self._key})

    def _key(self, piece: str, position: int) -> int:
        found = _SPACE.match(piece, position)
        position = found.end() if found else position
        if position == len(piece):
            return position
        if piece[position] == '"':
            self._begin_string(self._key_read, keep=True)
        else:  # the end of an empty object, or no JSON
            self.settled = True
        return position + 1

    def _colon(self, piece: str, position: int) -> int:
        return self._expect(piece, position, {":": self._value})

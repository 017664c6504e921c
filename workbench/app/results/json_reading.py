"""Reading single values out of a JSON text, where they stand: where they begin and end, what they are, their text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple, cast

from workbench.base.exact_json import JsonError, parse
from workbench.base.json_scanner import error_at

BIG = 4_096
"""Characters from which on the end of a value is kept."""
WINDOW = 65_536
"""Characters that the C decoder is given at once: what does not fit is entered, not stepped over."""
_ROOM = 4_194_304
_SPACE = re.compile(r"[ \t\n\r]*+")
_BARE = re.compile(r"[^\s,\[\]{}\"]++")
_ESCAPES = re.compile(r'(?:[^"\\]{0,256}+\\.){1,4096}+', re.DOTALL)
DECODER = json.JSONDecoder(strict=False)


class Kind(Enum):
    """What a value is."""

    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"

    @property
    def holds(self) -> bool:
        return self in (Kind.OBJECT, Kind.ARRAY)


KINDS = {
    "{": Kind.OBJECT,
    "[": Kind.ARRAY,
    '"': Kind.STRING,
    "t": Kind.BOOLEAN,
    "f": Kind.BOOLEAN,
    "n": Kind.NULL,
}


class Member(NamedTuple):
    """A value where it stands: its key (a number in an array), and `text[start:end]`. `end` is -1 while not known."""

    key: str | int
    start: int
    end: int
    kind: Kind


class JsonReading:
    """One text, and what is known of it by now. Raises JsonError where the text turns out not to be JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.complete = len(text) < BIG
        """Whether the ends of all big values are known."""
        self._ends: dict[int, int] = {}
        self._window = (0, "")

    def _small(self, at: int) -> tuple[int, int]:
        """The end and the number of members of a container that fits into a window; else -1."""
        base, window = self._window
        for _ in range(2):
            if base <= at < base + len(window):
                try:
                    value, end = DECODER.raw_decode(window, at - base)
                    return base + end, len(value)
                except (ValueError, RecursionError):
                    if at == base:
                        break
            base, window = self._window = at, self.text[at : at + WINDOW]
        return -1, 0

    def _members(self, kind: Kind, at: int, number: int) -> Iterator[Member]:
        closing = "}" if kind is Kind.OBJECT else "]"
        limit = at + _ROOM
        at = self._space(at)
        if self.text.startswith(closing, at):
            return
        while True:
            key: str | int = number
            if kind is Kind.OBJECT:
                key, at = self._key(at)
            member = self._member(key, at)
            yield member
            if member.end < 0:
                return
            at = self._space(member.end)
            sign = self.text[at : at + 1]
            if sign == closing:
                return
            if sign != ",":
                raise self._wrong(at)
            at = self._space(at + 1)
            number += 1
            if at > limit and not self.complete:
                return

    def _key(self, at: int) -> tuple[str, int]:
        after = self._after_key(at)
        return self._decoded(at, self._string_end(at)), after

    def _after_key(self, at: int) -> int:
        if not self.text.startswith('"', at):
            raise self._wrong(at)
        colon = self._space(self._string_end(at))
        if not self.text.startswith(":", colon):
            raise self._wrong(colon)
        return self._space(colon + 1)

    def _member(self, key: str | int, at: int) -> Member:
        sign = self.text[at : at + 1]
        kind = KINDS.get(sign, Kind.NUMBER)
        if kind.holds:
            return Member(key, at, self._container_end(at), kind)
        if kind is Kind.STRING:
            return Member(key, at, self._string_end(at), kind)
        found = _BARE.match(self.text, at)
        if found is None:
            raise self._wrong(at)
        return Member(key, at, found.end(), kind)

    def _container_end(self, start: int) -> int:
        """Where a container ends: as the pass noted it, or found here when it is small; else -1."""
        known = self._ends.get(start)
        if known is None:
            known, _ = self._small(start)
            if known < 0 and self.complete:
                raise self._wrong(start, "this value does not end")
        return known

    def _string_end(self, start: int) -> int:
        known = self._ends.get(start)
        if known is not None:
            return known
        done = start + 1
        while (quote := self.text.find('"', done)) >= 0:
            before = quote - 1
            while before >= done and self.text[before] == "\\":
                before -= 1
            if (quote - before) % 2:
                if quote - start >= BIG:
                    self._ends[start] = quote + 1
                return quote + 1
            escapes = _ESCAPES.match(self.text, quote + 1)
            done = escapes.end() if escapes else quote + 1
        raise self._wrong(start, "a string without its closing quote")

    def _decoded(self, start: int, end: int) -> str:
        if self.text.find("\\", start, end) < 0:
            return self.text[start + 1 : end - 1]
        try:
            return cast("str", parse(self.text[start:end]))
        except JsonError:
            return self.text[start + 1 : end - 1]

    def _space(self, at: int) -> int:
        return cast("re.Match[str]", _SPACE.match(self.text, at)).end()

    def _wrong(self, at: int, what: str = "") -> JsonError:
        return error_at(self.text, at, what or "this is not JSON")

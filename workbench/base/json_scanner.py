"""The slow, careful reader of JSON: it says what is wrong and where, and needs no stack however deep the text."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import NoReturn, TypeAlias, cast

from workbench.base.errors import UserError

JsonValue: TypeAlias = "bool | int | Decimal | float | str | list[JsonValue] | dict[str, JsonValue] | None"

MAX_DEPTH = 512
MAX_DIGITS = 4_300  # Python's own bound for turning digits into an int, which takes quadratic time
MAX_EXPONENT = 9_999  # beyond it a short text would become a number too big to compute with

_WORD_SHOWN = 12
_KEY_SHOWN = 60

_SPACE = re.compile(r"[ \t\n\r]*+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?")
_CHUNK = re.compile(r'[^"\\\x00-\x1f]*+')
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})")
_WORD = re.compile(r"[-+.\w]++")
_LITERALS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class JsonError(UserError):
    """A text that is not strict JSON, or a value that cannot be written as such.

    `offset` counts characters from 0, `line` and `column` from 1; all None when a value was being written.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        offset: int | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.offset = offset
        self.line = line
        self.column = column


def error_at(text: str, offset: int, what: str, *, hint: str = "") -> JsonError:
    """A JsonError that names the place: `duplicate key "a" at line 1, column 9`."""
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    message = f"{what} at line {line}, column {column}"
    return JsonError(message, hint=hint, offset=offset, line=line, column=column)


def scan(text: str, max_depth: int = MAX_DEPTH) -> JsonValue:
    """The value of `text`, by the rules of `exact_json.parse`; raises JsonError at the first thing wrong."""
    return _Scanner(text, max_depth).read()


class _Scanner:
    """One pass over one text. Open containers lie on a list of our own."""

    def __init__(self, text: str, max_depth: int) -> None:
        self._text = text
        self._max_depth = max_depth
        self._at = 0
        self._open: list[list[JsonValue] | dict[str, JsonValue]] = []
        self._keys: list[str] = []  # the key under which each open object's next value goes
        self._root: JsonValue = None

    def read(self) -> JsonValue:
        self._skip_space()
        while True:
            opened = self._begin_value()
            if not opened and not self._end_value():
                break
        if self._at < len(self._text):
            self._fail("unexpected text after the end of the JSON value")
        return self._root

    def _begin_value(self) -> bool:
        """Read a value's start; True when it opened a container that now waits for its first item."""
        match self._peek():
            case "{":
                return self._enter({})
            case "[":
                return self._enter([])
            case '"':
                self._put(self._string())
            case "":
                self._fail_at_end("a value")
            case char if char == "-" or "0" <= char <= "9":
                self._put(self._number())
            case _:
                self._put(self._literal())
        return False

    def _enter(self, container: list[JsonValue] | dict[str, JsonValue]) -> bool:
        if len(self._open) >= self._max_depth:
            self._fail(f"nested more than {self._max_depth} levels deep")
        self._put(container)
        self._at += 1
        self._skip_space()
        closing = "}" if isinstance(container, dict) else "]"
        if self._peek() == closing:
            self._at += 1
            return False
        self._open.append(container)
        if isinstance(container, dict):
            self._keys.append("")
            self._key(container)
        return True

    def _put(self, value: JsonValue) -> None:
        if not self._open:
            self._root = value
        elif isinstance(parent := self._open[-1], dict):
            parent[self._keys[-1]] = value
        else:
            parent.append(value)

    def _end_value(self) -> bool:
        """Read what follows a value; False when that was the end of the outermost one."""
        while True:
            self._skip_space()
            if not self._open:
                return False
            parent = self._open[-1]
            closing, kind = ("}", "object") if isinstance(parent, dict) else ("]", "array")
            match self._peek():
                case ",":
                    self._at += 1
                    self._skip_space()
                    if self._peek() == closing:
                        self._fail(f"trailing comma before the end of the {kind}")
                    if isinstance(parent, dict):
                        self._key(parent)
                    return True
                case char if char == closing:
                    self._at += 1
                    self._open.pop()
                    if isinstance(parent, dict):
                        self._keys.pop()
                case "":
                    self._fail_at_end(f'"," or "{closing}" of an {kind}')
                case _:
                    self._fail(f'expected "," or "{closing}" of the {kind}, found {self._word()}')

    def _key(self, parent: dict[str, JsonValue]) -> None:
        start = self._at
        if self._peek() == "":
            self._fail_at_end("a key")
        if self._peek() != '"':
            self._fail(f"expected a key in double quotes, found {self._word()}")
        key = self._string()
        if key in parent:
            self._at = start
            self._fail(f"duplicate key {_quoted(key)}")
        self._skip_space()
        if self._peek() == "":
            self._fail_at_end('":" after a key')
        if self._peek() != ":":
            self._fail(f'expected ":" after the key {_quoted(key)}, found {self._word()}')
        self._at += 1
        self._skip_space()
        self._keys[-1] = key

    def _string(self) -> str:
        start = self._at
        self._at += 1
        parts: list[str] = []
        while True:
            chunk = cast("re.Match[str]", _CHUNK.match(self._text, self._at))
            parts.append(chunk[0])
            self._at = chunk.end()
            match self._peek():
                case '"':
                    self._at += 1
                    return "".join(parts)
                case "\\":
                    parts.append(self._escape())
                case "":
                    self._at = start
                    self._fail("a string without its closing quote")
                case char:
                    self._fail(
                        f"a raw control character (U+{ord(char):04X}) in a string", "Write it escaped."
                    )

    def _escape(self) -> str:
        start = self._at
        self._at += 1
        char = self._peek()
        if char in _ESCAPES and char:
            self._at += 1
            return _ESCAPES[char]
        if (unit := self._code_unit()) is None:
            self._at = start
            self._fail("an escape that JSON does not know")
        if 0xD800 <= unit <= 0xDBFF and self._text.startswith("\\", self._at):
            self._at += 1
            low = self._code_unit()
            if low is not None and 0xDC00 <= low <= 0xDFFF:
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= unit <= 0xDFFF:
            self._at = start
            self._fail(
                f"half of a surrogate pair (\\u{unit:04x})", "A character beyond U+FFFF needs both halves."
            )
        return chr(unit)

    def _code_unit(self) -> int | None:
        match = _UNICODE.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return int(match[1], 16)

    def _number(self) -> int | Decimal:
        match = _NUMBER.match(self._text, self._at)
        if match is None or (word := _WORD.match(self._text, self._at)) is None or word.end() != match.end():
            self._fail(f"{self._word()} is not a JSON number")
        digits = match[0]
        if len(digits) - digits.startswith("-") > MAX_DIGITS:
            self._fail(f"a number of {len(digits):,} characters; at most {MAX_DIGITS:,} are read")
        exponent = (match[2] or "")[1:].lstrip("+-").lstrip("0")
        if len(exponent) > 18 or (
            (match[1] or match[2]) and not -MAX_EXPONENT <= Decimal(digits).adjusted() <= MAX_EXPONENT
        ):
            self._fail(f"a number with an exponent beyond ±{MAX_EXPONENT:,}")
        self._at = match.end()
        return Decimal(digits) if match[1] or match[2] or digits == "-0" else int(digits)

    def _literal(self) -> JsonValue:
        match = _WORD.match(self._text, self._at)
        if match is None or match[0] not in _LITERALS:
            self._fail(f"expected a value, found {self._word()}")
        self._at = match.end()
        return _LITERALS[match[0]]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_space(self) -> None:
        self._at = cast("re.Match[str]", _SPACE.match(self._text, self._at)).end()

    def _word(self) -> str:
        """What stands here, for a message."""
        if not self._peek():
            return "the end of the text"
        match = _WORD.match(self._text, self._at)
        word = match[0] if match else self._peek()
        return _quoted(word if len(word) <= _WORD_SHOWN else word[0])

    def _fail(self, what: str, hint: str = "") -> NoReturn:
        raise error_at(self._text, self._at, what, hint=hint)

    def _fail_at_end(self, expected: str) -> NoReturn:
        self._fail(f"the text ends where {expected} should follow")


def _quoted(text: str) -> str:
    """A short text as it is, a long one not at all: a part of a secret could not be masked afterwards."""
    return json.dumps(text, ensure_ascii=False) if len(text) <= _KEY_SHOWN else f"of {len(text):,} characters"

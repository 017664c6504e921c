"""Characters that hide: invisible ones, and letters of another script that stand in for ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_FOREIGN = "\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u13a0-\u13f5\u2c80-\u2cff\ua4d0-\ua4ff"
_DRESSED = "\uff01-\uff5e\U0001d400-\U0001d7ff"
"""Letters and signs drawn again elsewhere: full width, and the alphabets of mathematics."""

_SEEN = re.compile(
    rf"[{_HIDDEN}{_DRESSED}\ud800-\udfff]|(?P<mixed>\b(?=\w*[A-Za-z])(?=\w*[{_FOREIGN}])\w{{2,64}})"
)
_FOREIGN_LETTER = re.compile(f"[{_FOREIGN}]")
_CONTROLS = bytes((set(range(32)) - {9, 10, 13}) | {127})
ALWAYS = frozenset("\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029") | frozenset(map(chr, range(9)))
"""What no text layout can draw in its line: shown as marks even when nobody asked."""


class Hidden(NamedTuple):
    """A character that is not what it seems."""

    at: int
    escape: str
    """As it is written in JSON: `\\u200b`, or `\\u{e0041}` beyond four digits."""


def escape(character: str) -> str:
    """`\\u200b`; with braces where more than four digits are needed."""
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\u{{{number:x}}}"


def hidden(text: str) -> Iterator[Hidden]:
    """Every hidden or look-alike character in order. A carriage return that ends the text is a line break's."""
    for found in _SEEN.finditer(text):
        if found["mixed"] is None:
            if not (found[0] == "\r" and text[found.end() : found.end() + 1] in ("", "\n")):
                yield Hidden(found.start(), escape(found[0]))
            continue
        for letter in _FOREIGN_LETTER.finditer(found[0]):
            yield Hidden(found.start() + letter.start(), escape(letter[0]))


def count_hidden(text: str) -> int:
    """How many there are; a text of plain ASCII is answered at once."""
    return 0 if _is_plain(text) else sum(1 for _ in hidden(text))


def _is_plain(text: str) -> bool:
    """Whether it can be told without a look at each word that nothing hides in the text."""
    if not text.isascii():
        return False
    data = text.encode()
    return len(data.translate(None, _CONTROLS)) == len(data) and data.count(b"\r") == data.count(b"\r\n")


def revealed_in_json(text: str) -> str:
    """A JSON text with its hidden characters written as escapes: JSON reads the same from it."""
    if _is_plain(text):
        return text
    at = 0
    pieces: list[str] = []
    for one in hidden(text):
        units = text[one.at].encode("utf-16-be", "surrogatepass").hex()
        pieces += [text[at : one.at], *(f"\\u{units[unit : unit + 4]}" for unit in range(0, len(units), 4))]
        at = one.at + 1
    return "".join([*pieces, text[at:]])


def revealed(text: str) -> str:
    """The text with its hidden characters written as escapes."""
    if _is_plain(text):
        return text
    at = 0
    pieces: list[str] = []
    for one in hidden(text):
        pieces += [text[at : one.at], one.escape]
        at = one.at + 1
    return "".join([*pieces, text[at:]])

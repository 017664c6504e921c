"""Takes secrets out of whatever is stored or shown and leaves references in their place (V6).

The mark `[[secret:NAME]]` stands for the value as it is; another spelling adds the name of its form
(`[[secret:NAME|base64-0]]`), so that `unmask` puts back exactly what was there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar, cast
from urllib.parse import quote, unquote

from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.json_tree import map_scalars, scalars
from workbench.base.secret_forms import NUMBER, PLAIN, forms

SHORTEST = 6
"""Characters; a shorter value is too likely to stand for something else."""

_Json = TypeVar("_Json")

_MARK_START = b"[[secret:"
MARK = re.compile(r"\[\[secret:([^\[\]|]+)(?:\|([a-z0-9-]+))?\]\]")
"""The mark of a variable: its name, URL-encoded, and the form that its value stood in where that is not plain."""


def too_short(value: str) -> bool:
    """Whether a value cannot be masked."""
    return len(value) < SHORTEST


def mark(name: str, form: str = PLAIN) -> str:
    """The reference that stands for a variable's value. Brackets and the like in a name are %-encoded."""
    suffix = "" if form == PLAIN else f"|{form}"
    return f"[[secret:{quote(name, safe=' ')}{suffix}]]"


def unmask(value: JsonValue, lookup: Callable[[str], str | None]) -> JsonValue:
    """Put the values back for a re-run: the inverse of `Masker.mask` on a text, of `mask_json` on a value.

    `lookup` gives a variable's value; for None the mark stays. Whoever calls decides which names may be
    looked up: a mark is only text, and a model can write one, too.
    """

    def put_back(scalar: JsonValue) -> JsonValue:
        return _put_back(scalar, lookup) if isinstance(scalar, str) else scalar

    return map_scalars(value, put_back)


def marked_names(text: str) -> frozenset[str]:
    """The names of the variables whose marks stand in a text."""
    return frozenset(unquote(match[1]) for match in MARK.finditer(text))


def _put_back(text: str, lookup: Callable[[str], str | None]) -> JsonValue:
    found: set[str | None] = set()

    def spelled(match: re.Match[str]) -> str:
        secret = lookup(unquote(match[1]))
        if secret is None:
            return match[0]
        found.add(match[2])
        return forms(secret).get(match[2], secret)

    text = MARK.sub(spelled, text)
    if NUMBER in found:
        with suppress(JsonError):  # somebody may have written around the mark: then it is a text
            return parse(text)
    return text


class Masker:
    """Masks a set of secrets; made anew when the set changes. Pure, and safe to share between threads.

    Text is masked as UTF-8, so that there is one way of looking for a secret.
    """

    def __init__(self, secrets: Iterable[tuple[str, str]]) -> None:
        """`secrets` are pairs of name and value; values too short to mask are left out."""
        self._marks: dict[bytes, bytes] = {}
        self._own: set[bytes] = set()
        for name, value in secrets:
            if not too_short(value):
                self._own.add(_encoded(mark(name, NUMBER)))
                for form, spelling in forms(value).items():
                    self._marks.setdefault(_encoded(spelling), _encoded(mark(name, form)))
        self._own.update(self._marks.values())
        self._longest = max(map(len, self._marks), default=0)

    def __repr__(self) -> str:
        return f"<Masker of {len(self._marks)} spellings>"

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._marks)

    def mask(self, text: str) -> str:
        """The text with every secret replaced; the same object when there is none."""
        if not self._marks:
            return text
        data = _encoded(text)
        masked = self.mask_bytes(data)
        return text if masked is data else _decoded(masked)

    def mask_bytes(self, data: bytes) -> bytes:
        """The bytes with every secret replaced; the same object when there is none."""
        spans = self._spans(data)
        return _replaced(data, spans, len(data)) if spans else data

    def mask_json(self, value: _Json) -> _Json:
        """JSON data with every secret in its texts, keys and numbers replaced; the same object if there is none.

        Objects stay objects and arrays arrays; a number that holds a secret becomes a text with a mark that
        says so.
        """
        data = cast("JsonValue", value)
        if not self._marks or not self._present(_encoded("\0".join(map(_as_text, scalars(data))))):
            return value
        return cast("_Json", map_scalars(data, self._masked_scalar))

    def mask_json_text(self, text: str) -> str:
        """JSON text that stays JSON: what `mask_json` makes of its value, or `mask` of a text that is no JSON.

        Parse it before you `unmask` it. The same object when there is no secret.
        """
        if self.mask(text) is text:
            return text
        try:
            return dump(self.mask_json(parse(text)))
        except JsonError:
            return self.mask(text)

    def mask_ready(self, text: str) -> tuple[str, str]:
        """Of a text whose end is still to come: what can be shown, masked, and the rest as it is.

        The rest is shorter than the longest spelling of a secret, or a few of them when secrets overlap.
        """
        data = _encoded(text)
        shown, rest = self.mask_ready_bytes(data)
        return (text, "") if shown is data else (_decoded(shown), _decoded(rest))

    def mask_ready_bytes(self, data: bytes) -> tuple[bytes, bytes]:
        """`mask_ready` for bytes of any kind; the same object first when there is nothing to mask or to hold back."""
        if not self._marks:
            return data, b""
        ready = self._may_begin(data)
        spans = self._spans(data)
        for start, end, _ in spans:
            if start < ready < end:  # what begins here overlaps a whole secret, and shares its marks
                ready = start if end - start < 4 * self._longest else end
        if ready == len(data) and not spans:
            return data, b""
        whole = [span for span in spans if span[1] <= ready]
        return _replaced(data, whole, ready), data[ready:]

    def _masked_scalar(self, scalar: JsonValue) -> JsonValue:
        text = _as_text(scalar)
        masked = self.mask(text)
        if masked is text:
            return scalar
        return masked if isinstance(scalar, str) else masked.replace("]]", f"|{NUMBER}]]")

    def _present(self, data: bytes) -> list[bytes]:
        """The spellings that occur, longest first. One search each is faster than one regex for all."""
        return sorted((spelling for spelling in self._marks if spelling in data), key=len, reverse=True)

    def _spans(self, data: bytes) -> list[tuple[int, int, bytes]]:
        """Where secrets stand, and their marks. Secrets that overlap share a span: no end of one is left over."""
        spellings = self._present(data)
        if not spellings:
            return []
        # Marks from an earlier masking are stepped over; but only ours, or a value could hide in a false one.
        own = [each for each in self._own if each in data] if _MARK_START in data else []
        spans: list[tuple[int, int, bytes]] = []
        pattern = re.compile(b"|".join(map(re.escape, (*own, *spellings))))
        at = 0
        while (match := pattern.search(data, at)) is not None:
            start, at = match.span()
            if match[0] in self._marks:
                at, marks = self._overlapping(pattern, data, match)
                spans.append((start, at, marks))
        return spans

    def _overlapping(
        self, pattern: re.Pattern[bytes], data: bytes, first: re.Match[bytes]
    ) -> tuple[int, bytes]:
        """The end of the span that `first` begins, and the marks of all secrets in it that reach further."""
        start, end = first.span()
        marks = [self._marks[first[0]]]
        while (other := pattern.search(data, start + 1, end + self._longest)) and other.start() < end:
            start = other.start()
            if other.end() > end and other[0] in self._marks:
                end = other.end()
                if self._marks[other[0]] != marks[-1]:
                    marks.append(self._marks[other[0]])
        return end, b"".join(marks)

    def _may_begin(self, data: bytes) -> int:
        """Where the end of `data` could be the beginning of a secret; its length if nowhere."""
        end = size = len(data)
        for spelling in self._marks:
            at = data.find(spelling[:1], max(0, size - len(spelling) + 1), end)
            while at != -1 and not spelling.startswith(data[at:]):
                at = data.find(spelling[:1], at + 1, end)
            if at != -1:
                end = at
        return end


def _replaced(data: bytes, spans: list[tuple[int, int, bytes]], until: int) -> bytes:
    parts: list[bytes] = []
    done = 0
    for start, end, marks in spans:
        parts += (data[done:start], marks)
        done = end
    return b"".join((*parts, data[done:until]))


class MaskStream:
    """Masks a text that comes in chunks, holding back an end that may be the beginning of a secret."""

    def __init__(self, masker: Masker) -> None:
        self.masker = masker
        """May be exchanged while the stream runs, when there are more secrets than before."""
        self._held = ""

    def feed(self, chunk: str) -> str:
        """What can be shown now of all that came so far."""
        shown, self._held = self.masker.mask_ready(self._held + chunk)
        return shown

    def close(self) -> str:
        """What was still held back."""
        rest, self._held = self._held, ""
        return self.masker.mask(rest)


def _as_text(scalar: JsonValue) -> str:
    return scalar if isinstance(scalar, str) else str(scalar)


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _decoded(data: bytes) -> str:
    return data.decode(errors="surrogatepass")

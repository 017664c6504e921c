"""Texts and numbers that satisfy the rules of one field: tried in order of how good they look, never derived."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from workbench.base.exact_json import JsonObject, JsonValue
from workbench.schema import compile_schema

_FORMATS = {
    "byte": "c2FtcGxl",
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
    "duration": "PT1H30M",
    "email": "name@example.com",
    "hostname": "example.com",
    "idn-email": "name@example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "iri": "https://example.com/",
    "iri-reference": "/path",
    "json-pointer": "/key/0",
    "regex": "^[a-z]+$",
    "relative-json-pointer": "1/key",
    "time": "09:30:00Z",
    "uri": "https://example.com/",
    "uri-reference": "/path",
    "uri-template": "https://example.com/{id}",
    "url": "https://example.com/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
_ENCODED = {
    "base64": "c2FtcGxl",
    "base64url": "c2FtcGxl",
    "base16": "73616D706C65",
    "base32": "ONQW24DMMU======",
}
# Of each kind that patterns ask for a few; the rest is made of one character, see `_runs`.
_LOOKALIKES = (
    "x-sample", "sample", "Sample", "SAMPLE", "sample_name", "sample-name", "sample.name", "sampleName", "SampleName",
    "SAMPLE_NAME", "name@example.com", "https://example.com/", "http://example.com", "example.com", "/path/name",
    "./path", "path/name", "name.txt", "owner/name", "1.2.3", "v1.2.3", "1.0", "1,5", "10%", "$10.00", "12.50",
    "192.0.2.1", "2026-01-31", "2026-01", "2026/01/31", "31.01.2026", "01/31/2026", "2026-01-31T09:30:00Z", "20260131",
    "09:30", "09:30:00", "9:30", "+15550100", "+1 555 0100", "555-0100", "en", "en-US", "en_US", "EUR", "#336699",
    "#fff", "0x1f", "A1", "A-1", "AB-123", "ABC-1234", "abc-123", "a1", "id_1", "1-2", "1:2", "sha256:" + "0" * 64,
    "123e4567-e89b-12d3-a456-426614174000", "T123", "C0123456789", "U0123456789", "1700000000.000100", "@name",
    "arn:aws:s3:::name", "key=value", "key:value", "a, b", "SGVsbG8=", "C4", "M1", "true", "a b", " ", "",
)  # fmt: skip
_LONGEST = 20_000


def texts(schema: JsonObject, words: str, number: int) -> Iterator[str]:
    """Texts for a field called `words`, the best-looking first; the `number`th of several that must differ."""
    ending = "" if number == 0 else f" {number + 1}"
    least, most = _length(schema, "minLength", 0), _length(schema, "maxLength", _LONGEST)
    if least > _LONGEST:
        return
    if "pattern" in schema:
        yield from _LOOKALIKES[number:]
        yield from _runs(least, most)
    encoding, shape = schema.get("contentEncoding"), schema.get("format")
    if isinstance(encoding, str) and encoding in _ENCODED:
        yield _ENCODED[encoding]
    if isinstance(shape, str) and shape in _FORMATS:
        yield from _others(_FORMATS[shape], number)
    plain = f"sample {words}".strip() + ending
    yield plain if len(plain) <= most else (f"{number + 1}" + words.replace(" ", ""))[:most]
    yield (plain + " " + "sample " * least)[: max(least, 1)].rstrip().ljust(least, ".")
    yield ""


def _runs(least: int, most: int) -> Iterator[str]:
    """One character so many times, as identifiers and codes have it."""
    lengths = [*range(1, 41), 64, 128, least]
    for length in lengths:
        if least <= length <= most:
            yield from (character * length for character in "A1a0f")
            yield ("A1" * length)[:length]
            yield ("a1" * length)[:length]


def _others(text: str, number: int) -> Iterator[str]:
    """`text` with another number in it, for lists whose items must differ."""
    digits = list(re.finditer(r"\d+", text))
    if number and digits:
        for found in (digits[-1], digits[0]):  # a later minute or another year, whichever there is
            more = str(int(found[0]) + number).zfill(len(found[0]))
            yield f"{text[: found.start()]}{more}{text[found.end() :]}"
    elif number:
        yield text.replace("name", f"name{number + 1}").replace("example", f"example{number + 1}")
    yield text


def numbers(schema: JsonObject, number: int, *, whole: bool) -> Iterator[int | Decimal]:
    """Numbers for a field, small ones first; the `number`th of several that must differ."""
    step = _number(schema, "multipleOf") or Decimal(1)
    low = _number(schema, "minimum")
    above = _number(schema, "exclusiveMinimum")
    high = _number(schema, "maximum")
    below = _number(schema, "exclusiveMaximum")
    yield from (_plain(value) for value in (Decimal(1 + number), Decimal(number)))
    starts = [bound for bound in (low, above) if bound is not None]
    ends = [bound for bound in (high, below) if bound is not None]
    start = max(starts, default=None)
    end = min(ends, default=None)
    if start is not None:
        first = (start / step).to_integral_value(rounding="ROUND_CEILING") * step
        yield from (_plain(first + step * (add + number)) for add in range(2))
    if end is not None:
        last = (end / step).to_integral_value(rounding="ROUND_FLOOR") * step
        yield from (_plain(last - step * (less + number)) for less in range(2))
    yield _plain(step * (number + 1))
    if not whole and start is not None and end is not None:
        yield _plain((start + end) / 2)


def first_valid(schema: JsonObject, candidates: Iterator[JsonValue]) -> JsonValue | None:
    """The first that the rules of a field accept, or None. Only for fields that do not hold null."""
    # References stand for other places; of one field only its own rules are asked.
    own = {keyword: rule for keyword, rule in schema.items() if keyword in _OF_ONE_FIELD}
    compiled = compile_schema(own)
    return next((value for value in candidates if compiled.is_valid(value)), None)


_OF_ONE_FIELD = frozenset(
    {
        "type", "enum", "const", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "contentEncoding", "$schema",
    }
)  # fmt: skip


def _length(schema: JsonObject, keyword: str, otherwise: int) -> int:
    found = _number(schema, keyword)
    return otherwise if found is None else int(min(found, Decimal(_LONGEST + 1)))


def _number(schema: JsonObject, keyword: str) -> Decimal | None:
    found = schema.get(keyword)
    if isinstance(found, bool) or not isinstance(found, int | Decimal):
        return None  # also draft-04's boolean `exclusiveMinimum`
    return Decimal(found)


def _plain(value: Decimal) -> int | Decimal:
    """An integer as one, so that it is written without a point."""
    is_whole = value == value.to_integral_value() and abs(value.adjusted()) < 400
    return int(value) if is_whole else value

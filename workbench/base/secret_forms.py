"""The forms in which a secret's value can show up: plain, URL-encoded, JSON-escaped, base64 at every alignment."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

PLAIN = "plain"
NUMBER = "number"
"""A number in JSON data, not a text."""

_UPPER_HEX = re.compile(r"%[0-9A-F]{2}")


def forms(value: str) -> dict[str, str]:
    """Every spelling of `value` under the name of its form, plain first, no spelling twice (V6)."""
    found = {PLAIN: value}
    spelled = {value}
    for name, text in (*_url_forms(value), *_json_forms(value), *_base64_forms(value)):
        if text not in spelled:
            spelled.add(text)
            found[name] = text
    return found


def _url_forms(value: str) -> Iterator[tuple[str, str]]:
    data = value.encode(errors="surrogatepass")  # a value from the environment may hold half a pair
    for name, text in (
        ("url", quote(data, safe="")),
        ("url-path", quote(data)),
        ("url-plus", quote_plus(data)),
    ):
        yield name, text
        yield f"{name}-lower", _UPPER_HEX.sub(lambda match: match[0].lower(), text)


def _json_forms(value: str) -> Iterator[tuple[str, str]]:
    for name, ascii_only in (("json", False), ("json-ascii", True)):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield name, once
        yield f"{name}-slash", once.replace("/", "\\/")
        yield f"{name}-twice", json.dumps(once, ensure_ascii=ascii_only)[1:-1]
        if ascii_only:
            upper = re.sub(r"\\u[0-9a-f]{4}", lambda match: "\\u" + match[0][2:].upper(), once)
            yield f"{name}-upper", upper
            yield f"{name}-upper-twice", json.dumps(upper)[1:-1]


def _base64_forms(value: str) -> Iterator[tuple[str, str]]:
    """What of the encoded bytes depends on the value alone, when 0, 1 or 2 other bytes stand before it."""
    data = value.encode(errors="surrogatepass")
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode()
        own = whole[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
        yield f"base64-{before}", own
        yield f"base64url-{before}", own.translate(_TO_URL)


_TO_URL = str.maketrans("+/", "-_")

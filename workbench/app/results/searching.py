"""Finding a word in a text of any size, a window at a time, so that others get their turn and it can be stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator

WINDOW = 65_536
MOST = 1_000_000
"""Hits that are kept; a count beyond is told as "more than"."""

Span = tuple[int, int]


def literal(text: str, word: str, *, exact_case: bool) -> Iterator[list[Span]]:
    """Where a word stands: one list for each window, in order, hits never overlapping."""
    if not word:
        return
    pattern = None if exact_case else re.compile(re.escape(word), re.IGNORECASE)
    lowered = word.lower()
    at = 0
    while at < len(text):
        stop = min(at + WINDOW, len(text))
        window = text[at : stop + len(word) - 1]
        hits: list[Span] = []
        if pattern is not None and not (window.isascii() and word.isascii()):
            hits = [(at + hit.start(), at + hit.end()) for hit in pattern.finditer(window)]
        else:
            looked, wanted = (window, word) if exact_case else (window.lower(), lowered)
            found = looked.find(wanted)
            while found >= 0:
                hits.append((at + found, at + found + len(word)))
                found = looked.find(wanted, found + len(word))
        yield hits
        at = max(stop, hits[-1][1]) if hits else stop

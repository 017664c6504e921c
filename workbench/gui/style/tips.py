"""Words as they are: what hides in them is seen, and what only looks like markup is drawn letter by letter."""

from __future__ import annotations

import html
import re

_PLAIN = re.compile("[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u25ff]*")
"""Letters of Europe's west with the signs of print: nothing hides among them."""


def revealed(words: str) -> str:
    """The words with hidden and look-alike characters written as escapes."""
    if _PLAIN.fullmatch(words):
        return words
    from workbench.app.results import characters  # with its package, more than the first paint can wait for

    return characters.revealed(words)


def plain(words: str) -> str:
    """The words of a tool tip, in which Qt would draw markup, with their line breaks."""
    if "<" not in words and "&" not in words:
        return words  # as Qt sees it, no markup
    return f"<p style='white-space: pre-wrap'>{html.escape(words)}</p>"

"""Words as they are: what hides in them is seen, and what only looks like markup is drawn letter by letter."""

from __future__ import annotations

import html


def revealed(words: str) -> str:
    """The words with hidden and look-alike characters written as escapes."""
    if words.isascii() and words.isprintable():
        return words
    from workbench.app.results import characters  # with its package, more than the first paint can wait for

    return characters.revealed(words)


def plain(words: str) -> str:
    """The words of a tool tip, in which Qt would draw markup, with their line breaks."""
    if "<" not in words and "&" not in words:
        return words  # as Qt sees it, no markup
    return f"<p style='white-space: pre-wrap'>{html.escape(words)}</p>"

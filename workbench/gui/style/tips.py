"""Words of a tool tip as they are: Qt takes for markup, and would draw, whatever looks like it."""

from __future__ import annotations

import html


def plain(words: str) -> str:
    """The words so that they are shown letter by letter, with their line breaks."""
    if "<" not in words and "&" not in words:
        return words  # as Qt sees it, no markup
    return f"<p style='white-space: pre-wrap'>{html.escape(words)}</p>"

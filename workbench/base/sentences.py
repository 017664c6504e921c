"""What somebody else said, among words of ours: as a sentence, and as much of it as there is room for."""

from __future__ import annotations

_ENDS = (".", "!", "?", "…", ":")


def sentence(words: str) -> str:
    """The words with a full stop, unless they have an end of their own."""
    words = words.rstrip()
    return words if words.endswith(_ENDS) else f"{words}."


def shortened(text: str, most: int) -> str:
    """The text, or its beginning with an ellipsis: `most` characters in all."""
    return text if len(text) <= most else text[: most - 1] + "…"

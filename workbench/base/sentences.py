"""What somebody else said, as a sentence among ours."""

from __future__ import annotations

_ENDS = (".", "!", "?", "…", ":")


def sentence(words: str) -> str:
    """The words with a full stop, unless they have an end of their own."""
    words = words.rstrip()
    return words if words.endswith(_ENDS) else f"{words}."

"""Places in a text as Python counts them, and as Qt does: in units of UTF-16."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count


class Utf16:
    """Exchanges places of one text. Without characters beyond the first plane they are the same."""

    def __init__(self, text: str) -> None:
        wide = () if text.isascii() or max(text, default="") <= "\uffff" else enumerate(text)
        self._wide = [at for at, sign in wide if sign > "\uffff"]
        self._wide_units = [at + shift for at, shift in zip(self._wide, count())]

    def units(self, place: int) -> int:
        """A place as Qt counts it."""
        return place + bisect_left(self._wide, place)

    def place(self, units: int) -> int:
        """A place of Qt as Python counts it; within a character it is the character's."""
        return max(units - bisect_right(self._wide_units, units - 1), 0) if self._wide else units

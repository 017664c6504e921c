"""How well a name fits what was typed: the same order wherever something is looked for by its name."""

from __future__ import annotations

NO_MATCH = 5
"""More than any rank of something that matches."""


def rank(name: str, typed: str, description: str = "") -> int:
    """0 the name itself, 1 its beginning, 2 the beginning of one of its words, 3 a part of it, 4 in the description."""
    name, typed = name.casefold(), typed.casefold().strip()
    if name == typed:
        return 0
    if name.startswith(typed):
        return 1
    at = name.find(typed)
    while at > 0:
        if not name[at - 1].isalnum():
            return 2
        at = name.find(typed, at + 1)
    if typed in name:
        return 3
    return 4 if typed in description.casefold() else NO_MATCH

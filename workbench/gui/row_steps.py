"""What turns one list of rows into another, as the insertions and removals that a view can be told of."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

R = TypeVar("R")
_CHUNK = 512
"""Rows that are compared at once."""


class Step(NamedTuple, Generic[R]):
    """So many rows that are removed at a place, or rows that are inserted there."""

    at: int
    removed: int
    inserted: list[R]


def steps_between(old: list[R], new: list[R], start: int) -> list[Step[R]]:
    """What turns one list into the other when what both have stands in the same order, to be taken from the last on.

    `start` is where the old list begins among all rows.
    """
    first, at, to = _difference(old, new)
    before, after = set(map(id, old[first:at])), set(map(id, new[first:to]))
    steps: list[Step[R]] = []
    while at > first or to > first:
        end = to
        while to > first and id(new[to - 1]) not in before:
            to -= 1
        if to < end:
            steps.append(Step(start + at, 0, new[to:end]))
        end = at
        while at > first and id(old[at - 1]) not in after:
            at -= 1
        if at < end:
            steps.append(Step(start + at, end - at, []))
        if at > first and to > first:
            at, to = at - 1, to - 1
    return steps[::-1]


def _difference(old: list[R], new: list[R]) -> tuple[int, int, int]:
    """Where two lists begin to differ, and where what they share at their ends begins in each."""
    least = min(len(old), len(new))
    first = 0
    while first < least and old[first : first + _CHUNK] == new[first : first + _CHUNK]:
        first = min(first + _CHUNK, least)
    while first < least and old[first] is new[first]:
        first += 1
    end = 0
    while end < least - first and old[-1 - end] is new[-1 - end]:
        end += 1
    return first, len(old) - end, len(new) - end

"""Aligning two sequences: what is unique in both holds them together, so that one insertion shifts nothing else.

Patience first, which is quick for long sequences, then the standard library's matcher in the gaps that are small
enough for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

T = TypeVar("T", bound=Hashable)
_GAP = 250_000
"""Lines of one side times lines of the other up to which a gap is matched line by line."""


class Stretch(NamedTuple):
    """`old[old_start:old_end]` became `new[new_start:new_end]`; `same` when they are equal."""

    same: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def align(old: Sequence[T], new: Sequence[T]) -> list[Stretch]:
    """Stretches that cover both sequences in order, equal and different ones taking turns."""
    joined: list[Stretch] = []
    for piece in _stretches(old, new):
        last = joined[-1] if joined else None
        if last is not None and last.same == piece.same:
            joined[-1] = last._replace(old_end=piece.old_end, new_end=piece.new_end)
        else:
            joined.append(piece)
    return joined


def _stretches(old: Sequence[T], new: Sequence[T]) -> Iterator[Stretch]:
    waiting = [(0, len(old), 0, len(new))]
    while waiting:
        a, b, c, d = waiting.pop()
        start = 0
        most = min(b - a, d - c)
        while start < most and old[a + start] == new[c + start]:
            start += 1
        if start:
            yield Stretch(True, a, a + start, c, c + start)
            a, c = a + start, c + start
        end = 0
        most = min(b - a, d - c)
        while end < most and old[b - 1 - end] == new[d - 1 - end]:
            end += 1
        if end:
            waiting.append((b - end, b, d - end, d))
            b, d = b - end, d - end
            waiting.append((a, b, c, d))
            continue
        if a == b or c == d:
            if a < b or c < d:
                yield Stretch(False, a, b, c, d)
            continue
        part = Stretch(False, a, b, c, d)
        anchors = _anchors(old, new, part)
        if anchors:
            waiting.extend(reversed(_between(anchors, part)))
        elif (b - a) * (d - c) <= _GAP:
            yield from _matched(old, new, part)
        else:
            yield part


def _between(anchors: list[tuple[int, int]], part: Stretch) -> list[tuple[int, int, int, int]]:
    """The parts before, from and after each anchor; a part begins with its anchor, which is then a common start."""
    _, a, b, c, d = part
    parts: list[tuple[int, int, int, int]] = []
    for x, y in anchors:
        parts.append((a, x, c, y))
        a, c = x, y
    parts.append((a, b, c, d))
    return [(i, j, k, m) for i, j, k, m in parts if i < j or k < m]


def _anchors(old: Sequence[T], new: Sequence[T], part: Stretch) -> list[tuple[int, int]]:
    """The longest run, in the order of both, of items that either side has once."""
    there = _once(new, part.new_start, part.new_end)
    pairs = [
        (at, there[item]) for item, at in _once(old, part.old_start, part.old_end).items() if item in there
    ]
    pairs.sort()
    tails: list[int] = []  # the smallest end of a run of each length
    ends: list[int] = []
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        at = bisect_left(tails, y)
        tails[at : at + 1] = [y]
        ends[at : at + 1] = [number]
        before.append(ends[at - 1] if at else -1)
    run: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _once(items: Sequence[T], start: int, end: int) -> dict[T, int]:
    found: dict[T, int] = {}
    twice: set[T] = set()
    for at in range(start, end):
        item = items[at]
        if item in found:
            twice.add(item)
        found[item] = at
    for item in twice:
        del found[item]
    return found


def _matched(old: Sequence[T], new: Sequence[T], part: Stretch) -> Iterator[Stretch]:
    _, a, b, c, d = part
    matcher = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        yield Stretch(tag == "equal", a + i, a + j, c + k, c + m)

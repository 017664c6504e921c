"""Two histories entry by entry: what is equal, what says something else in its place, what only one of them has.

Aligned by content, so that one entry more or less shifts nothing else. What is equal holds the two together; between,
entries of one kind stand beside the one they are most like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from workbench.app.results.alignment import align
from workbench.app.results.comparison import Part, compare_part
from workbench.app.threads.thread_entries import Entry
from workbench.base.exact_json import JsonError, JsonValue, dump, parse

_WEIGHED = 2_500
"""Entries of one thread times entries of the other up to which those most alike are looked for."""
_LIKENESS = 3.0
"""How much more two entries of the same words are worth than two of the same kind."""
_READ = 2_000
"""Characters of a part that are asked how alike two entries are."""
_WORD = re.compile(r"\w+")


class Match(Enum):
    """How an entry of A stands to one of B."""

    EQUAL = "equal"
    CHANGED = "changed"
    ONLY_A = "onlyA"
    ONLY_B = "onlyB"
    NOT_RUN = "notRun"
    """Only one has it, inside of a call that did not run in the other: its result stood in there, for all of it."""


class Pair(NamedTuple):
    """Two entries in each other's place, or one without another. `changed` names the parts that differ."""

    match: Match
    a: Entry | None
    b: Entry | None
    changed: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        return self.match not in (Match.EQUAL, Match.NOT_RUN)

    @property
    def either(self) -> Entry:
        """The entry of A, without one that of B."""
        entry = self.a or self.b
        assert entry is not None  # noqa: S101 – a pair of nothing is never made
        return entry

    def differences(self) -> tuple[Part, ...]:
        """What differs, part by part and line by line. Blocks for as long as comparing takes."""
        if self.a is None or self.b is None:
            return ()
        old, new = self.a.parts, self.b.parts
        return tuple(
            compare_part(name.capitalize(), old.get(name, ""), new.get(name, "")) for name in self.changed
        )


class Stretch(NamedTuple):
    """Pairs that follow each other, either all equal (or not run) or all different."""

    equal: bool
    pairs: Sequence[Pair]

    @property
    def words(self) -> str:
        """How many are equal, and how many did not run, of one that is equal."""
        not_run = sum(pair.match is Match.NOT_RUN for pair in self.pairs)
        equal = f"{len(self.pairs) - not_run:,} equal"
        return f"{equal}, {not_run:,} not run in the other" if not_run else equal


@dataclass(frozen=True, slots=True)
class Comparison:
    """All entries of A and of B, each in its own order."""

    pairs: tuple[Pair, ...]

    @property
    def same(self) -> bool:
        return not any(pair.differs for pair in self.pairs)

    @property
    def first_difference(self) -> Pair | None:
        return next((pair for pair in self.pairs if pair.differs), None)

    def count(self, match: Match) -> int:
        return sum(pair.match is match for pair in self.pairs)

    def stretches(self, since: int = 0) -> list[Stretch]:
        """Equal and different ones taking turns, from that pair on."""
        found: list[tuple[bool, list[Pair]]] = []
        for pair in self.pairs[since:]:
            equal = not pair.differs
            if found and found[-1][0] is equal:
                found[-1][1].append(pair)
            else:
                found.append((equal, [pair]))
        return [Stretch(*one) for one in found]


def compare_entries(a: Sequence[Entry], b: Sequence[Entry]) -> Comparison:
    """Align two histories (`entries_of`). Swapping them swaps the outcome and changes nothing else of it.

    Blocks: two histories of 2,000 entries take well under a second, however different they are.
    """
    a_keys, b_keys = list(map(_content, a)), list(map(_content, b))
    if b_keys < a_keys:  # always aligned in the same order, so that it does not matter which is called A
        return Comparison(tuple(map(_mirrored, _without_run(_aligned(b, a, b_keys, a_keys)))))
    return Comparison(tuple(_without_run(_aligned(a, b, a_keys, b_keys))))


def _without_run(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs; what only one side has inside of a call that stands in at the other is not run there."""
    around: tuple[list[Pair], list[Pair]] = ([], [])  # the calls of A and of B that it is inside of
    for pair in pairs:
        there = [calls for calls, one in zip(around, (pair.a, pair.b), strict=True) if one is not None]
        for calls in there:
            while calls and calls[-1].either.depth >= pair.either.depth:
                calls.pop()
        others = [one.b if pair.b is None else one.a for one in there[0]]
        not_run = len(there) == 1 and any(one is not None and one.stands_in for one in others)
        yield pair._replace(match=Match.NOT_RUN) if not_run else pair
        if pair.either.is_call:
            for calls in there:
                calls.append(pair)


def _mirrored(pair: Pair) -> Pair:
    match = {Match.ONLY_A: Match.ONLY_B, Match.ONLY_B: Match.ONLY_A}.get(pair.match, pair.match)
    return Pair(match, pair.b, pair.a, pair.changed)


_Content = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


def _content(entry: Entry) -> _Content:
    """What an entry says, all of it; equal for two that differ in nothing."""
    return entry.kind, tuple(sorted((name, _canonical(text)) for name, text in entry.parts.items()))


def _canonical(text: str) -> str:
    """JSON whatever the order of its keys and the room between."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return dump(_in_order(parse(text)))
    except (JsonError, RecursionError):
        return text


def _in_order(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(item) for item in value] if isinstance(value, list) else value


def _aligned(
    a: Sequence[Entry], b: Sequence[Entry], a_keys: Sequence[_Content], b_keys: Sequence[_Content]
) -> Iterator[Pair]:
    numbers: dict[_Content, int] = {}  # equal ones have equal numbers, which compare faster
    a_numbers = [numbers.setdefault(key, len(numbers)) for key in a_keys]
    b_numbers = [numbers.setdefault(key, len(numbers)) for key in b_keys]
    for same, i, j, k, m in align(a_numbers, b_numbers):
        if same:
            yield from (Pair(Match.EQUAL, *both) for both in zip(a[i:j], b[k:m], strict=True))
            continue
        few = (j - i) * (m - k) <= _WEIGHED
        for x, y in (_most_alike if few else _in_turn)(a[i:j], b[k:m]):
            yield _pair(a[i + x] if x is not None else None, b[k + y] if y is not None else None)


def _pair(a: Entry | None, b: Entry | None) -> Pair:
    if a is None or b is None:
        return Pair(Match.ONLY_B if a is None else Match.ONLY_A, a, b)
    names = dict.fromkeys((*a.parts, *b.parts))
    changed = tuple(
        name for name in names if _canonical(a.parts.get(name, "")) != _canonical(b.parts.get(name, ""))
    )
    return Pair(Match.CHANGED if changed else Match.EQUAL, a, b, changed)


_Places = Iterator[tuple[int | None, int | None]]


def _in_turn(a: Sequence[Entry], b: Sequence[Entry]) -> _Places:
    """Entries of one kind beside each other as they come; where the kinds differ, the longer side goes first."""
    x = y = 0
    while x < len(a) and y < len(b):
        if a[x].kind == b[y].kind:
            yield x, y
            x, y = x + 1, y + 1
        elif len(a) - x >= len(b) - y:
            yield x, None
            x += 1
        else:
            yield None, y
            y += 1
    yield from ((at, None) for at in range(x, len(a)))
    yield from ((None, at) for at in range(y, len(b)))


def _most_alike(a: Sequence[Entry], b: Sequence[Entry]) -> _Places:
    """The pairs of entries of one kind, in the order of both, that are the most alike in all."""
    a_words, b_words = list(map(_words, a)), list(map(_words, b))
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    worth = [[0.0] * len(b) for _ in a]
    for x in range(len(a) - 1, -1, -1):
        for y in range(len(b) - 1, -1, -1):
            if a[x].kind == b[y].kind:
                worth[x][y] = 1 + _LIKENESS * _likeness(a_words[x], b_words[y])
            best[x][y] = max(best[x + 1][y], best[x][y + 1], best[x + 1][y + 1] + worth[x][y])
    x = y = 0
    while x < len(a) and y < len(b):
        if worth[x][y] and best[x][y] == best[x + 1][y + 1] + worth[x][y]:
            yield x, y
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            yield x, None
            x += 1
        else:
            yield None, y
            y += 1
    yield from ((at, None) for at in range(x, len(a)))
    yield from ((None, at) for at in range(y, len(b)))


def _words(entry: Entry) -> frozenset[str]:
    return frozenset(word for text in entry.parts.values() for word in _WORD.findall(text[:_READ]))


def _likeness(a: frozenset[str], b: frozenset[str]) -> float:
    """From 0, no word in common, to 1."""
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0

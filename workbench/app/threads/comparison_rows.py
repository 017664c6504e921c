"""The rows that a comparison of two threads is read in: equal stretches folded, the rest with what differs in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from workbench.app.results.comparison import Part
from workbench.app.results.differences import Change, LinePair
from workbench.app.results.structures import lines_of
from workbench.app.results.wrapping import wrapped
from workbench.app.threads.compared_threads import ComparedThreads
from workbench.app.threads.thread_comparison import Match, Pair
from workbench.app.threads.thread_entries import STATE, TEXT
from workbench.base.exact_json import JsonError, parse
from workbench.domain.calls import CallState

_OPEN = 200
"""Entries that differ and are unfolded without being asked to, from the first on."""
_LINES = 200
"""Lines of a part that are shown where nothing in it differs."""

Key = tuple[str, str]
"""A pair by the ids of its entries, "" for none: what it is known by when the threads are compared anew."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Equal pairs, the first of which has the key; `said` counts them. `common`: what a fork begins with."""

    key: Key
    said: str
    is_open: bool
    common: bool


@dataclass(frozen=True, slots=True)
class Head:
    """A pair on one line. `number` counts the pairs from 1."""

    key: Key
    pair: Pair
    number: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class PartHead:
    """Over the lines of a part: what it is, and how much of it differs, or what its lines cannot show."""

    key: Key
    pair: Pair
    title: str
    said: str


@dataclass(frozen=True, slots=True)
class Detail:
    """A line of a part on both sides. `at` counts the lines of the pair."""

    key: Key
    pair: Pair
    at: int
    line: LinePair


Row = Fold | Head | PartHead | Detail


def key_of(pair: Pair) -> Key:
    a, b = ("" if one is None else one.id for one in (pair.a, pair.b))
    return a, b


def _is_open_at_first(pair: Pair) -> bool:
    """What differs, and what one of the threads says more; a call that only one has is a line."""
    return pair.match is Match.CHANGED or (pair.differs and not pair.either.is_call)


def parts_of(pair: Pair) -> tuple[Part, ...]:
    """What a pair shows unfolded. Blocks for as long as comparing takes."""
    if pair.match is Match.CHANGED:
        return pair.differences()
    parts = ((name, text) for name, text in pair.either.parts.items() if (name, text) != _AS_USUAL)
    return tuple(_shown(pair.match, name.capitalize(), text) for name, text in parts)


_AS_USUAL = (STATE, CallState.SUCCEEDED.value)
"""Not worth a line where it does not differ."""


def _laid_out(text: str) -> list[str]:
    """The lines of a text; of JSON those of its structure."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return lines_of(parse(text))
        except JsonError:
            pass
    return text.splitlines()


def _shown(match: Match, title: str, text: str) -> Part:
    lines = _laid_out(text)
    pairs = tuple(_line(match, at, line) for at, line in enumerate(lines[:_LINES], 1))
    more = len(lines) - _LINES
    return Part(title, pairs, 0, f"the first {_LINES} of {len(lines):,} lines" if more > 0 else "", same="")


def _line(match: Match, at: int, line: str) -> LinePair:
    if match is Match.ONLY_A:
        return LinePair(Change.REMOVED, at, line)
    if match is Match.ONLY_B:
        return LinePair(Change.ADDED, new_at=at, new=line)
    return LinePair(Change.SAME, at, line, at, line)


class ComparisonRows:
    """What is folded and unfolded is kept when the threads are compared anew."""

    def __init__(self) -> None:
        self.rows: Sequence[Row] = ()
        self._columns = 0
        self._compared: ComparedThreads | None = None
        self._open_at_first: frozenset[Key] = frozenset()
        self._turned: set[tuple[Key, bool]] = set()
        """What was folded or unfolded by hand: a stretch (True) or a pair."""
        self._parts: dict[Key, tuple[Pair, Sequence[Part]]] = {}
        self._below: dict[Key, Sequence[Row]] = {}
        """The rows of those parts, as they were broken last."""

    def show(self, compared: ComparedThreads) -> None:
        """The threads as they are now."""
        self._compared = compared
        pairs = {key_of(pair): pair for pair in compared.comparison.pairs}
        differing = (key for key, pair in pairs.items() if _is_open_at_first(pair))
        self._open_at_first = frozenset(islice(differing, _OPEN))
        self._parts = {key: found for key, found in self._parts.items() if pairs.get(key) == found[0]}
        self._below = {key: rows for key, rows in self._below.items() if key in self._parts}
        self._lay_out()

    def wrap(self, columns: int) -> bool:
        """Break lines after so many characters, 0 for never; returns whether that is new."""
        changed = columns != self._columns
        if changed:
            self._columns = columns
            self._below = {}
            self._lay_out()
        return changed

    def turn(self, row: Row, *, is_open: bool | None = None) -> bool:
        """Fold or unfold what a row stands for, or do what it is not; returns whether anything was done."""
        shown = isinstance(row, Fold | Head) and row.is_open
        if is_open is not None and shown is is_open and isinstance(row, Fold | Head):
            return False
        if not isinstance(row, Fold | Head) and is_open:
            return False
        self._turned ^= {(row.key, isinstance(row, Fold))}
        self._lay_out()
        return True

    def wanted(self) -> list[Pair]:
        """The pairs that are unfolded and whose parts were not given yet (`parts_of`)."""
        heads = (row for row in self.rows if isinstance(row, Head))
        return [head.pair for head in heads if head.is_open and head.key not in self._parts]

    def put(self, parts: Mapping[Key, tuple[Pair, Sequence[Part]]]) -> None:
        """What the wanted pairs show."""
        self._parts |= parts
        self._below = {key: rows for key, rows in self._below.items() if key not in parts}
        self._lay_out()

    def place_of(self, row: Row) -> int:
        """Where a row is now that stood for the same; else the head of its pair, else -1."""
        same = next((at for at, one in enumerate(self.rows) if _stands_for(one) == _stands_for(row)), -1)
        if same >= 0:
            return same
        return next((at for at, one in enumerate(self.rows) if set(one.key) & set(row.key) - {""}), -1)

    def next_difference(self, at: int, step: int) -> int:
        """The head of the next pair that differs (1), or of the one before (-1), around the ends; -1 without any."""
        heads = [place for place, row in enumerate(self.rows) if isinstance(row, Head) and row.pair.differs]
        if not heads:
            return -1
        if step > 0:
            return next((place for place in heads if place > at), heads[0])
        return next((place for place in reversed(heads) if place < at), heads[-1])

    def _lay_out(self) -> None:
        self.rows = list(self._all()) if self._compared is not None else ()

    def _all(self) -> Iterator[Row]:
        assert self._compared is not None  # noqa: S101 – it is laid out only when there is something
        number = 0
        for stretch, common in self._compared.stretches():
            key, count = key_of(stretch.pairs[0]), len(stretch.pairs)
            if stretch.equal:
                fold = Fold(key, stretch.words, (key, True) in self._turned, common)
                yield fold
                if not fold.is_open:
                    number += count
                    continue
            for pair in stretch.pairs:
                number += 1
                yield from self._of(pair, number)

    def _of(self, pair: Pair, number: int) -> Iterator[Row]:
        key = key_of(pair)
        is_open = (key in self._open_at_first) is not ((key, False) in self._turned)
        yield Head(key, pair, number, is_open)
        if is_open and key in self._parts:
            if key not in self._below:
                self._below[key] = list(self._of_parts(key, *self._parts[key]))
            yield from self._below[key]

    def _of_parts(self, key: Key, pair: Pair, parts: Sequence[Part]) -> Iterator[Row]:
        at = 0
        alone = len(parts) == 1 and parts[0].title.lower() == TEXT and not parts[0].note
        for part in parts:
            if not alone:
                yield PartHead(key, pair, part.title, part.note or _count(part))
            for line in part.pairs:
                for piece in wrapped(line, self._columns) if self._columns else (line,):
                    at += 1
                    yield Detail(key, pair, at, piece)


def _count(part: Part) -> str:
    if not part.differences:
        return part.same
    return "1 line differs" if part.differences == 1 else f"{part.differences:,} lines differ"


def _stands_for(row: Row) -> tuple[object, ...]:
    more = row.title if isinstance(row, PartHead) else row.at if isinstance(row, Detail) else None
    return type(row), row.key, more

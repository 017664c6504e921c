"""What changed between two results: texts line by line, JSON values by their path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from itertools import accumulate
from typing import NamedTuple

from workbench.app.results.alignment import Stretch, align
from workbench.base.exact_json import JsonValue, dump
from workbench.base.json_pointer import pointer

COMPARED = 2_000_000
"""Characters of either text that are compared; what lies beyond is only asked whether it is equal."""
CONTEXT = 3
_MARKED = 2_000
_CHANGES = 20_000
_ALIKE = 0.5
_WORD = re.compile(r"\w+|\s+|.")

Span = tuple[int, int]
Path = tuple[str | int, ...]


class Change(Enum):
    """What happened to a line or a value."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    SKIPPED = "skipped"


class LinePair(NamedTuple):
    """A line before and after. `old_at` and `new_at` count lines from 1; 0 where there is none.

    `old_marks` and `new_marks` are the parts of a changed line that differ. For SKIPPED, `old_at` is how many equal
    lines are left out.
    """

    change: Change
    old_at: int = 0
    old: str = ""
    new_at: int = 0
    new: str = ""
    old_marks: tuple[Span, ...] = ()
    new_marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDifference:
    """The lines of two texts side by side. `note` says what was not compared, in words; "" when all was."""

    pairs: tuple[LinePair, ...]
    added: int
    removed: int
    note: str = ""

    @property
    def same(self) -> bool:
        return not (self.added or self.removed or self.note)


class ValueChange(NamedTuple):
    """A value that differs. `old` and `new` are compact JSON; "" where there is none."""

    change: Change
    path: Path
    old: str
    new: str

    @property
    def pointer(self) -> str:
        return pointer(self.path)


def compare_texts(old: str, new: str, *, context: int = CONTEXT) -> TextDifference:
    """Lines aligned by content; equal lines further than `context` from a change are left out."""
    note = ""
    rest_differs = old[COMPARED:] != new[COMPARED:]
    if max(len(old), len(new)) > COMPARED:
        note = f"Only the first {COMPARED:,} characters are compared line by line; "
        note += "what follows them differs too." if rest_differs else "what follows them is equal."
    old_lines = old[:COMPARED].splitlines()
    new_lines = new[:COMPARED].splitlines()
    pairs: list[LinePair] = []
    for stretch in align(old_lines, new_lines):
        same, a, b, c, _ = stretch
        if same:
            pairs.extend(
                LinePair(Change.SAME, a + i + 1, old_lines[a + i], c + i + 1, new_lines[c + i])
                for i in range(b - a)
            )
        else:
            pairs.extend(_paired(old_lines, new_lines, stretch))
    added = sum(1 for pair in pairs if pair.change in (Change.ADDED, Change.CHANGED))
    removed = sum(1 for pair in pairs if pair.change in (Change.REMOVED, Change.CHANGED))
    if not (added or removed or note) and old != new:
        note = "The texts differ only in their line breaks."
    return TextDifference(tuple(folded(pairs, context)), added, removed, note)


def _paired(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> Iterator[LinePair]:
    """Lines that were exchanged for others, each beside the one that took its place when they are alike."""
    _, a, b, c, d = stretch
    while a < b and c < d:
        if _alike(old[a], new[c]):
            old_marks, new_marks = marked(old[a], new[c])
            yield LinePair(Change.CHANGED, a + 1, old[a], c + 1, new[c], old_marks, new_marks)
            a, c = a + 1, c + 1
        elif b - a > d - c:
            yield LinePair(Change.REMOVED, a + 1, old[a])
            a += 1
        elif b - a < d - c:
            yield LinePair(Change.ADDED, new_at=c + 1, new=new[c])
            c += 1
        else:
            yield LinePair(Change.REMOVED, a + 1, old[a])
            yield LinePair(Change.ADDED, new_at=c + 1, new=new[c])
            a, c = a + 1, c + 1
    yield from (LinePair(Change.REMOVED, at + 1, old[at]) for at in range(a, b))
    yield from (LinePair(Change.ADDED, new_at=at + 1, new=new[at]) for at in range(c, d))


def _alike(old: str, new: str) -> bool:
    matcher = SequenceMatcher(None, old[:_MARKED], new[:_MARKED], autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE


def marked(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The parts of two lines that differ, word by word; of a word in another's place what lies between equal ends.

    Of lines with less than half of their words in common it is one part, whole words between equal ends; of words that
    are as little alike the whole word. Of very long lines it is what lies between their equal ends.
    """
    if max(len(old), len(new)) > _MARKED:
        return _between_ends(old, new)
    was, now = _WORD.findall(old), _WORD.findall(new)
    codes = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    same = sum(len(word.strip()) for tag, a, b, *_ in codes if tag == "equal" for word in was[a:b])
    if 2 * same < _ALIKE * sum(len(word.strip()) for word in (*was, *now)):
        start, end = _ends(was, now)
        codes = [("replace", start, len(was) - end, start, len(now) - end)]
    olds, news = ([0, *accumulate(map(len, words))] for words in (was, now))
    old_marks: list[Span] = []
    new_marks: list[Span] = []
    for tag, a, b, c, d in codes:
        if tag != "equal":
            here, there = _of_words(old[olds[a] : olds[b]], new[news[c] : news[d]])
            old_marks += [(olds[a] + start, olds[a] + end) for start, end in here]
            new_marks += [(news[c] + start, news[c] + end) for start, end in there]
    return tuple(old_marks), tuple(new_marks)


def _of_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Of words that took each other's place: all of them, unless most of their letters are at equal ends."""
    if 2 * sum(_ends(old, new)) < _ALIKE * (len(old) + len(new)):
        return ((0, len(old)),) if old else (), ((0, len(new)),) if new else ()
    return _between_ends(old, new)


def _between_ends(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The one part of each that lies between their common beginning and their common end, if there is one."""
    start, end = _ends(old, new)
    olds, news = (start, len(old) - end), (start, len(new) - end)
    return (olds,) if start < olds[1] else (), (news,) if start < news[1] else ()


def _ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How much is equal at the beginning, and of the rest at the end."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start, end


def folded(pairs: list[LinePair], context: int) -> Iterator[LinePair]:
    """Pairs of lines without the equal ones that are further than `context` from a change."""
    at = 0
    while at < len(pairs):
        end = at
        while end < len(pairs) and pairs[end].change is Change.SAME:
            end += 1
        head = 0 if at == 0 else context
        tail = 0 if end == len(pairs) else context
        if end - at > head + tail + 1:
            yield from pairs[at : at + head]
            yield LinePair(Change.SKIPPED, end - at - head - tail)
            yield from pairs[end - tail : end]
        else:
            yield from pairs[at:end]
        if end < len(pairs):
            yield pairs[end]
        at = end + 1


def compare_values(old: JsonValue, new: JsonValue) -> list[ValueChange]:
    """Values that differ, by the path that they have now (or had, when they are gone); arrays aligned by content.

    At most 20,000 are told.
    """
    changes: list[ValueChange] = []
    waiting: list[tuple[Path, JsonValue, JsonValue]] = [((), old, new)]
    while waiting and len(changes) < _CHANGES:
        path, before, after = waiting.pop()
        if isinstance(before, dict) and isinstance(after, dict):
            both: list[tuple[Path, JsonValue, JsonValue]] = []
            for key, value in before.items():
                if key in after:
                    both.append(((*path, key), value, after[key]))
                else:
                    changes.append(ValueChange(Change.REMOVED, (*path, key), dump(value), ""))
            changes.extend(
                ValueChange(Change.ADDED, (*path, key), "", dump(value))
                for key, value in after.items()
                if key not in before
            )
            waiting.extend(reversed(both))
        elif isinstance(before, list) and isinstance(after, list):
            waiting.extend(reversed(list(_items(path, before, after, changes))))
        elif (was := dump(before)) != (is_now := dump(after)):
            changes.append(ValueChange(Change.CHANGED, path, was, is_now))
    return changes


def _items(
    path: Path, old: list[JsonValue], new: list[JsonValue], changes: list[ValueChange]
) -> Iterator[tuple[Path, JsonValue, JsonValue]]:
    """Items that took each other's place; what came or went is told at once."""
    for same, a, b, c, d in align([dump(item) for item in old], [dump(item) for item in new]):
        if same:
            continue
        for at in range(min(b - a, d - c)):
            yield (*path, c + at), old[a + at], new[c + at]
        changes.extend(
            ValueChange(Change.REMOVED, (*path, at), dump(old[at]), "") for at in range(a + (d - c), b)
        )
        changes.extend(
            ValueChange(Change.ADDED, (*path, at), "", dump(new[at])) for at in range(c + (b - a), d)
        )

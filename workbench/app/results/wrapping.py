"""Pairs of lines broken to the width that there is, so that what differs far to the right is seen, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from workbench.app.results.differences import Change, LinePair, Span


def wrapped(pair: LinePair, columns: int) -> Iterator[LinePair]:
    """The pair in pieces of at most so many characters a side, broken between words where there is a place.

    Each piece has the numbers of its line; 0 where that side has no more.
    """
    if pair.change is Change.SKIPPED or max(len(pair.old), len(pair.new)) <= columns:
        yield pair
        return
    olds = _pieces(pair.old, columns) if pair.old_at else []
    news = _pieces(pair.new, columns) if pair.new_at else []
    for old, new in zip_longest(olds, news):
        yield LinePair(
            pair.change,
            pair.old_at if old else 0,
            pair.old[slice(*old)] if old else "",
            pair.new_at if new else 0,
            pair.new[slice(*new)] if new else "",
            _within(pair.old_marks, old),
            _within(pair.new_marks, new),
        )


def _pieces(text: str, columns: int) -> list[Span]:
    """Spans that cover the text; one for an empty text."""
    found: list[Span] = []
    start = 0
    while len(text) - start > columns:
        space = text.rfind(" ", start, start + columns)
        end = space + 1 if space > start else start + columns
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]


def _within(marks: Sequence[Span], piece: Span | None) -> tuple[Span, ...]:
    """The marks that lie in a piece, counted from its beginning."""
    if piece is None:
        return ()
    start, end = piece
    return tuple((max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start)

"""In what pieces an answer came: the size of each and the pause before it, and no word of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.base.clock import Clock
from workbench.domain.model_answers import ArgumentsDelta, CallNamed, ReasoningDelta, TextDelta

MOST = 5_000
"""Pieces that are kept of one answer; of a longer one none are."""

_PIECE = re.compile(r"(\d+)([trna])(?:(\d+):)?(\d+)")
_KINDS = {TextDelta: "t", ReasoningDelta: "r", CallNamed: "n", ArgumentsDelta: "a"}


class Piece(NamedTuple):
    """`after_ms` is the pause before it. `kind`: t text, r reasoning, n a call's name so far, a its arguments."""

    after_ms: int
    kind: str
    call: int
    """Its index, as the deltas have it."""
    size: int
    """In characters."""


class Pieces:
    """Hears the deltas of one stream. What is kept holds nothing that could be a secret (V6)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic()
        self._heard: list[str] = []

    def hear(self, delta: TextDelta | ReasoningDelta | CallNamed | ArgumentsDelta) -> None:
        if len(self._heard) > MOST:
            return
        now = self._clock.monotonic()
        pause, self._last = round((now - self._last) * 1000), now
        match delta:
            case TextDelta(text=text) | ReasoningDelta(text=text):
                self._heard.append(f"{pause}{_KINDS[type(delta)]}{len(text)}")
            case CallNamed(index=index, name=text) | ArgumentsDelta(index=index, text=text):
                self._heard.append(f"{pause}{_KINDS[type(delta)]}{index}:{len(text)}")

    def kept(self) -> str:
        """All of them in a text that `read_pieces` reads."""
        return "" if len(self._heard) > MOST else " ".join(self._heard)


def read_pieces(kept: str) -> Iterator[Piece]:
    """What `Pieces.kept` gave."""
    for after, kind, index, size in _PIECE.findall(kept):
        yield Piece(int(after), kind, int(index or 0), int(size))

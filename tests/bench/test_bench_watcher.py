"""What watching a call's arguments costs while they stream, and that it grows with their length only."""

from __future__ import annotations

import json
from statistics import median
from time import process_time

import pytest

from tests.bench.conftest import JUDGED, Table
from workbench.engine.models.argument_watcher import ArgumentWatcher

pytestmark = pytest.mark.bench

PIECE = 20
"""Characters; about what a provider sends at once."""


def cut(content: str) -> list[str]:
    """Arguments whose watched one comes last: the watcher has to read them all."""
    text = json.dumps({"content": content, "intent": "Writing the file"})
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def seconds(pieces: list[str]) -> float:
    watcher = ArgumentWatcher("intent")
    start = process_time()
    for piece in pieces:
        watcher.feed(piece)
    taken = process_time() - start
    assert watcher.value == "Writing the file"
    return taken


@pytest.mark.parametrize(
    ("what", "content"),
    [("plain text", "word " * 20_000), ("a program with quotes", 'print("\\n", {"a": [1, 2]})\n' * 4_000)],
)
def test_a_piece_costs_microseconds_and_ten_times_the_size_ten_times_the_time(
    table: Table, what: str, content: str
) -> None:
    small, large = cut(content), cut(content * 10)
    pairs = [(seconds(small), seconds(large)) for _ in range(9)]
    piece = median(taken for _, taken in pairs) / len(large) * 1_000_000
    growth = median(ten / one for one, ten in pairs)

    table.ratio(
        f"10× the arguments, {what}",
        growth,
        measured=f"{piece:.2f} µs a piece",
        beside="≤ 3 µs",
        at_most=11,
    )
    assert piece <= 3 or not JUDGED

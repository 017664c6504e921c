"""What was handed to a trace store is remembered as long as it can come again, and no longer."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.app.handed_spans import LATE, HandedSpans


@dataclass(frozen=True)
class Ended:
    span_id: int
    ended: int


def test_a_span_goes_once_and_what_ended_before_goes_not_at_all() -> None:
    handed = HandedSpans(since=1_000)
    first, late = Ended(1, 1_000), Ended(2, 1_001)

    handed.add([first])

    assert [handed.has(one) for one in (Ended(0, 999), first, late)] == [True, True, False]


def test_what_is_remembered_does_not_grow_with_what_was_handed_over() -> None:
    handed = HandedSpans(since=0)
    spans = [Ended(number, number * LATE // 100) for number in range(10_000)]

    for span in spans:
        handed.add([span])

    assert len(handed) <= 101
    assert all(map(handed.has, spans))
    assert not handed.has(Ended(10_000, spans[-1].ended - LATE // 2))
    handed.add([])
    assert all(map(handed.has, spans))

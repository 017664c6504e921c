"""A call's start is announced once: at its name, or with its progress, or when it ends without one."""

from __future__ import annotations

import pytest

from tests.engine.answers import assembled, finished, request
from workbench.domain.model_answers import ArgumentsDelta, CallNamed, Delta, FinishReason, TextDelta
from workbench.engine.models.assembly import Assembly
from workbench.engine.models.call_start import CallStart

pytestmark = pytest.mark.rule("C8")


def named(name: str, index: int = 0, id: str = "c") -> CallNamed:
    return CallNamed(index=index, id=id, name=name)


def more(text: str, index: int = 0) -> ArgumentsDelta:
    return ArgumentsDelta(index=index, text=text)


def announced_at(*deltas: Delta) -> list[tuple[int, CallStart]]:
    """Which delta, counted from 0, announced which start."""
    assembly = Assembly(request())
    return [(number, start) for number, delta in enumerate(deltas) for start in assembly.add(delta)]


def test_a_tool_without_progress_starts_at_first_sight_of_its_name() -> None:
    assert announced_at(named("plain"), more("{}"), finished()) == [(0, CallStart("c", "plain"))]


def test_a_tool_with_progress_starts_when_that_argument_is_complete() -> None:
    at = announced_at(named("telling"), more('{"intent":"Look'), more('ing","a":'), more("1}"), finished())

    assert at == [(2, CallStart("c", "telling", "Looking"))]


def test_a_call_that_ends_without_its_progress_starts_then() -> None:
    at = announced_at(named("telling"), more('{"a":'), more("1}"), finished())

    assert at == [(2, CallStart("c", "telling"))]


@pytest.mark.parametrize("value", ["1", "null", '["x"]', '{"intent":"x"}', "true"])
def test_a_value_that_is_no_string_counts_as_absent(value: str) -> None:
    at = announced_at(named("telling"), more(f'{{"intent":{value}'), more("}"), finished())

    assert at == [(2, CallStart("c", "telling"))]


@pytest.mark.parametrize("text", ["", '{"intent":"cut', "no json", "[]"])
def test_whatever_the_arguments_are_the_call_starts_at_its_end_at_the_latest(text: str) -> None:
    at = announced_at(named("telling"), more(text), finished(FinishReason.LENGTH))

    assert at == [(2, CallStart("c", "telling"))]


def test_arguments_before_the_name_are_not_lost() -> None:
    at = announced_at(more('{"intent":"Ear'), more('ly"'), named("telling"), more("}"), finished())

    assert at == [(2, CallStart("c", "telling", "Early"))]


def test_a_name_that_comes_again_and_again_starts_one_call() -> None:
    deltas = [named("plain" * times) for times in range(1, 5)]
    assembly, starts = assembled([*deltas, more("{}"), finished(FinishReason.TOOL_CALLS)])

    assert starts == [CallStart("c", "plain")]
    assert [call.name for call in assembly.answer().calls] == ["plain"]


def test_a_name_in_pieces_starts_when_it_is_whole() -> None:
    at = announced_at(named("tel"), named("telling"), more('{"intent":"x"}'), finished())

    assert at == [(2, CallStart("c", "telling", "x"))]


def test_an_unknown_tool_starts_when_its_arguments_begin() -> None:
    assert announced_at(named("unknown"), more("{"), finished()) == [(1, CallStart("c", "unknown"))]


def test_an_unknown_tool_without_arguments_starts_at_the_end() -> None:
    assert announced_at(named("unknown"), TextDelta(text="x"), finished()) == [(2, CallStart("c", "unknown"))]


def test_interleaved_calls_start_each_on_its_own() -> None:
    at = announced_at(
        named("telling", 0, "a"),
        named("telling", 1, "b"),
        more('{"intent":"A', 0),
        more('{"intent":"B"', 1),
        more('"}', 0),
        more("}", 1),
        finished(),
    )

    assert at == [(3, CallStart("b", "telling", "B")), (4, CallStart("a", "telling", "A"))]


def test_two_hundred_calls_at_once_start_once_each() -> None:
    deltas: list[Delta] = [named("telling", index, f"c{index}") for index in range(200)]
    deltas += [more(piece, index) for piece in ('{"int', 'ent":"', 'x"}') for index in range(200)]
    _, starts = assembled([*deltas, finished(FinishReason.TOOL_CALLS)])

    assert sorted(start.id for start in starts) == sorted(f"c{index}" for index in range(200))

"""Deltas become one answer: parts in order, calls kept apart, ids that differ, and what was cut off marked."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.answers import assembled, finished, request
from workbench.base.errors import BugError
from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    Delta,
    FileMade,
    Finished,
    FinishReason,
    ProviderCall,
    ProviderResult,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageReported,
)
from workbench.domain.model_requests import (
    AssistantTurn,
    FilePart,
    ProviderCallPart,
    ProviderResultPart,
    ReasoningPart,
    Replay,
    TextPart,
    ToolCallPart,
)
from workbench.domain.models import Provider

REPLAY = Replay(provider=Provider.SCRIPTED, data="{}")


def call(index: int, id: str, name: str, *pieces: str) -> list[Delta]:
    return [
        CallNamed(index=index, id=id, name=name),
        *(ArgumentsDelta(index=index, text=piece) for piece in pieces),
    ]


def test_parts_stand_in_the_order_in_which_they_began() -> None:
    assembly, _ = assembled(
        [
            ReasoningDelta(text="I th"),
            ReasoningDelta(text="ink."),
            ReasoningDelta(text="", signature="seal"),
            ReasoningDelta(text="Again."),
            TextDelta(text="So "),
            TextDelta(text=""),
            *call(0, "a", "plain", '{"x"'),
            TextDelta(text="and"),
            ArgumentsDelta(index=0, text=":1}"),
            ProviderCall(id="s", name="web_search", arguments="{}"),
            ProviderResult(id="s", name="web_search", content="[]"),
            FileMade(mime_type="image/png", data=b"\x89"),
            finished(),
        ]
    )

    assert assembly.answer().parts == (
        ReasoningPart(text="I think.", signature="seal", provider=Provider.SCRIPTED),
        ReasoningPart(text="Again.", provider=Provider.SCRIPTED),
        TextPart(text="So "),
        ToolCallPart(id="a", name="plain", arguments='{"x":1}'),
        TextPart(text="and"),
        ProviderCallPart(id="s", name="web_search", arguments="{}"),
        ProviderResultPart(id="s", name="web_search", content="[]"),
        FilePart(mime_type="image/png", data=b"\x89"),
    )


def test_interleaved_calls_get_each_its_own_arguments() -> None:
    deltas = [*call(3, "a", "plain"), *call(1, "b", "telling")]
    for left, right in zip('{"x":1}', '{"y":2}', strict=True):
        deltas += [ArgumentsDelta(index=3, text=left), ArgumentsDelta(index=1, text=right)]
    assembly, _ = assembled([*deltas, finished(FinishReason.TOOL_CALLS)])

    assert [(made.id, made.arguments) for made in assembly.answer().calls] == [
        ("a", '{"x":1}'),
        ("b", '{"y":2}'),
    ]


def test_the_last_usage_counts_and_may_come_at_any_time() -> None:
    first, last = Usage(input_tokens=1), Usage(input_tokens=2, output_tokens=3)
    assembly, _ = assembled([UsageReported(usage=first), finished(), UsageReported(usage=last)])

    assert assembly.answer().usage == last


def test_an_answer_without_anything_is_empty() -> None:
    assembly, _ = assembled([TextDelta(text=""), ReasoningDelta(text=""), finished()])

    assert assembly.answer().parts == ()


def test_the_same_id_twice_becomes_two_ids() -> None:
    assembly, starts = assembled([*call(0, "c", "plain"), *call(1, "c", "plain"), finished()])

    ids = [made.id for made in assembly.answer().calls]
    assert ids == [start.id for start in starts]
    assert len(set(ids)) == 2


def test_an_id_of_an_earlier_answer_is_not_used_again() -> None:
    before = AssistantTurn(parts=(ToolCallPart(id="c", name="plain", arguments="{}"),))
    assembly, _ = assembled([*call(0, "c", "plain"), finished()], request(turns=(before,)))

    assert assembly.answer().calls[0].id != "c"


def test_a_call_without_an_id_gets_one() -> None:
    assembly, _ = assembled([*call(0, "", "plain"), *call(1, "", "plain"), finished()])

    ids = [made.id for made in assembly.answer().calls]
    assert all(ids)
    assert len(set(ids)) == 2


@given(
    st.lists(st.tuples(st.sampled_from(["plain", "telling", "unknown"]), st.text(max_size=9)), max_size=5),
    st.integers(0, 2**32).map(Random),
)
def test_however_calls_are_cut_and_interleaved_they_come_out_whole(
    wanted: list[tuple[str, str]], random: Random
) -> None:
    queues: list[list[Delta]] = []
    for index, (name, text) in enumerate(wanted):
        pieces = call(index, f"c{index}", name, *text)
        if random.random() < 0.3:  # a late name
            pieces.append(pieces.pop(0))
        queues.append(pieces)
    deltas: list[Delta] = []
    while any(queues):
        deltas.append(random.choice([queue for queue in queues if queue]).pop(0))
    assembly, starts = assembled([*deltas, finished(FinishReason.TOOL_CALLS)])

    assert {made.id: (made.name, made.arguments) for made in assembly.answer().calls} == {
        f"c{index}": made for index, made in enumerate(wanted)
    }
    assert sorted(start.id for start in starts) == [f"c{index}" for index in range(len(wanted))]


@pytest.mark.parametrize(
    ("deltas", "kept"),
    [
        (call(0, "c", "plain"), True),
        (call(0, "c", "plainplain"), False),
        ([*call(0, "c", "plain"), *call(1, "c", "plain")], False),
    ],
    ids=["as sent", "another name", "another id"],
)
def test_the_providers_own_words_are_kept_only_while_they_say_the_same(
    deltas: list[Delta], kept: bool
) -> None:
    end = Finished(reason=FinishReason.TOOL_CALLS, response_id="r", replay=REPLAY)
    assembly, _ = assembled([*deltas, end])

    assert (assembly.answer().replay == REPLAY) is kept


@pytest.mark.rule("C1")
@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.CONTENT_FILTER, FinishReason.ERROR])
@pytest.mark.parametrize(
    ("arguments", "cut"),
    [('{"a":1}', False), ('{"a":"b', True), ("", True), ('{"a":1}{', True), ("[]", True)],
)
def test_a_call_is_cut_when_the_answer_was_and_its_arguments_are_no_object(
    reason: FinishReason, arguments: str, cut: bool
) -> None:
    assembly, _ = assembled([*call(0, "c", "plain", arguments), finished(reason)])

    assert assembly.answer().cut_calls == (("c",) if cut else ())


def test_an_answer_that_ended_by_itself_cuts_nothing() -> None:
    assembly, _ = assembled([*call(0, "c", "plain", ""), finished(FinishReason.TOOL_CALLS)])

    assert assembly.answer().cut_calls == ()


def test_there_is_no_answer_before_its_end() -> None:
    assembly, _ = assembled([TextDelta(text="half")])

    with pytest.raises(BugError):
        assembly.answer()

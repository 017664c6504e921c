"""The inputs of earlier calls, and a walk through them that loses nothing."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.app.projects import OpenProject
from workbench.app.inputs.earlier import Draft, EarlierInput, Walk
from workbench.domain.calls import Origin


def earlier(*texts: str) -> list[EarlierInput]:
    return [EarlierInput(arguments=text, created_at=0) for text in texts]


async def test_inputs_come_newest_first_and_each_once_however_it_was_spelled(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        for text in ('{"text":"a"}', '{"text": "b"}', '{ "text" : "a" }'):
            await wb.call_tool("echo", text)
        call_id = await wb.start_call("echo", b"{cut o", origin=Origin.MODEL)
        await wb.wait_call(call_id)
        found = await wb.inputs.earlier("echo")
        assert [one.arguments for one in found] == ['{"text":"a"}', '{"text":"b"}']
        assert found[0].created_at > found[1].created_at
        assert [one.arguments for one in await wb.inputs.earlier("echo", limit=1)] == ['{"text":"a"}']
        assert await wb.inputs.earlier("never_called") == ()


async def test_what_failed_is_told_apart(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        call_id = await wb.start_call("echo", b'{"text": 1}', origin=Origin.FORM)
        await wb.wait_call(call_id)
        (one,) = await wb.inputs.earlier("echo")
        assert one.is_error


def test_the_walk_leads_back_to_the_draft_that_it_began_with() -> None:
    walk = Walk(earlier("1", "2"), own=None)
    assert walk.step(1, lambda: {"draft": "mine"}) == walk.inputs[0]
    assert walk.step(1, dict) == walk.inputs[1]
    assert walk.step(1, dict) is None
    assert walk.step(-1, lambda: {"draft": "edited"}) == {}
    assert walk.step(-1, dict) == {"draft": "mine"}
    assert walk.step(-1, dict) is None


def test_what_was_edited_at_a_place_is_there_again() -> None:
    walk = Walk(earlier("1", "2"), own=None)
    walk.step(1, lambda: {"draft": "mine"})
    walk.step(1, lambda: {"draft": "1, edited"})
    assert walk.step(-1, dict) == {"draft": "1, edited"}


def test_the_input_that_stands_in_the_form_is_not_offered_as_an_earlier_one() -> None:
    assert [one.arguments for one in Walk(earlier("1", "2"), own="1").inputs] == ["2"]


@given(st.lists(st.sampled_from([1, -1]), max_size=30), st.integers(0, 4))
def test_whatever_way_is_walked_every_place_holds_what_was_left_there(steps: list[int], count: int) -> None:
    walk = Walk(earlier(*map(str, range(count))), own=None)
    shown: Draft | EarlierInput = {"draft": "mine"}
    held: dict[int, Draft | EarlierInput] = {0: shown}
    for number, by in enumerate(steps):
        left: Draft = {"draft": f"left at step {number}"}
        before = walk.place
        found = walk.step(by, lambda left=left: left)
        if found is None:
            assert walk.place == before
            continue
        held[before] = left
        assert found == held.get(walk.place, walk.inputs[walk.place - 1])

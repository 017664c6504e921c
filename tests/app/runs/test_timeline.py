"""A thread as a timeline: who worked when, sub-prompts and children on their own, what a person was waited for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

from tests.app.agent_files import ECHO, HEAD, write_files
from tests.app.projects import OpenProject
from tests.engine.agent_values import an_agent
from workbench.app import Workbench, open_workbench
from workbench.app.runs.bars import Bar, Group, Standing, Timeline, Work
from workbench.app.runs.timeline import read_timeline, timeline
from workbench.base.ids import CallId, RequestId, ThreadId
from workbench.domain.agents import PromptSide
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.model_answers import Usage
from workbench.domain.requests import Attempt, Request, RequestState
from workbench.domain.spans import CallSpan, ThreadSpans, Wait
from workbench.domain.threads import Thread, ThreadKind
from workbench.engine.doubles.vault import MemoryVault

TALK = [
    {
        "text": "I look.",
        "calls": [{"name": "echo", "arguments": {"text": "a"}}, {"name": "judge"}, {"name": "fail"}],
    },
    {"text": "Done."},
]
FILES: Mapping[str, str] = {
    "agents/tools/echo.py": ECHO,
    "agents/tools/fail.py": HEAD
    + """
def execute(state):
    raise ValueError("no")
tool = define_tool(description="Fail.", execute=execute)
""",
    "agents/models/offline.py": HEAD
    + 'm = define_model(name="offline", provider="scripted", model="talk.json", input_price=1, output_price=1)\n',
    "agents/models/other.py": HEAD
    + 'm = define_model(name="other", provider="scripted", model="judge.json")\n',
    "agents/prompts/helper.py": HEAD
    + 'p = define_prompt(name="helper", tool_description="Helps.", prompt="Help.", model="offline",\n'
    '    tools=["echo", "judge", "fail"])\n',
    "agents/prompts/judge.py": HEAD
    + 'p = define_prompt(name="judge", tool_description="Judges.", prompt="Judge.", model="other", tools=["echo"])\n',
    "agents/agents/front.py": HEAD
    + 'a = define_agent(name="front", side_a=PromptSide("helper"), side_b=HumanSide(label="guest"))\n',
    "talk.json": json.dumps({"steps": TALK}),
    "judge.json": json.dumps(
        {"steps": [{"text": "Well.", "calls": [{"name": "echo", "arguments": {"text": "b"}}]}]}
    ),
}


def told(group: Group) -> list[str]:
    """Each lane in a line: its name, and its bars by label and how they stand."""
    return [
        f"{lane.title}: {', '.join(f'{bar.label} {bar.standing.value}' for bar in lane.bars)}"
        for lane in group.lanes
    ]


def bar(found: Timeline, label: str) -> Bar:
    return next(bar for bar in found.bars if bar.label == label)


async def test_sides_and_sub_prompts_have_lanes_of_their_own_and_failures_stand_out(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path / "desk", FILES)) as wb:
        thread = await wb.threads.start("front", message="Look.")
        await wb.threads.parked(thread.id)
        found = await read_timeline(wb, thread.id)
        assert [(group.side, group.title, group.depth) for group in found.groups] == [
            ("A", "helper", 0),
            ("", "judge", 1),
            ("B", "guest", 0),
        ]
        helper, judge, guest = found.groups
        assert told(helper) == [
            "Model: 1 Succeeded, 3 Succeeded",
            "Tools: echo Succeeded, judge Succeeded, fail Failed",
        ]
        assert told(judge) == ["Model: 2 Succeeded", "Tools: echo Succeeded"]
        assert told(guest) == ["Person: next message Waiting"]
        assert not found.is_live
        totals = await wb.threads.totals(thread.id)
        assert found.usage == totals.usage
        assert helper.usage is not None
        assert judge.usage is not None
        assert helper.usage.input_tokens + judge.usage.input_tokens == found.usage.input_tokens
        assert judge.usage.cost is None
        assert bar(found, "fail").note == "tool error"


async def test_a_call_that_waits_for_an_approval_is_a_wait_of_the_person_until_it_runs(
    tmp_path: Path,
) -> None:
    asks = {
        "agents/tools/fail.py": HEAD
        + 'tool = define_tool(description="Pay.", needs_approval=True, execute=lambda state: "paid")\n'
    }
    root = write_files(tmp_path / "desk", FILES, asks)
    person = tmp_path / "person"
    async with open_workbench(root, data_dir=person, vault=MemoryVault(), person_attached=True) as wb:
        thread = await wb.threads.start("front", message="Look.")
        await _until(
            wb, lambda: any(call.state is CallState.WAITING_FOR_APPROVAL for call in wb.live_calls())
        )
        waiting = await read_timeline(wb, thread.id)
        async with asyncio.timeout(30):
            while not waiting.is_live:  # that it waits is told a moment before it is kept
                waiting = await read_timeline(wb, thread.id)
        assert bar(waiting, "approve fail").standing is Standing.WAITING
        assert not any(one.label == "fail" for one in waiting.bars)
        (call,) = wb.live_calls()
        await wb.decide(call.id, "approve")
        await wb.threads.parked(thread.id)
        done = await read_timeline(wb, thread.id)
        waited, ran = bar(done, "approve fail"), bar(done, "fail")
        assert (waited.standing, ran.standing) == (Standing.WAITED, Standing.SUCCEEDED)
        assert waited.ended is not None
        assert waited.began < waited.ended <= ran.end(0)


async def test_a_request_that_a_person_answers_waits(tmp_path: Path, opened: OpenProject) -> None:
    by_hand = {"agents/models/offline.py": HEAD + 'm = define_model(name="offline", provider="human")\n'}
    async with opened(write_files(tmp_path / "desk", FILES, by_hand)) as wb:
        thread = await wb.threads.start("front", message="Look.")
        await _until(wb, lambda: bool(wb.models.questions()))
        asked = bar(await read_timeline(wb, thread.id), "1")
        assert (asked.standing, asked.note) == (Standing.WAITING, "your answer is awaited")
        await wb.models.answer(wb.models.questions()[0].id, "Well.")
        await wb.threads.parked(thread.id)
        answered = bar(await read_timeline(wb, thread.id), "1")
        assert answered.standing is Standing.SUCCEEDED
        assert "answered by a person" in answered.note


async def _until(wb: Workbench, condition: Callable[[], bool]) -> None:
    happened = asyncio.Event()
    stop = wb.subscribe(on_event=lambda _: happened.set(), on_changes=lambda _: happened.set())
    try:
        async with asyncio.timeout(30):
            while not condition():
                await happened.wait()
                happened.clear()
    finally:
        stop()


# --- what a history can hold -------------------------------------------------------------------------------

ROOT, CHILD, GRANDCHILD = ThreadId("root"), ThreadId("child"), ThreadId("grandchild")


def thread(id: ThreadId, parent: ThreadId | None = None, name: str = "") -> Thread:
    return Thread(
        id=id,
        kind=ThreadKind.AGENT,
        created_at=0,
        updated_at=0,
        agent="front",
        parent_id=parent,
        relationship=name,
    )


def request(id: str, of: ThreadId, start: int, end: int, place: str = "a/helper") -> Request:
    tried = Attempt(model="m", provider="openai", model_id="x", started_at=start, ended_at=end)
    return Request(
        id=RequestId(id),
        thread_id=of,
        side="a",
        step=1,
        prompt=place.rpartition("/")[2],
        conversation=place,
        state=RequestState.ANSWERED,
        created_at=start,
        attempts=(tried, tried),
        usage=Usage(input_tokens=10, output_tokens=5, cost=Decimal("0.01")),
    )


def call(id: str, of: ThreadId, start: int, end: int | None, parent: str | None = None) -> CallSpan:
    return CallSpan(
        id=CallId(id),
        thread_id=of,
        tool=id,
        origin=Origin.MODEL if parent is None else Origin.INVOKE,
        state=CallState.RUNNING if end is None else CallState.FAILED,
        created_at=start,
        started_at=start,
        finished_at=end,
        failure=None if end is None else FailureKind.TIMED_OUT,
        parent_call_id=CallId(parent) if parent else None,
        side="a",
    )


def test_threads_below_stand_under_the_side_that_they_serve_each_under_its_parent() -> None:
    spans = [
        ThreadSpans(thread=thread(ROOT), requests=(request("1", ROOT, 0, 10),)),
        ThreadSpans(thread=thread(CHILD, ROOT, "researcher"), requests=(request("2", CHILD, 2, 5),)),
        ThreadSpans(thread=thread(GRANDCHILD, CHILD, "reader"), requests=(request("3", GRANDCHILD, 3, 4),)),
    ]
    found = timeline(spans, {})
    assert [(group.title, group.depth) for group in found.groups][:3] == [
        ("helper", 0),
        ("researcher, helper", 1),
        ("reader, helper", 2),
    ]
    assert found.threads == 3
    assert found.usage == Usage(input_tokens=30, output_tokens=15, cost=Decimal("0.03"))
    assert bar(found, "1").note == "m, 2 attempts, 15 tokens"


def test_what_an_agent_did_before_it_handed_over_does_not_stand_under_the_name_of_the_next() -> None:
    requests = (request("1", ROOT, 0, 10, "a/counter"), request("2", ROOT, 20, 30, "a/claims"))
    spans = [ThreadSpans(thread=thread(ROOT), requests=requests)]
    for now, first in (("claims", "counter"), ("counter", "The desk")):
        agent = an_agent("front", side_a=PromptSide(prompt=now, label="The desk"))
        found = timeline(spans, {"front": agent})
        assert [group.title for group in found.groups if group.usage] == [first, "claims"]
        assert [bar.label for bar in found.bars] == ["1", "2"]


def test_calls_at_the_same_time_are_spread_over_lanes_and_never_lie_over_each_other() -> None:
    calls = (
        call("outer", ROOT, 0, 100),
        call("inner", ROOT, 10, 50, "outer"),
        call("again", ROOT, 50, 90, "outer"),
        call("after", ROOT, 100, None),
    )
    found = timeline([ThreadSpans(thread=thread(ROOT), calls=calls)], {})
    (group,) = [group for group in found.groups if group.lanes]
    assert [[bar.label for bar in lane.bars] for lane in group.lanes] == [
        ["outer", "after"],
        ["inner", "again"],
    ]
    assert [lane.title for lane in group.lanes] == ["Tools", ""]
    assert found.is_live


def test_an_empty_history_and_waits_before_all_work_are_shown_as_nothing() -> None:
    assert not list(timeline([], {}).bars)
    early = Wait(kind="person", began=1, ended=5)
    found = timeline(
        [ThreadSpans(thread=thread(ROOT), requests=(request("1", ROOT, 10, 20),), waits=(early,))], {}
    )
    assert [bar.work for bar in found.bars] == [Work.MODEL]
    assert (found.began, found.ended) == (10, 20)


def test_a_wait_whose_end_nobody_told_ends_with_its_call() -> None:
    spans = ThreadSpans(
        thread=thread(ROOT),
        calls=(call("pay", ROOT, 10, 30),),
        waits=(Wait(kind="variable", began=10, call_id=CallId("pay"), names=("KEY", "PIN")),),
    )
    waited = bar(timeline([spans], {}), "set KEY, PIN for pay")
    assert (waited.standing, waited.ended) == (Standing.WAITED, 30)

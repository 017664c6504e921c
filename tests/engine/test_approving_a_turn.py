"""An approval beforehand holds for what was started with it and for nothing else (C12)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.engine.held_commits import HeldCommit
from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.domain.threads import Thread, ThreadStatus
from workbench.domain.writes import PutThread

pytestmark = pytest.mark.rule("C12")

POST: dict[str, Any] = {"calls": [{"name": "post"}]}


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    rig_of_threads = ThreadRig(rig)
    rig_of_threads.tool("post", lambda given: "posted", needsApproval=True)
    yield rig_of_threads
    await rig.engine.close()


async def turn(rig: ThreadRig, thread: Thread, *, approve: bool) -> None:
    await rig.engine.threads.send(thread.id, "Post it.", approve=approve)
    await rig.engine.threads.parked(thread.id)


async def results(rig: ThreadRig, thread: Thread) -> list[str]:
    lines = [line.removeprefix("tool: ") for line in await rig.said(thread) if line.startswith("tool: ")]
    return [line if line == "posted" else "needs an approval" for line in lines if line]


async def test_it_ends_with_the_turn_that_was_started_with_it(rig: ThreadRig) -> None:
    rig.agent("poster", tools=["post"], script=[POST, {"text": "Done."}] * 3)
    thread = await rig.start("poster")
    other = await rig.start("poster")

    await turn(rig, thread, approve=True)
    await turn(rig, thread, approve=False)
    await turn(rig, other, approve=False)

    assert await results(rig, thread) == ["posted", "needs an approval"]
    assert await results(rig, other) == ["needs an approval"]


async def test_it_goes_on_to_the_threads_below_and_to_what_is_continued_with_it(rig: ThreadRig) -> None:
    rig.tool("done", lambda given: "ok")
    rig.prompt("work", tools=["post", "done"], script=[POST, {"calls": [{"name": "done"}]}] * 2)
    rig.prompt("nobody", script=[])
    sides: dict[str, Any] = {"sideA": {"prompt": "work", "sessionStop": {"name": "done"}}}
    rig.agent("worker", sideB={"prompt": "nobody"}, exposeAsTool=True, toolDescription="Works.", **sides)
    below: dict[str, Any] = {"calls": [{"name": "worker", "arguments": {"message": "Post."}}]}
    rig.agent("boss", tools=["worker"], script=[below, {"text": "Good."}] * 2)
    thread = await rig.start("boss")

    await rig.engine.threads.go_on(thread.id, approve=True)
    await rig.engine.threads.parked(thread.id)
    await turn(rig, thread, approve=False)

    children = await rig.rig.store.children(thread.id)
    assert [(await results(rig, child))[0] for child in children] == ["posted", "needs an approval"]


@pytest.mark.parametrize("approve", [True, False])
async def test_it_holds_for_what_is_taken_up_behind_the_turn_only_if_that_was_sent_with_it(
    rig: ThreadRig, monkeypatch: pytest.MonkeyPatch, approve: bool
) -> None:
    rig.agent("poster", tools=["post"], script=[POST, {"text": "Done."}] * 2)
    thread = await rig.start("poster")
    parks = HeldCommit(
        rig,
        monkeypatch,
        lambda one: isinstance(one, PutThread) and one.thread.status is ThreadStatus.AWAITING_HUMAN,
    )

    await rig.engine.threads.send(thread.id, "Post it.", approve=not approve)
    await parks.reached.wait()
    await rig.engine.threads.send(thread.id, "Post it again.", approve=approve)
    parks.let_go()
    await rig.engine.threads.parked(thread.id)

    results_of_both = ["needs an approval", "posted"]
    assert await results(rig, thread) == (results_of_both if approve else results_of_both[::-1])

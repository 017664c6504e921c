"""The clock goes backwards while threads run: order, durations and what is due do not hang on it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig, make_engine
from tests.engine.thread_rig import ThreadRig
from workbench.app.runs.timeline import timeline
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.pages import CallFilter
from workbench.domain.threads import ThreadStatus
from workbench.engine.ports import CallLink
from workbench.engine.threads.repair import sendable


class FallingClock:
    """Each look at it shows a minute less."""

    def __init__(self) -> None:
        self._now = time.time_ns() // 1000

    def now_us(self) -> int:
        self._now -= 60_000_000
        return self._now

    def monotonic(self) -> float:
        return time.monotonic()


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    await rig.engine.close()
    models = rig.engine.services.models
    rig.engine = make_engine(
        rig.store,
        rig.accounts,
        rig.folder,
        host=rig.host,
        vault=rig.vault,
        models=models,
        clock=FallingClock(),
    )
    rig.engine.services.bus.subscribe(rig.events.append)
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T2", "T10")
async def test_threads_run_in_their_order_and_nothing_took_less_than_no_time(rig: ThreadRig) -> None:
    rig.tool("look", lambda given: "seen")
    rig.tool("done", lambda given: "ok")
    rig.prompt(
        "work", tools=["done"], script=[{"calls": [{"name": "done", "arguments": {"report": "Found."}}]}]
    )
    rig.prompt("nobody", script=[])
    side: dict[str, Any] = {"prompt": "work", "sessionStop": {"name": "done", "messageProperty": "report"}}
    rig.agent("worker", sideA=side, sideB={"prompt": "nobody"}, exposeAsTool=True, toolDescription="Works.")
    script = [
        {"calls": [{"name": "look"}, {"name": "worker", "arguments": {"message": "Find it."}}]},
        {"text": "Here."},
        {"text": "Again."},
    ]
    rig.agent("boss", tools=["look", "worker"], script=script, prompt={"includeChat": True})

    thread = await rig.talk("boss", "Where is it?", "Once more?")

    assert (await rig.said(thread))[2:] == [
        "tool: seen",
        "tool: Found.",
        "assistant: Here.",
        "user: Once more?",
        "assistant: Again.",
    ]
    assert sendable(await rig.messages(thread))[1] == ()
    rows = (await rig.rig.store.calls(CallFilter())).rows
    calls = [await rig.rig.store.call(row.id) for row in rows]
    assert [call.duration_ms for call in calls if call is not None] == [0] * len(rows)
    seen = timeline(await rig.rig.store.spans(thread.id), {})
    assert seen.began <= seen.ended


@pytest.mark.rule("T16")
async def test_what_is_due_at_once_runs_although_the_clock_falls(rig: ThreadRig) -> None:
    async def schedules(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        return await link.ask(
            "scheduleEffect", {"name": "effect_remind", "argumentsJson": "{}", "delayMs": 0}
        )

    planned = asyncio.Event()

    async def remind(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        await planned.wait()
        await link.ask("queueMessage", {"role": "user", "content": "Remember."})
        return None

    rig.host.define("plan", schedules, schema={"type": "object"})
    rig.host.add(DefinitionKind.EFFECT, "effect_remind", {"description": "Reminds."}, remind)
    script = [{"calls": [{"name": "plan"}]}, {"text": "Planned."}, {"text": "I remember."}]
    rig.agent("helper", tools=["plan"], script=script)

    thread = await rig.talk("helper", "Remind me.")
    planned.set()
    await rig.until_said(thread, "I remember.")

    thread = await rig.engine.threads.parked(thread.id)
    assert thread.status is ThreadStatus.AWAITING_HUMAN

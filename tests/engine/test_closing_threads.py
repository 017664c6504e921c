"""While everything closes no thread begins: what comes in then waits for the next time (T9)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest

from tests.engine.rig import Rig
from tests.engine.test_families_at_fault import row
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import ThreadStatus
from workbench.engine.ports import CallLink


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("T9")
async def test_what_a_hook_sends_its_thread_while_everything_closes_waits_for_the_next_time(
    rig: ThreadRig,
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def remind(link: CallLink, arguments: Mapping[str, JsonValue]) -> None:
        del arguments
        if not begun.is_set():
            begun.set()
            await go_on.wait()
            await link.ask("queueMessage", {"role": "user", "content": "And one more thing."})

    rig.host.add(DefinitionKind.HOOK, "hook_remind", {"hook": "after_create_message", "id": "remind"}, remind)
    rig.agent("helper", script=[{"text": "One."}, {"text": "Two."}], hooks=["remind"])
    thread = await rig.talk("helper", "Hello.")
    await begun.wait()

    closing = asyncio.ensure_future(rig.engine.close())
    for _ in range(20):  # it has come as far as it does while the hook waits
        await rig.rig.store.thread(thread.id)
    go_on.set()
    await closing

    assert rig.engine.threads.running() == ()
    assert (await row(rig, thread)).status is ThreadStatus.AWAITING_HUMAN
    assert await rig.said(thread) == ["user: Hello.", "assistant: One."]
    (waits,) = await rig.rig.store.inbox(thread.id)
    assert waits.message is not None
    assert waits.message.content == "And one more thing."

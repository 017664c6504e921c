"""What a step is made of: what another process changed or sent before it is in its request (T3, T9)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.clock import SystemClock
from workbench.base.exact_json import JsonValue
from workbench.base.ids import MessageId, uuid7
from workbench.domain.model_requests import ModelRequest
from workbench.domain.threads import Inbound, Message, Role, Thread, ThreadStatus
from workbench.domain.writes import PutInbound, PutMessage
from workbench.engine.ports import CallLink
from workbench.store import SqliteStore, open_store


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.fixture
async def elsewhere(rig: ThreadRig) -> AsyncIterator[SqliteStore]:
    """The same store as another process has it open, which nobody of the engine listens to."""
    store = await open_store(rig.rig.folder / "threads.db", clock=SystemClock())
    yield store
    await store.close()


async def requests(rig: ThreadRig, thread: Thread) -> list[ModelRequest]:
    store = rig.rig.store
    found = [await store.asked(request.id) for request in await store.requests(thread.id)]
    return [request for request in found if request is not None]


def words(request: ModelRequest) -> str:
    return request.model_dump_json()


def agent_that_meddles(rig: ThreadRig, meddle: Any) -> None:
    """An agent whose one tool is awaited between its two requests."""

    async def call(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del link, arguments
        await meddle()
        return "done"

    rig.host.define("meddle", call, schema={"type": "object"})
    steps = [{"calls": [{"name": "meddle"}]}, {"text": "Done."}]
    rig.agent("agent", tools=["meddle"], script=steps)


@pytest.mark.rule("T3")
async def test_a_message_that_another_process_edits_between_two_steps_is_sent_as_edited(
    rig: ThreadRig, elsewhere: SqliteStore
) -> None:
    async def edit() -> None:
        first = (await elsewhere.history(thread.id))[0]
        await elsewhere.commit(PutMessage(first.model_copy(update={"content": "Turn right."})))

    agent_that_meddles(rig, edit)
    thread = await rig.start("agent")
    await rig.say(thread, "Turn left.")

    before, after = await requests(rig, thread)
    assert "Turn left." in words(before)
    assert "Turn right." in words(after)
    assert "Turn left." not in words(after)


@pytest.mark.rule("T3")
async def test_a_message_that_another_process_sends_between_two_steps_enters_the_next_request(
    rig: ThreadRig, elsewhere: SqliteStore
) -> None:
    async def send() -> None:
        fields = {"thread_id": thread.id, "role": Role.USER, "created_at": 1, "content": "Mind the gap."}
        message = Message.model_validate({"id": MessageId(uuid7()), **fields})
        await elsewhere.commit(PutInbound(Inbound(id=message.id, thread_id=thread.id, message=message)))

    agent_that_meddles(rig, send)
    thread = await rig.start("agent")
    await rig.say(thread, "Go.")

    before, after = await requests(rig, thread)
    assert "Mind the gap." not in words(before)
    assert "Mind the gap." in words(after)
    assert await elsewhere.inbox(thread.id) == []


@pytest.mark.rule("T9")
async def test_a_stop_that_another_process_leaves_between_two_steps_ends_the_turn_before_the_next_request(
    rig: ThreadRig, elsewhere: SqliteStore
) -> None:
    async def stop() -> None:
        await elsewhere.commit(PutInbound(Inbound(id=MessageId(uuid7()), thread_id=thread.id, stop=True)))

    agent_that_meddles(rig, stop)
    thread = await rig.start("agent")
    ended = await rig.say(thread, "Go.")

    assert ended.status is ThreadStatus.STOPPED
    assert len(await requests(rig, thread)) == 1

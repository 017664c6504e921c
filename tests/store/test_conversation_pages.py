"""A conversation is read from its end, page by page, each message with what its calls have come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.clock import SystemClock
from workbench.base.ids import CallId, MessageId, ThreadId
from workbench.domain.calls import Call, CallState, Origin, ToolResult
from workbench.domain.threads import Message, Role, SentCall, Thread, ThreadKind
from workbench.domain.writes import PutCall, PutMessage, PutThread
from workbench.store import open_store

THREAD = ThreadId("t1")


def message(number: int, *calls: str) -> Message:
    sent = tuple(SentCall(id=CallId(name), name="look", arguments="{}") for name in calls)
    return Message(
        id=MessageId(f"m{number}"),
        thread_id=THREAD,
        role=Role.ASSISTANT,
        created_at=number,
        content=f"word {number}",
        tool_calls=sent,
        silent=number % 2 == 0,
        depth=number % 3,
    )


def call(name: str, parent: str | None = None) -> Call:
    return Call(
        id=CallId(name),
        thread_id=THREAD,
        tool="look",
        origin=Origin.MODEL,
        state=CallState.SUCCEEDED,
        arguments="{}",
        created_at=1,
        started_at=1_000,
        finished_at=85_000,
        parent_call_id=CallId(parent) if parent else None,
        result=ToolResult(text="14 in stock"),
    )


@pytest.mark.rule("T3")
async def test_a_conversation_is_read_backwards_in_pages_with_silent_and_nested_messages(
    tmp_path: Path,
) -> None:
    store = await open_store(tmp_path / "threads.db", clock=SystemClock())
    try:
        thread = Thread(id=THREAD, kind=ThreadKind.AGENT, created_at=0, updated_at=0)
        await store.commit(PutThread(thread), *(PutMessage(message(at)) for at in range(7)))
        last = await store.conversation(THREAD, limit=3)
        assert [one.id for one in last.messages] == ["m4", "m5", "m6"]
        assert last.has_more
        middle = await store.conversation(THREAD, before=last.messages[0].id, limit=3)
        assert [one.id for one in middle.messages] == ["m1", "m2", "m3"]
        first = await store.conversation(THREAD, before=middle.messages[0].id, limit=3)
        assert [one.id for one in first.messages] == ["m0"]
        assert not first.has_more
    finally:
        await store.close()


async def test_a_page_tells_what_became_of_the_calls_that_its_messages_carry(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "threads.db", clock=SystemClock())
    try:
        thread = Thread(id=THREAD, kind=ThreadKind.AGENT, created_at=0, updated_at=0)
        writes = (PutMessage(message(1, "c1", "c2")), PutCall(call("c1")), PutCall(call("c2", parent="c1")))
        await store.commit(PutThread(thread), *writes)
        page = await store.conversation(THREAD)
        lines = {line.id: line for line in page.calls}
        assert lines[CallId("c1")].result_preview == "14 in stock"
        assert lines[CallId("c1")].duration_ms == 84
        assert lines[CallId("c2")].parent_call_id == "c1"
    finally:
        await store.close()

"""What happened to a call can be read again, in its order, also by who opens the project later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from workbench.base.ids import CallId
from workbench.domain.events import EVENT, CallEmitted, CallFinished, CallLogged

SPEAKING = """
from workbench import define_tool

async def execute(state, args):
    await state.emit("found", {"page": 3})
    print("page 3")

tool = define_tool(description="Says what it does.", execute=execute)
"""


@pytest.mark.rule("C17")
async def test_what_happened_to_a_call_is_read_in_its_order_after_opening_again(
    project: Path, opened: OpenProject
) -> None:
    write_tool(project, "speaking", SPEAKING)
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "another call"})
        call_id = CallId((await wb.call_tool("speaking", {})).call_id)
    async with opened(project) as wb:
        thread_id = (await wb.call(call_id)).thread_id
        texts = await wb.store.events(thread_id, call_id=call_id)
    events = [EVENT.validate_json(text) for text in texts]
    kinds = [event.type for event in events]
    assert kinds[:3] == ["call_seen", "tool_call_started", "call_state"]
    assert sorted(kinds[3:-1]) == ["emitted", "log"]  # they come through different pipes
    assert isinstance(events[-1], CallFinished)
    said = {
        event.data if isinstance(event, CallEmitted) else event.text
        for event in events[3:-1]
        if isinstance(event, CallEmitted | CallLogged)
    }
    assert said == {'{"page":3}', "page 3\n"}

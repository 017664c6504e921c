"""A call under a debugger says where to attach, knows no time limit, and ends like any other."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from workbench.app.calls.debugging import DebuggerState, attach_configuration, debugger_state
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.events import CallEmitted, Event


@pytest.mark.rule("C13")
async def test_a_debugged_call_tells_its_address_and_waits_beyond_its_limit(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        events: asyncio.Queue[Event] = asyncio.Queue()
        wb.subscribe(events.put_nowait)
        call_id = await wb.start_call("echo", b'{"text": "a"}', origin=Origin.FORM, timeout=0.001, debug=True)
        state: DebuggerState | None = None
        async with asyncio.timeout(40):
            while state is None:
                state = debugger_state(await events.get(), call_id, state)
        assert state.host == "127.0.0.1"
        assert json.loads(attach_configuration("echo", state))["connect"] == {
            "host": state.host,
            "port": state.port,
        }
        assert await wb.stop_call(call_id)
        call = await wb.wait_call(call_id)
    assert call.state is CallState.STOPPED
    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.kind is FailureKind.CANCELLED


def emitted(data: str, call: str = "mine", event: str = "debugger") -> CallEmitted:
    return CallEmitted(thread_id=ThreadId("t"), at=0, call_id=CallId(call), event=event, data=data)


def test_only_the_calls_own_words_about_a_debugger_are_heard() -> None:
    here = DebuggerState("127.0.0.1", 5678)
    listening = '{"state": "listening", "host": "127.0.0.1", "port": 5678}'
    mine = CallId("mine")
    assert debugger_state(emitted(listening), mine, None) == here
    assert debugger_state(emitted(listening, call="other"), mine, None) is None
    assert debugger_state(emitted(listening, event="progress"), mine, None) is None
    assert debugger_state(emitted('{"state": "attached"}'), mine, None) is None
    attached = debugger_state(emitted('{"state": "attached"}'), mine, here)
    assert attached is not None
    assert attached.attached
    assert attached.address == "127.0.0.1:5678"
    assert debugger_state(emitted('"nonsense"'), mine, here) is here

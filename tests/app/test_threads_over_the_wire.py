"""Servers that speak the providers' wires drive whole threads: tools, retries, fallbacks, stops. No key shows."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from tests.app.thread_projects import said, talk
from tests.app.wired_projects import HARD, looking_up, write_wired
from tests.models.wire_server import Reply, wire_server
from tests.models.wires import ANTHROPIC, COMPATIBLE, GOOGLE, KEY, WIRES, Said, Wire, begun_by, error_body
from workbench.app import Workbench
from workbench.base.ids import ThreadId
from workbench.domain.events import AnswerChunk, Event
from workbench.domain.pages import CallFilter
from workbench.domain.requests import RequestState
from workbench.domain.threads import ThreadStatus

LONGEST = 40


async def shown(wb: Workbench, thread_id: ThreadId) -> str:
    """All that a thread shows of itself, as one text."""
    requests = await wb.threads.requests(thread_id)
    rows = (await wb.calls(CallFilter())).rows
    everything: list[object] = [
        await wb.threads.thread(thread_id),
        await wb.threads.messages(thread_id, max_depth=32),
        await wb.threads.events(thread_id),
        requests,
        [await wb.threads.asked(request.id) for request in requests],
        [await wb.call(row.id) for row in rows],
    ]
    return repr(everything)


def written(*folders: Path) -> Iterable[bytes]:
    return (path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.mark.rule("T2", "C6", "V6")
@pytest.mark.parametrize("wire", WIRES, ids=str)
async def test_a_server_drives_a_thread_with_tools_to_its_end(
    tmp_path: Path, opened: OpenProject, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Event] = []
    answer = Said(text=["PD-1 weighs 1 g, ", "PD-2 weighs 2 g. ", f"Your key is {KEY[:9]}", f"{KEY[9:]}."])
    asks, answers = wire.reply(looking_up("PD-1", "PD-2"), piece=7), wire.reply(answer, piece=1)
    with caplog.at_level(logging.DEBUG):
        async with wire_server(asks, answers) as server:
            root = write_wired(tmp_path / "desk", wire, server)
            async with opened(root) as wb:
                wb.subscribe(on_event=told.append)
                await wb.variables.set("NEAR_KEY", KEY)
                thread = await talk(wb, "clerk", "Look both up")
                words = await said(wb, thread.id)
                rows = (await wb.calls(CallFilter(thread_id=thread.id))).rows
                calls = [await wb.call(row.id) for row in rows]
                totals = await wb.threads.totals(thread.id)
                seen = await shown(wb, thread.id)

    assert words == [
        "user: Look both up",
        "assistant: Let me look. | look_up | look_up",
        "tool: PD-1 weighs 1 g",
        "tool: PD-2 weighs 2 g",
        "assistant: PD-1 weighs 1 g, PD-2 weighs 2 g. Your key is [[secret:NEAR_KEY]].",
    ]
    assert sorted(json.loads(call.arguments)["a"] for call in calls) == ["PD-1", "PD-2"]
    assert {json.loads(call.arguments)["intent"] for call in calls} == {HARD}
    assert {call.progress.message for call in calls if call.progress} == {HARD}
    used = totals.usage
    assert (totals.requests, used.input_tokens, used.cached_tokens, used.output_tokens) == (
        2,
        2400,
        2000,
        112,
    )
    assert used.cost == Decimal("0.000824")
    first, second = server.asked
    assert all(any(KEY in header for header in asked.headers.values()) for asked in (first, second))
    sent = json.dumps(second.body, ensure_ascii=False)
    assert sent.index("Look both up") < sent.index("PD-1 weighs 1 g") < sent.index("PD-2 weighs 2 g")
    streamed = "".join(event.text for event in told if isinstance(event, AnswerChunk))
    assert "Let me look." in streamed
    assert KEY not in streamed + seen + repr(told) + caplog.text
    assert not any(KEY.encode() in data for data in written(root, tmp_path / "person"))


@pytest.mark.rule("V6")
@pytest.mark.parametrize("wire", [COMPATIBLE, ANTHROPIC], ids=str)
async def test_a_model_in_trouble_is_asked_again_and_then_the_next_one_is(
    tmp_path: Path, opened: OpenProject, wire: Wire
) -> None:
    trouble = [
        Reply(status=500, body=error_body(wire, 500, f"trouble with {KEY}")),
        Reply(status=401, body=error_body(wire, 401, f"{KEY} is not known")),
    ]
    async with wire_server(*trouble, wire.reply(Said(text=["From the spare."]), piece=3)) as server:
        root = write_wired(tmp_path / "desk", wire, server)
        async with opened(root) as wb:
            await wb.variables.set("NEAR_KEY", KEY)
            thread = await talk(wb, "clerk", "Hello?")
            words = await said(wb, thread.id)
            (request,) = await wb.threads.requests(thread.id)
            seen = await shown(wb, thread.id)

    assert words == ["user: Hello?", "assistant: From the spare."]
    assert [(one.model, one.failure and one.failure.kind.value) for one in request.attempts] == [
        ("near", "server"), ("near", "auth"), ("spare", None),
    ]  # fmt: skip
    assert "trouble with [[secret:API key]]" in seen
    assert KEY not in seen
    assert not any(KEY.encode() in data for data in written(root, tmp_path / "person"))
    assert len(server.asked) == 3


@pytest.mark.rule("C13", "T9")
@pytest.mark.parametrize("wire", [COMPATIBLE, ANTHROPIC, GOOGLE], ids=str)
async def test_stopping_a_thread_closes_the_connection_of_its_model(
    tmp_path: Path, opened: OpenProject, wire: Wire
) -> None:
    async with wire_server(Reply(begun_by(wire), ending="hang")) as server:
        root = write_wired(tmp_path / "desk", wire, server)
        async with opened(root) as wb:
            await wb.variables.set("NEAR_KEY", KEY)
            heard = asyncio.Event()
            wb.subscribe(on_event=lambda event: heard.set() if isinstance(event, AnswerChunk) else None)
            thread = await wb.threads.start("clerk", message="Go on for ever")
            await asyncio.wait_for(heard.wait(), LONGEST)
            assert not server.disconnected.is_set()

            assert await wb.threads.stop(thread.id)
            await asyncio.wait_for(server.disconnected.wait(), LONGEST)
            stopped = await wb.threads.thread(thread.id)
            (request,) = await wb.threads.requests(thread.id)

            server.reply(wire.reply(Said(text=["Here I am again."])))
            await wb.threads.send(thread.id, "And now?")
            await wb.threads.parked(thread.id)
            words = await said(wb, thread.id)

    assert (stopped.status, request.state) == (ThreadStatus.STOPPED, RequestState.STOPPED)
    assert words[-2:] == ["user: And now?", "assistant: Here I am again."]
    sent = json.dumps(server.asked[-1].body)
    assert "Go on for ever" in sent
    assert "Hel" not in sent, "what was never finished is not sent again"


async def test_without_a_value_for_its_key_nothing_is_asked_and_it_is_said_what_to_set(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with (
        wire_server(COMPATIBLE.reply(Said(text=["Hi"]))) as server,
        opened(write_wired(tmp_path / "desk", COMPATIBLE, server)) as wb,
    ):
        thread = await talk(wb, "clerk", "Hello?")
        words = (await said(wb, thread.id))[-1]

    assert thread.status is ThreadStatus.FAILED
    assert "NEAR_KEY" in words
    assert server.asked == []

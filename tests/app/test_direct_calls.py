"""Direct calls through the verb: where they run, what they are refused for, and what a busy session lets pass."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import TypeVar, cast

import pytest

from tests.app.direct_projects import let_go, running, turn_under_way, write_bot
from tests.app.projects import OpenProject
from tests.app.test_connections import connect
from tests.app.thread_projects import said
from tests.hosts.mcp_bench import tool
from workbench.app import CallRecord, CallRefused, Workbench
from workbench.base.ids import CallId
from workbench.domain.calls import FailureKind
from workbench.domain.threads import Thread

T = TypeVar("T")


@pytest.fixture
def bot(project: Path) -> Path:
    return write_bot(project)


def folder(record: CallRecord) -> Path:
    return Path(cast(Mapping[str, str], record.result)["folder"])


async def begun(work: Coroutine[object, object, T]) -> asyncio.Task[T]:
    return asyncio.create_task(work)


async def session(wb: Workbench) -> Thread:
    return await wb.threads.start("keeper")


async def refusal(wb: Workbench, name: str, input: object, **options: object) -> CallRefused:
    with pytest.raises(CallRefused) as refused:
        await wb.call_tool(name, cast("dict[str, object]", input), **options)  # pyright: ignore[reportArgumentType]
    return refused.value


@pytest.mark.rule("H1", "H3")
async def test_without_a_session_the_folder_is_gone_when_the_call_returns(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        record = await wb.call_tool("put", {"name": "note"})
        assert not folder(record).exists()
        again = await wb.call_tool("look", {})
        assert cast(Mapping[str, object], again.result)["files"] == []
        assert not folder(again).exists()
        assert not again.scratch_workspace
        kept = await wb.call(wb_id(record))
        assert kept.turn_id is not None


def wb_id(record: CallRecord) -> CallId:
    return CallId(record.call_id)


@pytest.mark.rule("H1", "T12")
async def test_in_a_session_calls_share_its_folder_and_are_recorded_in_it(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        thread = await session(wb)
        put = await wb.call_tool("put", {"name": "note"}, session_id=thread.id)
        look = await wb.call_tool("look", {}, session_id=thread.id)
        assert folder(put) == folder(look) == bot / ".workbench" / "workspaces" / thread.id
        assert cast(Mapping[str, object], look.result)["files"] == ["note"]
        first, second = [await wb.call(wb_id(record)) for record in (put, look)]
        assert first.thread_id == second.thread_id == thread.id
        assert first.turn_id != second.turn_id


@pytest.mark.rule("H1", "T10")
async def test_no_model_reads_what_was_called_by_hand(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        thread = await session(wb)
        await wb.call_tool("look", {}, session_id=thread.id)
        shown = await wb.threads.messages(thread.id)
        assert shown.messages == ()
        assert len(await said(wb, thread.id)) == 2


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("name", "input"),
    [("look", {}), ("sync", {"mode": "read"}), ("fails", {})],
    ids=["read", "says", "fails"],
)
async def test_a_read_runs_beside_a_turn_under_a_turn_of_its_own(
    bot: Path, opened: OpenProject, name: str, input: Mapping[str, object]
) -> None:
    async with opened(bot) as wb, turn_under_way(wb) as thread:
        record = await wb.call_tool(name, input, session_id=thread.id)
        (running,) = wb.live_calls()
        direct = await wb.call(wb_id(record))
        assert (record.is_error, direct.thread_id) == (name == "fails", thread.id)
        assert direct.turn_id not in (None, running.turn_id)


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("name", "input"),
    [
        ("put", {"name": "note"}),
        ("stamp", {}),
        ("plain", {}),
        ("sync", {"mode": "write"}),
        ("echo", {"text": ""}),
    ],
    ids=["write", "idempotent", "undeclared", "says", "undeclared in agents"],
)
async def test_anything_else_is_refused_until_the_turn_has_ended(
    bot: Path, opened: OpenProject, name: str, input: Mapping[str, object]
) -> None:
    async with opened(bot) as wb:
        async with turn_under_way(wb) as thread:
            assert (await refusal(wb, name, input, session_id=thread.id)).code == "session_busy"
        record = await wb.call_tool(name, input, session_id=thread.id)
        assert not record.is_error


@pytest.mark.rule("H1", "C9")
async def test_while_a_turn_is_under_way_a_tool_of_a_connection_runs_if_its_server_says_that_it_reads(
    bot: Path, opened: OpenProject
) -> None:
    hinted = [
        tool("steps", annotations={"readOnlyHint": True}),
        tool("env", annotations={"idempotentHint": True, "destructiveHint": True}),
        tool("refuse"),
    ]
    connect(bot, tools=hinted)
    async with opened(bot) as wb:
        async with turn_under_way(wb) as thread:
            (turn,) = wb.live_calls()
            read = await wb.call_tool("steps", {}, session_id=thread.id)
            kept = await wb.call(CallId(read.call_id))
            assert (read.is_error, kept.thread_id) == (False, thread.id)
            assert kept.turn_id not in (None, turn.turn_id)
            for name in ("env", "refuse"):
                assert (await refusal(wb, name, {}, session_id=thread.id)).code == "session_busy"
        record = await wb.call_tool("env", {"name": "TURN"}, session_id=thread.id)
        assert not record.is_error


@pytest.mark.rule("C6")
async def test_a_turn_begins_when_the_call_that_writes_has_ended(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        thread = await session(wb)
        writing = await running(wb, begun(wb.call_tool("wait", {"name": "call"}, session_id=thread.id)))
        await wb.threads.send(thread.id, "Wait.")
        assert (await refusal(wb, "stamp", {}, session_id=thread.id)).code == "session_busy"
        assert not (bot / "began-turn").exists()
        let_go(wb, "call")
        assert (await writing).result == "waited"
        let_go(wb, "turn")
        await wb.threads.parked(thread.id)
        assert (bot / "began-turn").exists()


@pytest.mark.rule("H1")
async def test_a_session_whose_folder_cannot_be_made_lets_reads_pass_with_another_one(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        thread = await session(wb)
        in_the_way = bot / ".workbench" / "workspaces" / thread.id
        in_the_way.parent.mkdir(exist_ok=True)
        in_the_way.touch()
        read = await wb.call_tool("look", {}, session_id=thread.id)
        assert (read.scratch_workspace, read.is_error) == (True, False)
        assert '"scratchWorkspace":true' in read.to_json_text()
        assert not folder(read).exists()
        refused = await refusal(wb, "put", {"name": "note"}, session_id=thread.id)
        assert refused.code == "workspace_unavailable"


@pytest.mark.rule("H1")
async def test_a_token_without_a_session_runs_on_its_own(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        record = await wb.call_tool("put", {"name": "note"}, continuation_token="mail:box:12")
        assert not folder(record).exists()
        assert not record.scratch_workspace


@pytest.mark.rule("H1")
async def test_each_refusal_has_its_code(bot: Path, opened: OpenProject) -> None:
    rows: list[tuple[Mapping[str, object], str]] = [
        ({"session_id": "nobody"}, "session_not_found"),
        ({"session_id": ""}, "session_not_found"),
        ({"continuation_token": ""}, "invalid_continuation_token"),
        ({"continuation_token": "mail"}, "invalid_continuation_token"),
        ({"continuation_token": ":12"}, "invalid_continuation_token"),
        ({"continuation_token": "mail:"}, "invalid_continuation_token"),
        ({"continuation_token": "m il:12"}, "invalid_continuation_token"),
        ({"continuation_token": "mail:12", "session_id": "nobody"}, "invalid_continuation_token"),
        ({"name": "nothing"}, "unknown_tool"),
        ({"name": "script"}, "tool_not_callable"),
        ({"name": "put", "input": {"name": "NOTE"}}, "invalid_tool_input"),
        ({"name": "put", "input": "{"}, "invalid_tool_input"),
        ({"name": "put", "input": "[]"}, "invalid_tool_input"),
        ({"name": "put", "input": ""}, "invalid_tool_input"),
    ]
    async with opened(bot) as wb:
        for options, code in rows:
            rest = {name: value for name, value in options.items() if name not in ("name", "input")}
            refused = await refusal(wb, str(options.get("name", "look")), options.get("input", "{}"), **rest)
            assert refused.code == code
            told = refused.to_json()
            assert told["ok"] is False
            assert ("availableTools" in told) == (code == "unknown_tool")


@pytest.mark.rule("H1", "D4")
async def test_a_plain_schema_is_not_checked(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        assert (await wb.call_tool("plain", {"any": 1})).result == {"any": 1}


@pytest.mark.rule("C10")
async def test_a_dry_call_answers_with_what_the_tool_makes_of_the_input(
    bot: Path, opened: OpenProject
) -> None:
    async with opened(bot) as wb:
        dry = await wb.call_tool("put", {"name": "note"}, dry_run=True)
        assert dry.result == {"would": "note"}
        assert (await wb.call(wb_id(dry))).stubbed
        assert not (await wb.call(wb_id(await wb.call_tool("look", {}, dry_run=True)))).stubbed
        bad = await refusal(wb, "put", {"name": "NOTE"}, dry_run=True)
        assert bad.code == "invalid_tool_input"


@pytest.mark.rule("C12")
async def test_what_needs_an_approval_runs_when_the_caller_gives_it(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        refused = await wb.call_tool("careful", {})
        assert refused.failure is not None
        assert refused.failure.kind is FailureKind.APPROVAL_REQUIRED
        allowed = await wb.call_tool("careful", {}, approve=True, principal="ci")
        decision = (await wb.call(wb_id(allowed))).decision
        assert decision is not None
        assert (decision.verdict, decision.by) == ("approved", "ci")


@pytest.mark.rule("H3", "C13")
async def test_who_stops_waiting_stops_the_call(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        waiting = await running(wb, begun(wb.call_tool("wait", {"name": "call"})))
        (call,) = wb.live_calls()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await wb.call(call.id)).is_error
        assert wb.live_calls() == ()


async def test_the_record_is_exact(bot: Path, opened: OpenProject) -> None:
    async with opened(bot) as wb:
        record = await wb.call_tool("plain", '{"n": 123456789012345678901234567890, "t": "ü"}')
        assert json.loads(record.to_json_text())["toolName"] == "plain"
        assert "123456789012345678901234567890" in record.to_json_text()

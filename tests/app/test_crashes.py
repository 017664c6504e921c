"""Killing the program in the middle: what was acknowledged is there, what ran is closed, nothing is torn."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from workbench.domain.calls import CallState, FailureKind
from workbench.domain.pages import CallFilter
from workbench.domain.threads import MessageStatus, Role

PROGRAM = Path(__file__).parent / "crash_program.py"


async def run_and_kill(project: Path, person: Path, after: int) -> set[str]:
    """Start the program, kill it once it has acknowledged so many calls; returns what it acknowledged."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), str(project), str(person), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    lines: list[bytes] = []
    async with asyncio.timeout(60):
        while len(lines) < after:
            lines.append(await process.stdout.readline())
        process.kill()
        rest = await process.stdout.read()
        await process.wait()
    whole = b"".join(lines) + rest
    return {line.decode() for line in whole.split(b"\n")[:-1]}


async def check_history(project: Path, opened: OpenProject, acknowledged: set[str]) -> None:
    async with opened(project) as wb:
        states: dict[str, CallState] = {}
        key: str | None = None
        while True:
            page = await wb.calls(limit=1_000, key=key)
            states |= {row.id: row.state for row in page.rows}
            key = page.next_key
            if key is None:
                break
        assert {
            call_id for call_id in acknowledged if states.get(call_id) is not CallState.SUCCEEDED
        } == set()
        assert {state for state in states.values() if not state.is_final} == set()
        open_ended = (await wb.calls(CallFilter(states=(CallState.FAILED,)), limit=1_000)).rows
        assert {row.failure for row in open_ended} <= {FailureKind.INTERRUPTED}
        for row in open_ended[:20]:
            call = await wb.call(row.id)
            assert call.result_message_id is not None
            message = await wb.store.message(call.result_message_id)
            assert message is not None
            assert (message.role, message.status) == (Role.TOOL, MessageStatus.COMPLETED)


@pytest.mark.rule("C7")
async def test_a_killed_program_loses_nothing_it_acknowledged(
    project: Path, tmp_path: Path, opened: OpenProject
) -> None:
    acknowledged = await run_and_kill(project, tmp_path / "person", after=5)
    await check_history(project, opened, acknowledged)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.rule("C7")
async def test_fifty_kills_at_random_moments_leave_a_whole_history(
    project: Path, tmp_path: Path, opened: OpenProject
) -> None:
    acknowledged: set[str] = set()
    chance = random.Random(7)
    for _ in range(50):
        acknowledged |= await run_and_kill(project, tmp_path / "person", after=chance.randint(1, 60))
    await check_history(project, opened, acknowledged)


async def test_two_programs_share_one_project(project: Path, tmp_path: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        acknowledged = await run_and_kill(project, tmp_path / "person", after=10)
        own = [await wb.call_tool("echo", {"text": "mine"}) for _ in range(5)]
        assert not any(record.is_error for record in own)
    await check_history(project, opened, acknowledged | {record.call_id for record in own})

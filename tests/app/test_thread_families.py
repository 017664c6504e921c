"""Children and effects as an author's own code meets them, through real worker processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import DaysLater, OpenProject
from tests.app.thread_projects import agent_files, said, talk
from workbench.app import open_workbench
from workbench.base.errors import UserError
from workbench.domain.effects import EffectState
from workbench.engine.doubles.vault import MemoryVault

REMIND = (
    HEAD
    + """
async def execute(state, args):
    id = await state.schedule_effect("remind", {"text": args["text"]}, delay=args["delay"])
    waiting = await state.get_scheduled_effects("remind")
    return f"{len(waiting)} waits" if id == waiting[0].id else "lost"

tool = define_tool(description="Remind.", execute=execute, args={
    "type": "object", "properties": {"text": {"type": "string"}, "delay": {"type": "number"}}})
"""
)
EFFECT = (
    HEAD
    + """
async def execute(state, args):
    await state.queue_message({"role": "user", "content": "Remember: " + args["text"]})

effect = define_effect(description="Reminds.", handler=execute)
"""
)


@pytest.fixture
def reminding(project: Path) -> Path:
    """A project whose agent `helper` lets itself be reminded of tea in an hour."""
    script = {
        "steps": [
            {"calls": [{"name": "remind_me", "arguments": {"text": "tea", "delay": 3_600_000}}]},
            {"text": "I will."},
            {"when": {"user": "Remember: tea"}, "text": "Tea is ready."},
        ]
    }
    return write_files(
        project,
        {"agents/tools/remind_me.py": REMIND, "agents/effects/remind.py": EFFECT},
        agent_files("helper", script, tools=["remind_me"]),
    )


@pytest.mark.rule("T16")
async def test_an_effect_that_a_tool_scheduled_speaks_to_its_thread(
    opened: OpenProject, reminding: Path
) -> None:
    async with opened(reminding) as wb:
        thread = await talk(wb, "helper", "Tea?")
        assert "tool: 1 waits" in await said(wb, thread.id)
        (waiting,) = await wb.effects.list(thread.id)
        with wb.threads.stream(thread.id) as events:
            await wb.effects.run_now(waiting.id)
            async with asyncio.timeout(40):
                while (await said(wb, thread.id))[-1:] != ["assistant: Tea is ready."]:
                    await events.get()

        assert (await wb.effects.ended(waiting.id)).state is EffectState.COMPLETED


@pytest.mark.rule("T16")
async def test_what_fell_due_while_nobody_was_there_is_run_by_whoever_follows_the_project(
    opened: OpenProject, reminding: Path, tmp_path: Path
) -> None:
    async with opened(reminding) as wb:
        thread = await talk(wb, "helper", "Tea?")
    following = open_workbench(
        reminding, watch=True, data_dir=tmp_path / "person", vault=MemoryVault(), clock=DaysLater(1)
    )
    async with following as wb, asyncio.timeout(40):
        with wb.threads.stream(thread.id) as events:
            while (await said(wb, thread.id))[-1] != "assistant: Tea is ready.":
                await events.get()
        assert [one.state for one in await wb.effects.list()] == [EffectState.COMPLETED]


async def test_a_thread_is_not_deleted_while_an_effect_of_it_runs(
    opened: OpenProject, reminding: Path
) -> None:
    write_files(
        reminding,
        {
            "agents/effects/remind.py": EFFECT.replace(
                "async def execute(state, args):",
                "async def execute(state, args):\n    import time; time.sleep(600)",
            )
        },
    )
    async with opened(reminding) as wb:
        thread = await talk(wb, "helper", "Tea?")
        (effect,) = await wb.effects.list(thread.id)
        await wb.effects.run_now(effect.id)

        with pytest.raises(UserError, match="effect remind of the thread runs"):
            await wb.threads.delete(thread.id)
        await wb.effects.cancel(effect.id)
        await wb.threads.delete(thread.id)

        assert await wb.effects.list() == ()
        with pytest.raises(UserError, match="no effect"):
            await wb.effects.get(effect.id)

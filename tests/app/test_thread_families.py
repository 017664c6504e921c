"""Children and effects as an author's own code meets them, through real worker processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.app.agent_files import HEAD, write_files
from tests.app.conftest import OpenProject
from tests.app.thread_projects import agent_files, said
from workbench.domain.effects import EffectState

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


async def test_an_effect_that_a_tool_scheduled_speaks_to_its_thread(
    opened: OpenProject, project: Path
) -> None:
    script = {
        "steps": [
            {"calls": [{"name": "remind_me", "arguments": {"text": "tea", "delay": 50}}]},
            {"text": "I will."},
            {"when": {"user": "Remember: tea"}, "text": "Tea is ready."},
        ]
    }
    write_files(
        project,
        {"agents/tools/remind_me.py": REMIND, "agents/effects/remind.py": EFFECT},
        agent_files("helper", script, tools=["remind_me"]),
    )
    async with opened(project) as wb:
        thread = await wb.threads.start("helper", message="Tea?")
        with wb.threads.stream(thread.id) as events:
            async with asyncio.timeout(40):
                while (await said(wb, thread.id))[-1:] != ["assistant: Tea is ready."]:
                    await events.get()

        assert "tool: 1 waits" in await said(wb, thread.id)
        (effect,) = await wb.effects.list(thread.id)
        assert effect.state in (EffectState.PROCESSING, EffectState.COMPLETED)

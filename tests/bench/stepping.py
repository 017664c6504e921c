"""A project whose agents take steps: each step a scripted answer with one call of a tool that does nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.app.agent_files import HEAD, write_files
from workbench.app import Workbench, open_workbench
from workbench.base.ids import ThreadId
from workbench.domain.pages import CallFilter
from workbench.domain.threads import Thread, ThreadStatus
from workbench.engine.doubles.vault import MemoryVault

NOOP = (
    HEAD
    + """
async def execute(state, args):
    return "ok"

tool = define_tool(
    description="Nothing.",
    args={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    execute=execute,
)
"""
)


def agent_files(name: str, script: Mapping[str, object], prompt: str = "", side: str = "") -> dict[str, str]:
    """An agent with a person on its other side, its prompt with the tool `noop`, and its scripted model."""
    return {
        f"scripts/{name}.json": json.dumps(script),
        f"agents/models/{name}.py": HEAD
        + f'model = define_model(name="{name}-model", provider="scripted", model="scripts/{name}.json")\n',
        f"agents/prompts/{name}.py": HEAD
        + f'prompt = define_prompt(name="{name}_prompt", tool_description="Steps.", prompt="Take steps.",\n'
        f'    model="{name}-model", tools=["noop"], {prompt})\n',
        f"agents/agents/{name}.py": HEAD
        + f'agent = define_agent(name="{name}", side_a=PromptSide("{name}_prompt", {side}), side_b=HumanSide())\n',
    }


def stepper(steps: int) -> dict[str, str]:
    """An agent that calls so many times, then is done."""
    calls = [{"calls": [{"name": "noop", "arguments": {"n": number}}]} for number in range(steps)]
    return agent_files(f"steps_{steps}", {"steps": [*calls, {"text": "done"}], "strict": True})


class Stepping:
    """An open project with such agents."""

    def __init__(self, wb: Workbench) -> None:
        self.wb = wb

    async def turn(self, steps: int) -> Thread:
        """A thread of its own that takes so many steps, one of the sizes that the project was made for."""
        return await self.spoken_to(await self.wb.threads.start(f"steps_{steps}"))

    async def spoken_to(self, thread: Thread) -> Thread:
        """The thread after what it did for one more message."""
        await self.wb.threads.send(thread.id, "Go")
        return await self.ended(thread.id)

    async def ended(self, thread_id: ThreadId) -> Thread:
        thread = await self.wb.threads.parked(thread_id)
        assert thread.status is ThreadStatus.AWAITING_HUMAN, thread.status_text
        return thread

    async def rest(self) -> None:
        """Let the upkeep that follows calls be done, so that it is not charged to what is measured next."""
        await self.wb.calls(CallFilter(text="nothing"), limit=1)


@asynccontextmanager
async def stepping_in(
    folder: Path, sizes: Sequence[int] = (5, 20), agents: Mapping[str, str] | None = None
) -> AsyncGenerator[Stepping]:
    """With agents for turns of these sizes, and others that are given by their files."""
    files = [stepper(size) for size in sizes]
    root = write_files(folder / "desk", {"agents/tools/noop.py": NOOP}, *files, agents or {})
    async with open_workbench(root, data_dir=folder / "person", vault=MemoryVault()) as wb:
        yield Stepping(wb)

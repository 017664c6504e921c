"""Projects with agents that run offline: each file as a person writes it, with the scripts of their models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.app.agent_files import HEAD, write_files
from workbench.app import Workbench
from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread

COUNT = (
    HEAD
    + """
import time
from pathlib import Path

def execute(state, args):
    # What it did is seen from outside: one line for each time that it really ran.
    with (Path(__file__).parents[2] / "counted").open("a") as out:
        out.write(args["mark"] + "\\n")
    time.sleep(args.get("seconds", 0))
    return "counted " + args["mark"]

tool = define_tool(description="Count.", execute=execute, args={
    "type": "object", "properties": {"mark": {"type": "string"}, "seconds": {"type": "number"}},
    "required": ["mark"], "additionalProperties": False})
"""
)


def agent_files(
    name: str, script: Mapping[str, object], *, tools: Sequence[str] = (), prompt: str = "", side: str = ""
) -> dict[str, str]:
    """An agent with a person on side b, its prompt, its model and the script that it plays."""
    return {
        f"scripts/{name}.json": json.dumps(script),
        f"agents/models/{name}_model.py": HEAD
        + f'model = define_model(name="{name}-model", provider="scripted", model="scripts/{name}.json",\n'
        "    input_price=1.0, output_price=2.0)\n",
        f"agents/prompts/{name}_prompt.py": HEAD
        + f'prompt = define_prompt(name="{name}_prompt", tool_description="Helps.", prompt="Help {{{{who}}}}.",\n'
        f'    model="{name}-model", include_chat=True, include_past_tools=True, tools={list(tools)!r}, {prompt})\n',
        f"agents/agents/{name}.py": HEAD
        + f'agent = define_agent(name="{name}", title="The {name}", side_a=PromptSide("{name}_prompt", {side}),\n'
        "    side_b=HumanSide())\n",
    }


def write_agent(
    root: Path,
    name: str,
    *steps: Mapping[str, object],
    tools: Sequence[str] = (),
    prompt: str = "",
    side: str = "",
    **script: object,
) -> Path:
    """An agent whose script answers with these steps, then says that it heard; `script` are its other fields."""
    played = {"steps": list(steps), "replies": [{"text": "I heard: {{user}}"}], **script}
    files = agent_files(name, played, tools=tools, prompt=prompt, side=side)
    return write_files(root, {"agents/tools/count.py": COUNT}, files)


async def said(wb: Workbench, thread_id: ThreadId) -> list[str]:
    """Each message of a thread in a line: whose it is and what it says or calls."""
    page = await wb.threads.messages(thread_id, limit=1_000, max_depth=32)
    return [
        f"{one.role.value}: {' | '.join([one.content or '', *(call.name for call in one.tool_calls)]).strip(' |')}"
        for one in page.messages
    ]


async def talk(wb: Workbench, agent: str, words: str, **more: Any) -> Thread:
    """A thread in which a person has said something and got an answer."""
    thread = await wb.threads.start(agent, message=words, **more)
    return await wb.threads.parked(thread.id)

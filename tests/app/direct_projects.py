"""A project of tools in `bot/` that are called directly, and an agent whose turn a test can hold."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from tests.app.agent_files import HEAD, write_files
from tests.app.thread_projects import write_agent
from workbench.app import Workbench
from workbench.domain.calls import CallState
from workbench.domain.events import CallStateChanged, Event
from workbench.domain.threads import Thread

T = TypeVar("T")

_IMPORTS = HEAD + "from pathlib import Path\nfrom pydantic import BaseModel, Field\n"

BOT = {
    "bot/tools/look.py": _IMPORTS
    + """
@define_tool(description="List the folder.", effect="read")
def look(input, ctx):
    return {"folder": str(ctx.workspace_dir), "files": sorted(path.name for path in ctx.workspace_dir.iterdir())}
""",
    "bot/tools/put.py": _IMPORTS
    + """
class Input(BaseModel):
    name: str = Field(pattern="^[a-z]+$")

@define_tool(description="Write a file.", input_schema=Input, effect="write",
             dry_run_result=lambda input: {"would": input.name})
def put(input, ctx):
    (ctx.workspace_dir / input.name).write_text("here")
    return {"folder": str(ctx.workspace_dir)}
""",
    "bot/tools/stamp.py": _IMPORTS
    + 'stamp = define_tool(description="Stamp.", effect="idempotent", execute=lambda input, ctx: "stamped")\n',
    "bot/tools/plain.py": _IMPORTS
    + 'plain = define_tool(description="Plain.", input_schema={"type": "object", "required": ["never"]},\n'
    "    execute=lambda input, ctx: input)\n",
    "bot/tools/sync.py": _IMPORTS
    + """
class Input(BaseModel):
    mode: str

@define_tool(description="Read or write.", input_schema=Input, effect=lambda input: input.mode)
def sync(input, ctx):
    return input.mode
""",
    "bot/tools/fails.py": _IMPORTS
    + """
@define_tool(description="Fail.", effect="read")
def fails(input, ctx):
    raise ValueError("No such parcel.")
""",
    "bot/tools/careful.py": _IMPORTS
    + 'careful = define_tool(description="Ask first.", needs_approval=True,\n'
    "    execute=lambda input, ctx: ctx.tool_call_id)\n",
    "bot/tools/script.py": _IMPORTS
    + 'script = define_tool(description="A script.", execution="agent", script="#!/bin/sh\\ncat")\n',
    "bot/tools/wait.py": _IMPORTS
    + """
import time

def execute(input, ctx):
    # Until the test lets it go on; the project's folder is where the process stands.
    Path(f"began-{input['name']}").touch()
    while not Path(f"go-{input['name']}").exists():
        time.sleep(0.01)
    return "waited"

wait = define_tool(description="Wait.", execute=execute, input_schema={
    "type": "object", "properties": {"name": {"type": "string"}}})
""",
}


def write_bot(root: Path) -> Path:
    """Tools to call, and the agent `keeper` whose one call is `wait` with the name `turn`."""
    call = {"calls": [{"name": "wait", "arguments": {"name": "turn"}}]}
    write_agent(root, "keeper", call, {"text": "Done."}, tools=["wait"])
    return write_files(root, BOT)


async def running(wb: Workbench, begin: Awaitable[T]) -> T:
    """Begin something; returns when a call of it runs."""
    runs = asyncio.Event()

    def on_event(event: Event) -> None:
        if isinstance(event, CallStateChanged) and event.state is CallState.RUNNING:
            runs.set()

    stop = wb.subscribe(on_event=on_event)
    try:
        begun = await begin
        async with asyncio.timeout(60):
            await runs.wait()
        return begun
    finally:
        stop()


def let_go(wb: Workbench, name: str) -> None:
    """Let the `wait` of this name end."""
    (wb.project.root / f"go-{name}").touch()


@asynccontextmanager
async def turn_under_way(wb: Workbench) -> AsyncGenerator[Thread]:
    """A thread in the midst of its turn, which ends with the block."""
    thread = await running(wb, wb.threads.start("keeper", message="Wait."))
    try:
        yield thread
    finally:
        let_go(wb, "turn")
        await wb.threads.parked(thread.id)

"""A project with one tool of each kind that MCP clients can tell apart."""

from __future__ import annotations

from pathlib import Path

from tests.app.projects import ECHO, write_tool

TOOLS = {
    "agents/tools/draw": '''
import base64
from workbench import ToolAttachment, ToolResult, define_tool

async def execute(state):
    data = base64.b64encode(b"a picture").decode()
    return ToolResult.success("drawn", attachments=[
        ToolAttachment(name="a.png", mime_type="image/png", data=data),
        ToolAttachment(name="a.bin", mime_type="application/octet-stream", data=data),
    ])

tool = define_tool(description="Draw.", execute=execute, effect="read")
''',
    "agents/tools/walk": '''
from workbench import define_tool

async def execute(state):
    for step in (1, 2, 3):
        state.emit("progress", {"current": step, "total": 3, "message": f"step {step}"})
    state.emit("progress", {"message": "nearly there"})
    return "walked"

tool = define_tool(description="Walk.", execute=execute, effect="idempotent")
''',
    "agents/tools/wait": '''
import asyncio
from workbench import define_tool

async def execute(state):
    state.emit("progress", {"message": "waiting"})
    await asyncio.sleep(600)

tool = define_tool(description="Wait.", execute=execute)
''',
    "agents/tools/ask_first": '''
from workbench import define_tool

async def execute(state):
    return "done"

tool = define_tool(description="Needs a yes.", execute=execute, needs_approval=True)
''',
    "bot/tools/weather": '''
from workbench import define_tool

OUTPUT = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}

async def execute(input, ctx):
    return {"degrees": 21.5, "in": input.get("city")}

tool = define_tool(description="Weather.", input_schema={"properties": {"city": {"type": "string"}}},
                   output_schema=OUTPUT, execute=execute, effect=lambda input: True)
''',
    "bot/tools/blocks": '''
from workbench import define_tool

async def execute(input, ctx):
    return {"content": [{"type": "text", "text": "one"},
                        {"type": "image", "mimeType": "image/png", "data": "AAAA"}],
            "structuredContent": {"n": 1}, "isError": input.get("fails", False)}

tool = define_tool(description="Blocks.", input_schema={"type": "object"}, execute=execute)
''',
}  # fmt: skip


def write_project(root: Path) -> Path:
    """Write it, with `echo` besides."""
    for path, source in {"agents/tools/echo": ECHO, **TOOLS}.items():
        folder, _, name = path.rpartition("/")
        write_tool(root, name, source, folder)
    return root

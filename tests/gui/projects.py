"""The project that the window's tests open: tools that are quick, slow, broken, and one that draws."""

from __future__ import annotations

from pathlib import Path

from tests.app.projects import write_tool

GREET = '''
"""Greets somebody."""
from workbench import ToolResult, define_tool

async def execute(state, args):
    print("greeting", args["name"])
    return ToolResult.success(f"Hello, {args['name']}!" + "!" * args.get("times", 0))

tool = define_tool(
    description="Greet somebody by name.",
    args={
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "description": "Who is greeted"},
            "times": {"type": "integer", "minimum": 0, "default": 1},
            "tone": {"enum": ["warm", "dry", "formal", "loud", "shy"]},
            "polite": {"type": "boolean"},
        },
    },
    execute=execute,
)
'''

SLOW = '''
"""Takes its time."""
import asyncio
from workbench import define_tool

async def execute(state):
    for number in range(30_000):
        print("step", number)
        state.emit("progress", {"current": number, "total": 30_000, "message": f"Step {number}"})
        await asyncio.sleep(0.02)

tool = define_tool(description="Take a long time.", execute=execute)
'''

DRAW = '''
"""Draws a dot."""
import base64, struct, zlib
from workbench import ToolAttachment, ToolResult, define_tool

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png():
    rows = b"".join(b"\\x00" + b"\\x20\\x60\\xc0" * 16 for _ in range(16))
    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    blocks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\\x89PNG\\r\\n\\x1a\\n" + blocks

async def execute(state):
    data = base64.b64encode(png()).decode()
    return ToolResult.success("Drawn.", attachments=[ToolAttachment(name="dot.png", mime_type="image/png", data=data)])

tool = define_tool(description="Draw a dot.", execute=execute)
'''

ASKS = '''
"""Asks before it runs."""
from workbench import define_tool

async def execute(state, args):
    return args

tool = define_tool(
    description="Pay an amount.",
    args={"type": "object", "required": ["cents"], "properties": {"cents": {"type": "integer"}}},
    needs_approval=True,
    execute=execute,
)
'''

KEYED = '''
"""Needs a key."""
from workbench import Variable, define_tool

async def execute(state):
    return {"length": len(await state.env("API_KEY"))}

tool = define_tool(
    description="Use a key.",
    variables=[Variable(name="API_KEY", type="text", required=True, description="The key of the desk")],
    execute=execute,
)
'''

BROKEN = '''
"""Does not load."""
def execute(state)
    return None
'''


def write_project(root: Path) -> Path:
    """Write all of them."""
    for name, source in {
        "greet": GREET,
        "slow": SLOW,
        "draw": DRAW,
        "pay": ASKS,
        "keyed": KEYED,
        "broken": BROKEN,
    }.items():
        write_tool(root, name, source)
    return root

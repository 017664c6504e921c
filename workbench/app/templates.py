"""A new tool from a template: the smallest file that shows where each thing goes."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.base.errors import UserError

_NAME = re.compile(r"[a-z][a-z0-9_]*")

_TOOL = '''"""What {name} does, in one line."""

from pydantic import BaseModel, Field

from workbench import ThreadState, ToolResult, define_tool


class Args(BaseModel):
    text: str = Field(description="What to work on")


async def execute(state: ThreadState, args: Args) -> ToolResult:
    state.emit("progress", {{"message": "Working"}})
    return ToolResult.success(f"Received {{len(args.text)}} characters.")


tool = define_tool(
    description="Say what the tool does and when a model should use it.",
    args=Args,
    execute=execute,
)
'''


def write_tool(root: Path, name: str) -> Path:
    """Write `agents/tools/<name>.py`; raises UserError for a name that is no tool's, or one that is taken."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} is not a name for a tool.",
            hint="Use small letters, digits and underscores, beginning with a letter: fetch_order.",
        )
    path = root / "agents" / "tools" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_TOOL.format(name=name))
    except FileExistsError as error:
        raise UserError(f"{path.relative_to(root)} is there already.", hint="Choose another name.") from error
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error
    return path

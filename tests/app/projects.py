"""Projects that tests write, and how they open them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from workbench.app import Workbench
from workbench.base.clock import SystemClock

OpenProject = Callable[..., AbstractAsyncContextManager[Workbench]]

ECHO = '''
"""Gives back what it was sent."""
from workbench import define_tool

async def execute(state, args):
    return {"echo": args}

tool = define_tool(
    description="Give back what was sent.",
    args={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    execute=execute,
)
'''


class DaysLater(SystemClock):
    """A clock that is ahead."""

    def __init__(self, days: int) -> None:
        self._ahead_us = days * 86_400_000_000

    def now_us(self) -> int:
        return super().now_us() + self._ahead_us


def write_tool(root: Path, name: str, source: str, folder: str = "agents/tools") -> Path:
    """Write one definition file."""
    path = root / folder / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return path

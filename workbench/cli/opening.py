"""Opening a project for a command, and saying so when it takes a while."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.paths import project_data_dir

if TYPE_CHECKING:
    from workbench.app import Workbench

PATIENCE = 0.5
"""Seconds after which a person is told what the command waits for."""


@asynccontextmanager
async def opened(project: Path, *, read_only: bool = False) -> AsyncGenerator[Workbench]:
    """The project with its definitions loaded; `read_only` makes nothing in it (H5)."""
    from workbench.app import open_workbench

    async with AsyncExitStack() as stack:
        with _slow_is_told(f"Loading {project.name}"):
            wb = await stack.enter_async_context(open_workbench(project, read_only=read_only))
        yield wb


@asynccontextmanager
async def opened_to_look(project: Path) -> AsyncGenerator[Workbench]:
    """The project with its history; where none was kept yet, none is made."""
    async with opened(project, read_only=not project_data_dir(project).is_dir()) as wb:
        yield wb


@contextmanager
def _slow_is_told(words: str) -> Generator[None]:
    """A line on the terminal while the work inside goes on for longer than a moment."""
    stack = ExitStack()

    def tell() -> None:
        from rich.console import Console

        stack.enter_context(Console(stderr=True).status(words))

    timer = asyncio.get_running_loop().call_later(PATIENCE, tell) if sys.stderr.isatty() else None
    with stack:
        yield
        if timer is not None:
            timer.cancel()

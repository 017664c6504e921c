"""Opening a project for a command, and saying so when it takes a while."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.paths import project_data_dir, user_log_dir
from workbench.cli.output import say

if TYPE_CHECKING:
    from workbench.app import Workbench

PATIENCE = 0.5
"""Seconds after which a person is told what the command waits for."""


@asynccontextmanager
async def opened(
    project: Path,
    *,
    read_only: bool = False,
    watch: bool = False,
    load: bool = True,
    connect: bool = True,
) -> AsyncGenerator[Workbench]:
    """The open project; see `open_workbench`. A log is kept unless it is only looked at."""
    from workbench.app import open_workbench

    async with AsyncExitStack() as stack:
        with _slow_is_told(f"Loading {project.name}"):
            log_dir = None if read_only else user_log_dir()
            opening = open_workbench(
                project,
                read_only=read_only,
                watch=watch,
                load=load,
                connect=connect,
                log_dir=log_dir,
            )
            wb = await stack.enter_async_context(opening)
        yield wb
    if (trouble := wb.traces.trouble) is not None:  # no error of the command's own
        say(f"{trouble.message}\n{trouble.hint}")


def nothing_kept(project: Path) -> bool:
    """Whether the project has no history yet; then a look at it need not make one."""
    return not project_data_dir(project).is_dir()


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

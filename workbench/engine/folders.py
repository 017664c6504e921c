"""The folders that tools may write: a workspace a thread, and the state that all share (T12)."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.ids import ThreadId, uuid7

SCRIPTS = "tools"
"""Where in a workspace the scripts of tools lie (C14)."""


class Folders:
    """Makes each folder when it is first asked for; raises UserError when it cannot be made.

    `data_dir` is the project's `.workbench`.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._made: dict[str, str] = {}

    def workspace(self, thread_id: ThreadId) -> str:
        """`.workbench/workspaces/<thread id>`."""
        made = self._made.get(thread_id)
        if made is not None and Path(made).is_dir():
            return made
        return self._make(thread_id, self._data_dir / "workspaces" / thread_id)

    def remove_workspace(self, thread_id: ThreadId) -> None:
        """Remove the thread's folder with all that lies in it; what cannot be removed stays."""
        shutil.rmtree(self._data_dir / "workspaces" / thread_id, ignore_errors=True)
        self._made.pop(thread_id, None)

    def state_root(self) -> str:
        """`.workbench/state`."""
        return self._made.get("") or self._make("", self._data_dir / "state")

    def scratch(self) -> str:
        """Where a folder for one call can lie: outside of the project, which may be full, by a name nobody guesses.

        Whoever uses it makes it, and most calls use none. To be given to `remove_scratch`.
        """
        return os.path.join(tempfile.gettempdir(), f"workbench-call-{uuid7()}")  # noqa: PTH118 -- each call has one

    async def remove_scratch(self, folder: str) -> None:
        """Remove it with all that lies in it, if it was made; what cannot be removed stays."""
        if os.path.lexists(folder):  # noqa: ASYNC240 -- a look takes less than asking another thread to
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _make(self, key: str, folder: Path) -> str:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"The folder {folder} cannot be made: {error.strerror}.",
                hint="Remove what stands in its place, or make its parent writable.",
            ) from error
        self._made[key] = str(folder)
        return self._made[key]

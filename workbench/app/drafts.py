"""What a person typed and did not run yet, kept over a closed window and a crash: one small file a tool."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.masker import Masker
from workbench.base.whole_files import write_whole
from workbench.engine.variables import Variables

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_log = logging.getLogger(__name__)

Draft = Mapping[str, object]


class Drafts:
    """Drafts in a folder of the project's own data. What is written was masked before (V6)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, tool: str) -> Draft | None:
        """The draft of a tool; None when there is none, or none that can be read.

        Raises UserError for what cannot be a tool's name: it would lead to another file.
        """
        try:
            value = parse(self.path(tool).read_bytes())
        except (OSError, JsonError):
            return None
        return cast("Draft", value) if isinstance(value, dict) else None

    def write(self, tool: str, draft: Draft) -> None:
        """Keep a draft in the place of the one before; half a file is never seen.

        Raises OSError, and UserError for what cannot be a tool's name.
        """
        write_whole(self.path(tool), dump(dict(draft)).encode())

    def forget(self, tool: str) -> None:
        """There is nothing to keep any more."""
        self.path(tool).unlink(missing_ok=True)

    def path(self, tool: str) -> Path:
        """The file of a tool's draft. Raises UserError for what cannot be a tool's name."""
        if not _NAME.fullmatch(tool):
            raise UserError(f"{tool!r} is not the name of a tool.")
        return self._folder / f"{tool}.json"


class FormDrafts:
    """The drafts of an open project's forms, which belong to its loop.

    The newest one of a form counts from the moment it is given: it is answered from memory until it is on disk, and
    none that is older is ever written after it.
    """

    def __init__(self, folder: Path, variables: Variables) -> None:
        self._drafts = Drafts(folder)
        self._variables = variables
        self._newest: dict[str, Draft] = {}
        """What is not on disk yet."""
        self._lane = ThreadPoolExecutor(1, thread_name_prefix="drafts")

    async def read(self, tool: str) -> Draft | None:
        """The newest draft. Raises UserError for what cannot be a tool's name."""
        if tool in self._newest:
            return self._newest[tool]
        return await asyncio.get_running_loop().run_in_executor(self._lane, self._drafts.read, tool)

    async def keep(self, tool: str, draft: Draft) -> None:
        """Write a draft, secrets masked (V6), unless a newer one comes before its turn.

        Raises UserError when it cannot be written, or for what cannot be a tool's name.
        """
        self._drafts.path(tool)
        self._newest[tool] = draft
        await self._write(tool, draft, await self._variables.refresh_masker())

    async def close(self) -> None:
        """Write what was to be kept and waits, for instance for a keyring that does not answer.

        Every secret is masked that was in hand so far.
        """
        for tool, draft in tuple(self._newest.items()):
            try:
                await self._write(tool, draft, self._variables.masker)
            except UserError as error:
                _log.warning("%s: %s", tool, error.message)
        await asyncio.to_thread(self._lane.shutdown)

    async def _write(self, tool: str, draft: Draft, masker: Masker) -> None:
        if self._newest.get(tool) is not draft:
            return
        try:
            await asyncio.get_running_loop().run_in_executor(self._lane, self._put, tool, draft, masker)
        except OSError as error:
            raise UserError(
                f"The draft cannot be kept: {error.strerror}.", hint="It is lost on closing."
            ) from error
        if self._newest.get(tool) is draft:
            del self._newest[tool]

    def _put(self, tool: str, draft: Draft, masker: Masker) -> None:
        self._drafts.write(tool, masker.mask_json(draft))

"""The verbs around a tool's form: saved and earlier inputs, sample data, pasting, copying, what applies to a run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from workbench.app.inputs.applying import Applying, applying
from workbench.app.inputs.copying import command_line, curl, python_script
from workbench.app.inputs.earlier import MOST, EarlierInput, earlier_inputs
from workbench.app.inputs.pasting import Pasted, read_pasted
from workbench.app.inputs.sample import Sample, make_sample
from workbench.app.inputs.saved import SavedInput, SavedInputs
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, parse_object
from workbench.domain.tools import ToolDefinition
from workbench.engine.services import Services


class Inputs:
    """Belongs to an open project and to its loop. Whatever leaves here as text has its secrets masked (V6)."""

    def __init__(self, root: Path, folder: Path, services: Services) -> None:
        """`root` is the project; saved inputs are kept in `folder`."""
        self._root = root
        self._saved = SavedInputs(folder)
        self._services = services
        self._one_at_a_time = asyncio.Lock()

    # --- kept under a name

    async def saved(self, tool: str) -> tuple[SavedInput, ...]:
        """The saved inputs of a tool, by name. Raises UserError when they cannot be read."""
        return await asyncio.to_thread(self._saved.of, tool)

    async def save(self, tool: str, name: str, arguments: str, *, overwrite: bool = False) -> SavedInput:
        """Keep arguments (JSON text) under a name. Raises NameTaken for one that is in use, and UserError."""
        try:
            parse_object(arguments)
        except JsonError as error:
            raise UserError(f"This cannot be saved: {error.message}.") from error
        masked = (await self._services.variables.refresh_masker()).mask_json_text(arguments)
        async with self._writing():
            return await asyncio.to_thread(self._saved.save, tool, name, masked, overwrite=overwrite)

    async def rename(self, tool: str, old: str, new: str) -> SavedInput:
        """Give a saved input another name. Raises NameTaken, and UserError when it is gone."""
        async with self._writing():
            return await asyncio.to_thread(self._saved.rename, tool, old, new)

    async def delete(self, tool: str, name: str) -> None:
        """Delete a saved input. Raises UserError when it is gone."""
        async with self._writing():
            await asyncio.to_thread(self._saved.delete, tool, name)

    # --- from somewhere else

    async def earlier(self, tool: str, *, limit: int = MOST) -> tuple[EarlierInput, ...]:
        """What the calls of a tool were sent, newest first, each input once."""
        return await earlier_inputs(self._services.store, tool, limit=limit)

    async def sample(self, tool: str, typed: str | None = None, *, every: bool = True) -> Sample:
        """Made-up arguments that the tool's schema accepts, around what was `typed` (JSON text) where that fits.

        Raises UserError when none were found.
        """
        schema = self._definition(tool).input_schema
        return await asyncio.to_thread(make_sample, schema, every=every, typed=typed)

    async def pasted(self, tool: str, text: str) -> Pasted:
        """The arguments in a pasted text: plain, or a tool call in one of the usual shapes."""
        return await asyncio.to_thread(read_pasted, text, tool, self._definition(tool).input_schema)

    # --- to somewhere else

    async def not_masked(self) -> tuple[str, ...]:
        """The secrets that no text can be searched for now, since the keyring keeps them to itself (V6)."""
        await self._services.variables.refresh_masker()
        return self._services.variables.unread

    async def command_line(self, tool: str, arguments: bytes) -> str:
        """The command that makes this call; secrets stand as their marks (V6)."""
        return command_line(tool, self._root, await self._masked(arguments))

    async def python_script(self, tool: str, arguments: bytes) -> str:
        """A Python program that makes this call; secrets stand as their marks (V6)."""
        return python_script(tool, self._root, await self._masked(arguments))

    async def curl(
        self, tool: str, arguments: bytes, url: str, *, asks_token: bool, dry_run: bool = False
    ) -> tuple[str, tuple[str, ...]]:
        """The request to the server at `url` that makes this call, and its shell variables (see `copying.curl`)."""
        masked = await self._masked(arguments)
        return curl(tool, url, masked, asks_token=asks_token, dry_run=dry_run)

    # --- what a run would meet

    def applying(self, tool: str, arguments: str | None) -> Applying:
        """What applies to running a tool with these arguments, None while they cannot be sent."""
        return applying(self._definition(tool), arguments, self._services.approvals.rules)

    def _definition(self, tool: str) -> ToolDefinition:
        definition = self._services.catalog.find(tool)
        if definition is None:
            raise UserError(f"There is no tool named {tool}.")
        return definition

    async def _masked(self, arguments: bytes) -> str:
        return (await self._services.variables.refresh_masker()).mask_json_text(arguments.decode())

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[None]:
        """One change at a time, since each reads the file that it replaces."""
        async with self._one_at_a_time:
            try:
                yield
            except OSError as error:
                raise UserError(
                    f"The saved inputs cannot be written: {error.strerror}.", hint="Nothing was changed."
                ) from error

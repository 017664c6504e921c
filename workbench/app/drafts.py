"""What a person typed and did not run yet, kept over a closed window and a crash: one small file a tool."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.masker import Masker
from workbench.base.whole_files import write_whole
from workbench.engine.variables import Variables

_NAME = re.compile(r"[A-Za-z0-9_-]+")
LONG = 100_000
"""Characters from which a text, such as that of a file, is kept beside its draft."""
_PART, _PARTS = "workbench-part", "workbench-parts"
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

    def names(self) -> frozenset[str]:
        """What there are drafts of."""
        return frozenset(file.stem for file in self._folder.glob("*.json"))

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

    def __init__(self, folder: Path, variables: Variables, tell_of_masking: Callable[[], None]) -> None:
        """`tell_of_masking` says which secrets cannot be hidden now (V6)."""
        self._drafts = Drafts(folder)
        self._variables = variables
        self._tell_of_masking = tell_of_masking
        self._newest: dict[str, Draft] = {}
        """What is not on disk yet."""
        self._parts: dict[str, _Parts] = {}
        self._lane = ThreadPoolExecutor(1, thread_name_prefix="drafts")

    async def read(self, tool: str) -> Draft | None:
        """The newest draft. Raises UserError for what cannot be a tool's name."""
        if tool in self._newest:
            return self._newest[tool]
        return await asyncio.get_running_loop().run_in_executor(self._lane, self._read, tool)

    async def keep(self, tool: str, draft: Draft) -> None:
        """Write a draft, secrets masked (V6), unless a newer one comes before its turn.

        `read` answers with it from now on. If this is cancelled it is written when the project is closed. Raises
        UserError when it cannot be written, or for what cannot be a tool's name.
        """
        self._drafts.path(tool)
        self._newest[tool] = draft
        await self._write(tool, draft, await self._variables.refresh_masker())
        self._tell_of_masking()

    async def kept(self) -> frozenset[str]:
        """What there are drafts of."""
        names = await asyncio.get_running_loop().run_in_executor(self._lane, self._drafts.names)
        return names | frozenset(self._newest)

    async def forget(self, tool: str) -> None:
        """There is nothing to keep any more."""
        self._newest.pop(tool, None)
        await asyncio.get_running_loop().run_in_executor(self._lane, self._drop, tool)

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
        """In the lane."""
        long: dict[str, str] = {}
        light = _lightened(draft, long)
        parts = self._parts.setdefault(tool, _Parts(self._drafts.path(tool)))
        parts.write(long, masker)
        self._drafts.write(tool, {**masker.mask_json(cast("Draft", light)), _PARTS: sorted(long)})
        parts.tidy(long)

    def _drop(self, tool: str) -> None:
        """In the lane."""
        self._drafts.forget(tool)
        self._parts.setdefault(tool, _Parts(self._drafts.path(tool))).tidy({})

    def _read(self, tool: str) -> Draft | None:
        """In the lane."""
        found = self._drafts.read(tool)
        if found is None or not isinstance(found.get(_PARTS), list):
            return found
        names = cast("list[object]", found[_PARTS])
        rest = {key: value for key, value in found.items() if key != _PARTS}
        texts = _Parts(self._drafts.path(tool)).read([str(name) for name in names])
        return cast("Draft", _put_back(rest, texts))


class _Parts:
    """The long texts of one draft, each in a file of its own that is written once."""

    def __init__(self, draft: Path) -> None:
        self._draft = draft
        self._written: dict[str, tuple[str, Masker]] = {}

    def write(self, long: Mapping[str, str], masker: Masker) -> None:
        for name, text in long.items():
            before = self._written.get(name)
            if before is None or before[0] is not text or before[1] is not masker:
                write_whole(self._file(name), masker.mask(text).encode())
                self._written[name] = (text, masker)

    def read(self, names: Sequence[str]) -> dict[str, str]:
        """The texts that are there and can be read, by their names."""
        found: dict[str, str] = {}
        for name in names:
            with suppress(OSError, UnicodeDecodeError):
                if _NAME.fullmatch(name):
                    found[name] = self._file(name).read_bytes().decode()
        return found

    def tidy(self, kept: Mapping[str, str]) -> None:
        """Remove the files of texts that the draft does not hold any more."""
        self._written = {name: each for name, each in self._written.items() if name in kept}
        for file in self._draft.parent.glob(f"{self._draft.stem}.*.part"):
            if file.name.split(".")[-2] not in kept:
                file.unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self._draft.with_name(f"{self._draft.stem}.{name}.part")


def _lightened(value: object, long: dict[str, str]) -> object:
    """JSON data with a reference in the place of each long text, which goes to `long` under its name."""
    if isinstance(value, str) and len(value) >= LONG:
        name = hashlib.sha256(value.encode()).hexdigest()[:32]
        long[name] = value
        return {_PART: name}
    if isinstance(value, Mapping):
        return {key: _lightened(each, long) for key, each in cast("Draft", value).items()}
    if isinstance(value, list):
        return [_lightened(each, long) for each in cast("list[object]", value)]
    return value


def _put_back(value: object, texts: Mapping[str, str]) -> object:
    """The other way round; a text that is gone is empty."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        if pairs.keys() == {_PART}:
            return texts.get(str(pairs[_PART]), "")
        return {key: _put_back(each, texts) for key, each in pairs.items()}
    if isinstance(value, list):
        return [_put_back(each, texts) for each in cast("list[object]", value)]
    return value

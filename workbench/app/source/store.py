"""The project's source files as verbs: read, save, and keep what is not saved over a crash."""

from __future__ import annotations

import asyncio
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from workbench.app.drafts import Drafts
from workbench.app.source.files import SourceText, read_source, write_source
from workbench.app.source.own_editor import editor_launch, start_editor
from workbench.base.errors import UserError


@dataclass(frozen=True, slots=True)
class SourceDraft:
    """Text that was not saved. `digest` is that of the file it was made from."""

    text: str
    digest: str


class SourceFiles:
    """Belongs to one open project. Paths are relative to it; what blocks is done beside the loop."""

    def __init__(self, root: Path, drafts: Path) -> None:
        self._root = root
        self._drafts = Drafts(drafts)

    async def read(self, path: str) -> SourceText | None:
        """A file as it is on disk; None when it is not there. Raises UserError."""
        return await asyncio.to_thread(read_source, self._root, path)

    async def save(self, path: str, text: str, base: str | None) -> SourceText:
        """Write a text over its file and forget its draft.

        Raises SourceChangedError when the file's digest is not `base` any more, and UserError.
        """
        saved = await asyncio.to_thread(write_source, self._root, path, text, base)
        await self.forget_draft(path)
        return saved

    async def draft(self, path: str) -> SourceDraft | None:
        """The text that was kept for a file, if there is one."""
        found = await asyncio.to_thread(self._drafts.read, _key(path)) or {}
        match found:
            case {"text": str(text), "digest": str(digest)}:
                return SourceDraft(text, digest)
            case _:
                return None

    async def keep_draft(self, path: str, draft: SourceDraft) -> None:
        """Keep text that is not saved, as it is: it is what the person would have saved. Raises UserError."""
        kept = {"path": path, "text": draft.text, "digest": draft.digest}
        try:
            await asyncio.to_thread(self._drafts.write, _key(path), kept)
        except OSError as error:
            raise UserError(
                f"Unsaved text of {path} cannot be kept: {error.strerror}.", hint="It is lost in a crash."
            ) from error

    async def open_outside(self, path: str, line: int | None = None, *, editor: str = "") -> str:
        """Open a file in the person's own editor (`editor` is the one they chose); returns the editor's name.

        Raises UserError when there is none, or it does not start.
        """
        file = self._root / path

        def start() -> str:
            if not file.exists():
                raise UserError(f"{path} is not there any more.")
            launch = editor_launch(file, line, chosen=editor, environment=os.environ)
            start_editor(launch)
            return launch.name

        return await asyncio.to_thread(start)

    async def forget_draft(self, path: str) -> None:
        """There is nothing unsaved any more."""
        await asyncio.to_thread(self._drafts.forget, _key(path))


def _key(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:32]

"""What a person typed and did not run yet, kept over a closed window and a crash: one small file a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.whole_files import write_whole

_NAME = re.compile(r"[A-Za-z0-9_-]+")


class Drafts:
    """Drafts in a folder of the project's own data. What is written was masked before (V6)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, tool: str) -> Mapping[str, object] | None:
        """The draft of a tool; None when there is none, or none that can be read.

        Raises UserError for what cannot be a tool's name: it would lead to another file.
        """
        try:
            value = parse(self._path(tool).read_bytes())
        except (OSError, JsonError):
            return None
        return cast("Mapping[str, object]", value) if isinstance(value, dict) else None

    def write(self, tool: str, draft: Mapping[str, object]) -> None:
        """Keep a draft in the place of the one before; half a file is never seen.

        Raises OSError, and UserError for what cannot be a tool's name.
        """
        write_whole(self._path(tool), dump(dict(draft)).encode())

    def forget(self, tool: str) -> None:
        """There is nothing to keep any more."""
        self._path(tool).unlink(missing_ok=True)

    def _path(self, tool: str) -> Path:
        if not _NAME.fullmatch(tool):
            raise UserError(f"{tool!r} is not the name of a tool.")
        return self._folder / f"{tool}.json"

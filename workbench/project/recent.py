"""The projects that were open lately, newest first, in a small file of the person's."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.base.paths import user_data_dir
from workbench.project.folder import is_project

_MOST = 12


@dataclass(frozen=True, slots=True)
class RecentProject:
    """A project that was open. `is_there`: its folder still is, and is still a project."""

    path: Path
    name: str
    is_there: bool


class RecentProjects:
    """The list on disk. It is a convenience: a file that cannot be read is an empty list, one that cannot be
    written stays as it is."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or user_data_dir() / "recent.json"

    def all(self) -> tuple[RecentProject, ...]:
        """Newest first, with a look at each folder."""
        return tuple(RecentProject(path, name, _is_there(path)) for path, name in self._read())

    def last(self) -> Path | None:
        """The newest that can be opened."""
        return next((path for path, _ in self._read() if _is_there(path)), None)

    def remember(self, root: Path, name: str) -> None:
        """A project was opened."""
        others = [each for each in self._read() if each[0] != root]
        self._write([(root, name), *others][:_MOST])

    def forget(self, root: Path) -> None:
        """Take a project from the list."""
        self._write([each for each in self._read() if each[0] != root])

    def _read(self) -> list[tuple[Path, str]]:
        try:
            kept: object = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return []
        rows = cast("list[object]", kept) if isinstance(kept, list) else []
        pairs = [cast("dict[str, object]", row) for row in rows if isinstance(row, dict)]
        named = [(row.get("path"), row.get("name")) for row in pairs]
        return [
            (Path(path), name if isinstance(name, str) and name else Path(path).name)
            for path, name in named
            if isinstance(path, str)
        ]

    def _write(self, rows: list[tuple[Path, str]]) -> None:
        text = json.dumps(
            [{"path": str(path), "name": name} for path, name in rows], ensure_ascii=False, indent=1
        )
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix="recent-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(self._file)


def _is_there(path: Path) -> bool:
    try:
        return path.is_dir() and is_project(path)
    except OSError:
        return False

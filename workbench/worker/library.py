"""What of Python's own library is imported late, because not every worker needs it, comes from no file of the project.

A project may well have a `random.py`: what a tool imports by that name is the library's all the same, as it always
is for what a worker has imported at its start.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_LATE = frozenset(
    {
        "asyncio",
        "bisect",
        "bz2",
        "concurrent",
        "contextvars",
        "fcntl",
        "grp",
        "locale",
        "logging",
        "lzma",
        "pwd",
        "random",
        "shutil",
        "ssl",
        "string",
        "subprocess",
        "tempfile",
        "traceback",
        "zlib",
    }
)
"""asyncio, tempfile and what they import."""


class Library:
    """A finder that answers before the project's folders are looked through. Made while they are on no path."""

    def __init__(self) -> None:
        self._path = list(sys.path)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(fullname, self._path, target) if fullname in _LATE else None

"""Frames in a traceback or a log that lie in files of the project, so that a view can lead there."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlparse

_SOURCE = r"(?:py|pyi|ts|mts|cts|tsx|js|mjs|cjs|jsx)"
_FRAME = re.compile(
    rf"""File\ "(?P<python>[^"\n]{{1,1000}})",\ line\ (?P<python_line>\d{{1,9}})
    |(?P<path>(?:file://)?[^\s:"'()<>|*?]{{1,1000}}\.{_SOURCE}):(?P<line>\d{{1,9}})(?!\d)(?::(?P<column>\d{{1,9}}))?""",
    re.VERBOSE,
)
_LONGEST = 2_000


class FrameLink(NamedTuple):
    """`text[start:end]` names a line of a file; `path` is relative to the project, `line` and `column` count from 1.

    `column` is 0 where only the line is told.
    """

    start: int
    end: int
    path: str
    line: int
    column: int = 0


def frames_in(text: str, root: Path) -> list[FrameLink]:
    """Every frame in a file below `root`, in order. Whether the file is still there is not looked at.

    Understood are Python's `File "…", line N`, and `path:line` with or without a column, as other languages, linters
    and this program's own stacks write it; paths may be relative to the project.
    """
    return list(_frames(text, str(root)))


def _frames(text: str, root: str) -> Iterator[FrameLink]:
    offset = 0
    for line in text.split("\n"):
        # A line of data that is this long holds no frame, and looking for one in it would take its time.
        for found in _FRAME.finditer(line) if len(line) <= _LONGEST else ():
            path = _relative(found["python"] or found["path"], root)
            number = int(found["python_line"] or found["line"])
            if path is not None and number:
                yield FrameLink(
                    offset + found.start(), offset + found.end(), path, number, int(found["column"] or 0)
                )
        offset += len(line) + 1


@functools.lru_cache(maxsize=512)
def _relative(path: str, root: str) -> str | None:
    """A path as the project names it; None when it lies elsewhere or is none."""
    if path.startswith("file://"):
        path = unquote(urlparse(path).path)
    if path.startswith("<") or "\x00" in path:
        return None
    relative = os.path.relpath(os.path.normpath(os.path.join(root, path)), root)  # noqa: PTH118 – text, not files
    outside = relative in (".", "..") or relative.startswith("../") or "site-packages" in relative.split("/")
    return None if outside else relative

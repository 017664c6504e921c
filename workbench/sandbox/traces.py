"""Stack traces in the author's terms: frames of the sandbox itself left out, places of compiled text traced back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workbench.sandbox.source_map import SourceMap

_FRAME = re.compile(r"^(\s*at )(?:(.*?) \()?((?!native\b)[^()\s][^()]*?):(\d+):(\d+)\)?$")
_OURS = re.compile(r"^\s*at .*?\(?(sb:[^()]*|native)\)?$")

Maps = Mapping[str, SourceMap]
"""The source map of each module that was compiled, by the module's name."""


def traced(stack: str, maps: Maps) -> str:
    """The frames of the author's own modules, one a line; a line that is no frame stays as it is."""
    return "\n".join(_traced_line(line, maps) for line in stack.splitlines() if not _OURS.match(line))


def _traced_line(line: str, maps: Maps) -> str:
    frame = _FRAME.match(line)
    if frame is None:
        return line
    start, function, file = frame[1], frame[2], frame[3]
    row, column = int(frame[4]), int(frame[5])
    if file in maps:
        row, column = maps[file].original(row, column) or (row, column)
    place = f"{file}:{row}:{column}"
    return f"{start}{function} ({place})" if function else f"{start}{place}"


def places(stack: str) -> Iterator[tuple[str, int, int]]:
    """File, line and column of each frame of a traced stack, the innermost first."""
    for line in stack.splitlines():
        frame = _FRAME.match(line)
        if frame:
            yield frame[3], int(frame[4]), int(frame[5])

"""Searching the thread's files with the author's pattern: here, where a pattern that never ends costs one call."""

from __future__ import annotations

import base64
import re
from collections.abc import Generator
from typing import Any

from workbench.authoring import Record
from workbench.worker.asking import Question


def grep(pattern: str, path: str, limit: int | None) -> Generator[Question, Any, list[Record]]:
    """The questions of one search; their outcome is a record for each text file that has a match.

    Raises ValueError for a pattern that cannot be read.
    """
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"The pattern cannot be read: {error}.") from None
    found: list[Record] = []
    files = yield "grepFiles", {"path": path}
    for file in files:
        if limit is not None and len(found) >= limit:
            break
        text = yield "readFile", {"path": file["path"]}
        lines = _matching_lines(expression, base64.b64decode(text or ""))
        if lines:
            found.append(
                Record(
                    path=file["path"],
                    name=file["name"],
                    matches=[line for _, line in lines],
                    lineNumbers=[number for number, _ in lines],
                )
            )
    return found


def _matching_lines(expression: re.Pattern[str], data: bytes) -> list[tuple[int, str]]:
    if b"\0" in data:
        return []
    lines = data.decode(errors="replace").splitlines()
    return [(number, line) for number, line in enumerate(lines, 1) if expression.search(line)]

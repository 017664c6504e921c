"""Long texts in parts, each short enough to be laid out at once; a text that grows keeps the parts it had."""

from __future__ import annotations

import re
from collections.abc import Iterator

PART = 4_000
"""Characters after which a text is cut at the next place where its paragraphs let it."""
LONGEST_PART = 16_000
"""Characters of a part that has no such place."""
SHOWN = 200_000
"""Characters of a message that a conversation shows; the rest is for a viewer of its own."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


def parts_of(text: str) -> tuple[str, ...]:
    """The text cut between paragraphs, never inside a fenced block; put together they are the shown text again."""
    return tuple(_parts(text[:SHOWN]))


def _parts(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PART:
        end = _cut(text, start)
        if end is None:
            break
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, start: int) -> int | None:
    """Where the part that begins at `start` ends; None when it has no end yet."""
    at = start + PART
    while (blank := text.find("\n\n", at, start + LONGEST_PART)) >= 0:
        if len(_FENCE.findall(text, start, blank)) % 2 == 0:
            return blank + 2
        at = blank + 2
    if len(text) - start <= LONGEST_PART:
        return None
    line = text.rfind("\n", start + PART, start + LONGEST_PART)
    return line + 1 if line >= 0 else start + LONGEST_PART


def with_breaks(text: str) -> str:
    """Markdown in which each line of a paragraph stays a line, as it was written; fenced blocks stay as they are."""
    lines = text.split("\n")
    fenced = False
    for at, line in enumerate(lines[:-1]):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.strip() and lines[at + 1].strip():
            lines[at] = line.rstrip() + "  "
    return "\n".join(lines)

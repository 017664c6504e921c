"""What an editor does to lines: indent, comment, begin a new one, and change no more than what differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from workbench.app.results.alignment import align
from workbench.domain.definitions import Language

_BLANKS = re.compile(r"[ \t]*")
_LEAVES = re.compile(r"\s*(?:return|raise|pass|break|continue)\b")
_COMMENTS = {Language.PYTHON: "#", Language.TYPESCRIPT: "//"}
_USUAL = {Language.PYTHON: "    ", Language.TYPESCRIPT: "  "}
_SAMPLE = 200_000
_TAB = 4


class Edit(NamedTuple):
    """`text` takes the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def edits_between(old: str, new: str) -> list[Edit]:
    """The edits of whole lines, last first, that make one text of the other and leave every other line alone."""
    if old == new:
        return []
    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in old_lines:
        starts.append(starts[-1] + len(line))
    edits = [
        Edit(starts[a], starts[b], "".join(new_lines[c:d]))
        for same, a, b, c, d in align(old_lines, new_lines)
        if not same
    ]
    return edits[::-1]


def lines_now(old: str, new: str) -> Callable[[int], int]:
    """Where a line of the old text, counted from 1, is in the new one; 0 for one that was changed or taken out."""
    runs = [(a, b, c) for same, a, b, c, _ in align(old.splitlines(), new.splitlines()) if same]

    def now(line: int) -> int:
        return next((c + line - a for a, b, c in runs if a < line <= b), 0)

    return now


def edit_within(old: str, new: str) -> Edit:
    """The one edit between two lines, equal ends left out."""
    most = min(len(old), len(new))
    start = 0
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Edit(start, len(old) - end, new[start : len(new) - end])


def indent_unit(text: str, language: Language) -> str:
    """What one step of a file's indentation is: a tab, or the most common number of blanks."""
    counts: Counter[str] = Counter()
    before = 0
    for line in text[:_SAMPLE].split("\n"):
        blanks = _blanks(line)
        if line.strip():
            if blanks.startswith("\t"):
                counts["\t"] += 1
            elif len(blanks) - before in (2, 3, 4):
                counts[" " * (len(blanks) - before)] += 1
            before = len(blanks)
    return counts.most_common(1)[0][0] if counts else _USUAL[language]


def indented(lines: Sequence[str], unit: str) -> list[str]:
    """Each line one step further in; empty ones stay empty."""
    return [unit + line if line.strip() else line for line in lines]


def outdented(lines: Sequence[str], unit: str) -> list[str]:
    """Each line one step further out, as far as it is in."""
    return [line[len(_step(line, unit)) :] for line in lines]


def _step(line: str, unit: str) -> str:
    if line.startswith("\t"):
        return "\t"
    return line[: min(len(_blanks(line)), _TAB if unit == "\t" else len(unit))]


def comment_toggled(lines: Sequence[str], language: Language) -> list[str]:
    """Lines made comments, at the indentation they share; or what they were, if all are comments."""
    mark = _COMMENTS[language]
    written = [line for line in lines if line.strip()]
    if written and all(line.lstrip().startswith(mark) for line in written):
        return [re.sub(rf"^([ \t]*){mark} ?", r"\1", line) for line in lines]
    column = min((len(_blanks(line)) for line in written), default=0)
    return [
        f"{line[:column]}{mark} {line[column:]}" if line.strip() or not written else line for line in lines
    ]


def blanks_after(before: str, unit: str, language: Language) -> str:
    """The blanks that a new line begins with, after the part of its line that stands before the caret."""
    blanks = _blanks(before)
    code = before.rstrip()
    if code.endswith(("(", "[", "{")) or (language is Language.PYTHON and code.endswith(":")):
        return blanks + unit
    if language is Language.PYTHON and _LEAVES.match(before) and blanks:
        return blanks[: len(blanks) - len(_step(blanks[::-1], unit))]
    return blanks


def blanks_before_bracket(blanks: str, above: str, unit: str, language: Language) -> str:
    """The blanks of a line that a closing bracket begins: a step further out, unless its author moved it already.

    `above` is the last line above that is not empty.
    """
    if blanks != blanks_after(above, unit, language):
        return blanks
    return outdented([blanks], unit)[0]


def _blanks(line: str) -> str:
    found = _BLANKS.match(line)
    return found.group() if found else ""

"""Stack traces in the author's terms: frames of the sandbox itself left out, places of compiled text traced back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from workbench.sandbox.modules import INTERNAL
from workbench.sandbox.source_map import SourceMap

_FRAME = re.compile(r"^(\s*at )(?:(.*?) \()?((?!native\b)[^()\s][^()]*?):(\d+):(\d+)\)?$")
Maps = Mapping[str, SourceMap]
"""The source map of each module that was compiled, by the module's name."""


def traced(stack: str, maps: Maps) -> str:
    """The frames of the author's own modules, one a line; a line that is no frame stays as it is."""
    return "\n".join(_traced_line(line, maps) for line in stack.splitlines() if not _is_ours(line))


def traced_text(text: str, maps: Maps) -> str:
    """A text that may hold a stack, as of `String(error.stack)`: every other line stays as it is."""
    if _LEAD not in text:
        return text
    return "\n".join(_traced_line(line, maps) for line in text.split("\n") if not _is_ours(line))


def traced_value(value: object, maps: Maps) -> object:
    """A value of the sandbox with all its texts traced."""
    if isinstance(value, str):
        return traced_text(value, maps)
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {key: traced_value(item, maps) for key, item in members.items()}
    if isinstance(value, list):
        return [traced_value(item, maps) for item in cast("Sequence[object]", value)]
    return value


def traced_json(text: str, trace: Callable[[str], str]) -> str:
    """JSON text with all its texts traced; its numbers are not read, so that they stay as they are."""

    def told(found: re.Match[str]) -> str:
        if _LEAD not in found[0]:
            return found[0]
        return json.dumps(trace(json.loads(found[0])), ensure_ascii=False)

    return _JSON_TEXT.sub(told, text) if _LEAD in text else text


_LEAD = "    at "
_JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')


def _is_ours(line: str) -> bool:
    head, at, frame = line.partition("at ")
    place = frame.rpartition("(")[2]
    return bool(at) and not head.strip() and (place.startswith(INTERNAL) or place in {"native", "native)"})


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


def called(stack: str, texts: Mapping[str, str]) -> str | None:
    """The expression at the innermost place of a stack that was not traced yet, as in `state.getMesages`; None where
    that is no name, or inside of the engine. `texts` are those that the engine read, by module."""
    line, column = innermost_line(stack, texts)
    before, after = line[: column - 1], line[column - 1 :]
    name, chain = _CALLED.match(after), _CHAIN.search(before)
    if name is None or _is_called_again(after[name.end() :]):
        return None
    return f"{chain[0] if chain else ''}{name[1]}"


def innermost_line(stack: str, texts: Mapping[str, str]) -> tuple[str, int]:
    """The line at the innermost place of a stack that was not traced yet, and the column in it; else an empty one."""
    innermost = next((line for line in stack.splitlines() if line.lstrip().startswith("at ")), "")
    file, number, column = next(places(innermost), ("", 0, 0))
    lines = texts.get(file, "").split("\n")
    return (lines[number - 1], column) if 0 < number <= len(lines) else ("", 1)


def _is_called_again(rest: str) -> bool:
    """Whether what a call gives is called at once: then that may be what is no function."""
    depth = 1
    for at, character in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return rest[at + 1 :].lstrip().startswith(("(", "?.("))
    return False


_CALLED = re.compile(r"([A-Za-z_$][\w$]*)\s*!?\s*(?:\?\.)?\(")
_CHAIN = re.compile(r"(?:(?<![\w$.\])])[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*\??\.)?$")


def places(stack: str) -> Iterator[tuple[str, int, int]]:
    """File, line and column of each frame of a traced stack, the innermost first."""
    for line in stack.splitlines():
        frame = _FRAME.match(line)
        if frame:
            yield frame[3], int(frame[4]), int(frame[5])

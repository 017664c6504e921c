"""The value as a person reads it, with the places marked where something cannot be read yet."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.exact_json import dump
from workbench.forms.reading import Draft, Unread, as_value

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start` to `end` of the preview are what was typed in the field `node_id`, not JSON."""

    start: int
    end: int
    node_id: int


@dataclass(frozen=True, slots=True)
class Preview:
    """Indented JSON text; with `marks` it is not JSON yet."""

    text: str
    marks: tuple[Mark, ...]


def preview(draft: Draft) -> Preview:
    """`draft` as indented JSON, what is unread shown as typed."""
    writer = _Writer()
    writer.write(draft, "\n")
    return Preview("".join(writer.pieces), tuple(writer.marks))


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.marks: list[Mark] = []
        self._length = 0

    def write(self, draft: Draft, line: str) -> None:
        if isinstance(draft, Unread):
            text = draft.text or "…"
            self.marks.append(Mark(self._length, self._length + len(text), draft.node_id))
            self._put(text)
        elif isinstance(draft, dict) and draft:
            self._all("{", [(f"{dump(key)}: ", each) for key, each in draft.items()], "}", line)
        elif isinstance(draft, list) and draft:
            self._all("[", [("", each) for each in draft], "]", line)
        else:
            self._put(dump(as_value(draft)))

    def _all(self, start: str, members: list[tuple[str, Draft]], end: str, line: str) -> None:
        self._put(start)
        inner = line + _INDENT
        for number, (key, each) in enumerate(members):
            self._put(f"{',' if number else ''}{inner}{key}")
            self.write(each, inner)
        self._put(line + end)

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self._length += len(piece)

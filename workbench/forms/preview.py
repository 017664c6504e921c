"""The value as a person reads it, with the places marked where something cannot be read yet."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from workbench.forms.reading import Draft, Unread, as_value, box_text, exchange


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
    unread: list[Unread] = []
    name = f"unread {secrets.token_hex(12)}"

    def stand_in(each: Unread) -> Draft:
        unread.append(each)
        return name

    text = box_text(as_value(exchange(draft, stand_in)))
    pieces: list[str] = []
    marks: list[Mark] = []
    end = length = 0
    for each, found in zip(unread, re.finditer(f'"{name}"', text), strict=True):
        typed = each.text or "…"
        pieces += (text[end : found.start()], typed)
        length += found.start() - end
        marks.append(Mark(length, length + len(typed), each.node_id))
        length += len(typed)
        end = found.end()
    return Preview("".join((*pieces, text[end:])), tuple(marks))

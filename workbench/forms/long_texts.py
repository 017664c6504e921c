"""Texts so long, such as a file's, that a form must not write them out anew with every key."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from workbench.base.exact_json import JsonValue, dump
from workbench.forms.reading import MAX_LEVELS, Draft, as_draft, as_value

LONG = 100_000
"""Characters from which a text is long."""
_SHOWN = 60


def shortened(draft: Draft) -> Draft:
    """`draft` to look at: of each long text its beginning and how long it is."""
    return _exchange(draft, lambda text: f"{text[:_SHOWN]}… {len(text):,} characters")


class LongTexts:
    """Writes values as JSON. A long text is encoded once for as long as it is the same object."""

    def __init__(self) -> None:
        self._encoded: dict[int, tuple[str, str]] = {}
        """By its id a text, which keeps the id its own, and what it is in JSON."""

    def dump(self, value: JsonValue) -> str:
        """`value` as exact JSON text. Raises JsonError for what is none."""
        found: list[str] = []
        mark = secrets.token_hex(12)

        def stand_in(text: str) -> str:
            found.append(text)
            return mark

        light = as_value(_exchange(as_draft(value), stand_in))
        before = self._encoded
        self._encoded = {id(text): before.get(id(text)) or (text, dump(text)) for text in found}
        first, *others = dump(light).split(f'"{mark}"')
        pieces = [first]
        for text, after in zip(found, others, strict=True):
            pieces += (self._encoded[id(text)][1], after)
        return "".join(pieces)


def _exchange(draft: Draft, stand_in: Callable[[str], str], levels: int = MAX_LEVELS + 2) -> Draft:
    if isinstance(draft, str):
        return stand_in(draft) if len(draft) >= LONG else draft
    if levels and isinstance(draft, dict):
        return {key: _exchange(each, stand_in, levels - 1) for key, each in draft.items()}
    if levels and isinstance(draft, list):
        return [_exchange(each, stand_in, levels - 1) for each in draft]
    return draft

"""What an array holds: a part for each of its first places, and one for all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from workbench.forms.parts import NOTHING, Located, Part, Parts


def item_parts(parts: Parts, part: Part) -> tuple[tuple[Part, ...], Part | None]:
    """The parts of the first places, by `prefixItems` or the older list in `items`, and that of all others.

    None for the others when there may be none.
    """
    said = [_Said(each) for each in part.located]
    length = max((len(each.first) for each in said), default=0)
    prefix = [
        parts.join([place for each in said if (place := each.place(index)) is not None])
        for index in range(length)
    ]
    # After a place that nothing can stand in there are no others.
    closed = next((index for index, each in enumerate(prefix) if _takes_nothing(each)), None)
    if closed is not None:
        return tuple(prefix[:closed]), None
    rest = parts.join([place for each in said if (place := each.place(length)) is not None])
    return tuple(prefix), None if _takes_nothing(rest) else rest


class _Said:
    """What one schema says about the items of an array."""

    def __init__(self, located: Located) -> None:
        self._located = located
        older = located.get("items")
        in_list = isinstance(older, list)
        self.first: Sequence[object] = (
            cast("list[object]", older) if in_list else located.sequence("prefixItems")
        )
        self._first_keyword, self._rest_keyword = (
            ("items", "additionalItems") if in_list else ("prefixItems", "items")
        )

    def place(self, index: int) -> tuple[object, str] | None:
        """The schema for the item at `index`, and where it stands; None when there is none."""
        if index < len(self.first):
            return self.first[index], f"{self._located.pointer}/{self._first_keyword}/{index}"
        rest = self._located.get(self._rest_keyword)
        return None if rest is None else (rest, f"{self._located.pointer}/{self._rest_keyword}")


def _takes_nothing(part: Part) -> bool:
    return NOTHING in part.notes

"""Two JSON values laid out side by side: members matched by their key, items by their content, whatever moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from workbench.app.results.alignment import align
from workbench.app.results.differences import CONTEXT, Change, LinePair, TextDifference, folded, marked
from workbench.base.exact_json import JsonValue, dump

_INDENT = "  "


class _Nothing:
    """There is no value on this side; None is one."""


_NOTHING = _Nothing()
_Side = Union[JsonValue, _Nothing]  # noqa: UP007 – a JsonValue names itself, for which `|` is not made


def compare_json(old: JsonValue, new: JsonValue, *, context: int = CONTEXT) -> TextDifference:
    """The lines of both values, each beside the one that took its place; commas are left out.

    The order of an object's keys is no difference. Raises RecursionError for values nested too deep to be laid out.
    """
    layout = _Layout()
    layout.pair("", old, new, 0)
    pairs = layout.pairs
    added = sum(1 for pair in pairs if pair.change in (Change.ADDED, Change.CHANGED))
    removed = sum(1 for pair in pairs if pair.change in (Change.REMOVED, Change.CHANGED))
    return TextDifference(tuple(folded(pairs, context)), added, removed)


def lines_of(value: JsonValue) -> list[str]:
    """The lines that one value is laid out in, as `compare_json` does it."""
    return _laid_out(value, 0)


class _Layout:
    """Collects the pairs of lines and numbers them. `lead` is what stands before a value: its indent and key."""

    def __init__(self) -> None:
        self.pairs: list[LinePair] = []
        self._old_at = 0
        self._new_at = 0

    def pair(self, lead: str, old: _Side, new: _Side, depth: int) -> None:
        if isinstance(old, _Nothing):
            self._one_side(Change.ADDED, lead, new, depth)
        elif isinstance(new, _Nothing):
            self._one_side(Change.REMOVED, lead, old, depth)
        elif dump(old) == dump(new):
            first, *rest = _laid_out(new, depth)
            for line in (lead + first, *rest):
                self._line(line, line)
        elif isinstance(old, dict) and isinstance(new, dict) and old and new:
            self._line(lead + "{", lead + "{")
            for key, before, after in _members(old, new):
                self.pair(f"{_INDENT * (depth + 1)}{dump(key)}: ", before, after, depth + 1)
            self._line(_INDENT * depth + "}", _INDENT * depth + "}")
        elif isinstance(old, list) and isinstance(new, list) and old and new:
            self._line(lead + "[", lead + "[")
            for before, after in _items(old, new):
                self.pair(_INDENT * (depth + 1), before, after, depth + 1)
            self._line(_INDENT * depth + "]", _INDENT * depth + "]")
        elif _is_short(old) and _is_short(new):
            self._line(lead + dump(old), lead + dump(new))
        else:
            self._one_side(Change.REMOVED, lead, old, depth)
            self._one_side(Change.ADDED, lead, new, depth)

    def _line(self, old: str, new: str) -> None:
        self._old_at += 1
        self._new_at += 1
        if old == new:
            self.pairs.append(LinePair(Change.SAME, self._old_at, old, self._new_at, new))
        else:
            marks = marked(old, new)
            self.pairs.append(LinePair(Change.CHANGED, self._old_at, old, self._new_at, new, *marks))

    def _one_side(self, change: Change, lead: str, value: _Side, depth: int) -> None:
        if isinstance(value, _Nothing):
            return
        first, *rest = _laid_out(value, depth)
        for text in (lead + first, *rest):
            if change is Change.REMOVED:
                self._old_at += 1
                self.pairs.append(LinePair(change, self._old_at, text))
            else:
                self._new_at += 1
                self.pairs.append(LinePair(change, new_at=self._new_at, new=text))


def _members(old: dict[str, JsonValue], new: dict[str, JsonValue]) -> Iterator[tuple[str, _Side, _Side]]:
    """Members by key in the new order, each one that went after the one that it followed."""
    gone: dict[str | None, list[str]] = {}
    last: str | None = None
    for key in old:
        if key in new:
            last = key
        else:
            gone.setdefault(last, []).append(key)
    yield from ((key, old[key], _NOTHING) for key in gone.get(None, ()))
    for key, value in new.items():
        yield key, old.get(key, _NOTHING), value
        yield from ((lost, old[lost], _NOTHING) for lost in gone.get(key, ()))


def _items(old: list[JsonValue], new: list[JsonValue]) -> Iterator[tuple[_Side, _Side]]:
    """Items that are equal beside each other; between them, those of one kind in the places of the others."""
    for _, a, b, c, d in align([dump(item) for item in old], [dump(item) for item in new]):
        both = min(b - a, d - c)
        yield from zip(old[a : a + both], new[c : c + both], strict=True)
        yield from ((item, _NOTHING) for item in old[a + both : b])
        yield from ((_NOTHING, item) for item in new[c + both : d])


def _is_short(value: JsonValue) -> bool:
    return not value or not isinstance(value, dict | list)


def _laid_out(value: JsonValue, depth: int) -> list[str]:
    """The lines of a value, the first without its indent, none with a comma at its end."""
    if _is_short(value):
        return [dump(value)]
    lines = dump(value, indent=len(_INDENT)).split("\n")
    return [lines[0], *(_INDENT * depth + line.removesuffix(",") for line in lines[1:])]

"""Walks through JSON data of any depth without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from workbench.base.json_scanner import JsonValue


def scalars(value: JsonValue) -> Iterator[JsonValue]:
    """Every text, number, true, false, null and key, in no promised order."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield from node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
        else:
            yield node


def map_scalars(value: JsonValue, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """A copy with `change` made to every scalar and key; a key that would become no text stays."""
    root: list[JsonValue] = []
    waiting: list[tuple[JsonValue, list[JsonValue]]] = [([value], root)]
    copies: list[tuple[dict[str, JsonValue], list[str], list[JsonValue]]] = []
    while waiting:
        items, copy = waiting.pop()
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                keys = [changed if isinstance(changed := change(key), str) else key for key in item]
                values: list[JsonValue] = []
                target: dict[str, JsonValue] = {}
                copies.append((target, keys, values))
                waiting.append((list(item.values()), values))
                copy.append(target)
            elif isinstance(item, list):
                inner: list[JsonValue] = []
                waiting.append((item, inner))
                copy.append(inner)
            else:
                copy.append(change(item))
    for target, keys, values in copies:
        target.update(zip(keys, values, strict=True))
    return root[0]

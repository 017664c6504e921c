"""Which keywords of JSON Schema hold schemas, and how to walk from a schema to those inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, cast

Path: TypeAlias = tuple[str | int, ...]

# fmt: off
HOLD_ONE = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})
HOLD_MAP = frozenset({
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
})
HOLD_LIST = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
KNOWN = HOLD_ONE | HOLD_MAP | HOLD_LIST | {
    "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$ref",
    "$schema", "$vocabulary", "const", "contentEncoding", "contentMediaType", "default", "dependentRequired",
    "deprecated", "description", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "id",
    "maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "nullable", "pattern", "readOnly", "required", "title", "type",
    "uniqueItems", "writeOnly",
}
# fmt: on

MAX_LEVELS = 200
"""Levels of JSON that a schema may have; the validator reads no more than 255."""


def mapping(value: object) -> Mapping[str, object]:
    """The value where it is a mapping, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def children(schema: Mapping[str, object]) -> Iterator[tuple[Path, object]]:
    """What stands where a schema belongs, directly inside `schema`, with the way to it."""
    for keyword, value in schema.items():
        if isinstance(value, Mapping):
            if keyword in HOLD_MAP:
                for name, inner in cast("Mapping[str, object]", value).items():
                    if keyword != "dependencies" or not isinstance(inner, list):
                        yield (keyword, name), inner
            elif keyword in HOLD_ONE:
                yield (keyword,), cast("Mapping[str, object]", value)
        elif isinstance(value, list) and keyword in HOLD_LIST:
            for index, inner in enumerate(cast("list[object]", value)):
                yield (keyword, index), inner
        elif isinstance(value, bool) and keyword in HOLD_ONE:
            yield (keyword,), value


def walk(schema: object) -> Iterator[tuple[Path, Mapping[str, object]]]:
    """Every schema that is a mapping, outer before inner, with the way to it. Needs no recursion."""
    waiting: list[tuple[Path, object]] = [((), schema)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, Mapping):
            mapping = cast("Mapping[str, object]", here)
            yield path, mapping
            waiting.extend([((*path, *way), inner) for way, inner in children(mapping)][::-1])


def at(root: object, path: Iterable[str | int]) -> object:
    """What lies at `path`; None when nothing does (also where a null lies)."""
    here = root
    for part in path:
        if isinstance(here, Mapping):
            here = cast("Mapping[object, object]", here).get(part)
        elif isinstance(here, list) and isinstance(part, int):
            items = cast("list[object]", here)
            here = items[part] if part < len(items) else None
        else:
            return None
    return here


def spelled_path(root: object, path: Iterable[str | int]) -> tuple[str | int, ...]:
    """The path with its keys as they stand in `root`: the validator tells a key of digits (`007`) as a number."""
    here = root
    parts: list[str | int] = []
    for part in path:
        key = part
        if isinstance(here, Mapping) and isinstance(part, int):
            keys = [name for name in cast("Mapping[str, object]", here) if name.isdecimal()]
            key = next((name for name in keys if int(name) == part), str(part))
        parts.append(key)
        here = at(cast("object", here), (key,))
    return tuple(parts)


def is_deep(value: object, levels: int) -> bool:
    """Whether JSON data has more than `levels` levels. Needs no recursion."""
    level: list[object] = [value]
    for _ in range(levels + 1):
        below: list[object] = []
        for node in level:
            if isinstance(node, dict):
                below += cast("dict[str, object]", node).values()
            elif isinstance(node, list):
                below += cast("list[object]", node)
        if not below:
            return False
        level = below
    return True

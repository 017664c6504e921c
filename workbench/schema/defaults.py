"""Fills in the defaults that a schema declares, except those that break the schema themselves."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import cast

from workbench.base.exact_json import JsonValue
from workbench.base.json_pointer import pointer
from workbench.base.json_tree import map_scalars
from workbench.domain.definitions import JsonSchema
from workbench.schema.keywords import Path, at, mapping, walk
from workbench.schema.references import resolve
from workbench.schema.repair import build_parts


def bad_defaults(schema: JsonSchema) -> Iterator[Path]:
    """The parts of a clean schema whose default does not fit them."""
    with_default = [(path, part["default"]) for path, part in walk(schema) if "default" in part]
    parts = build_parts(schema) if with_default else None
    for path, default in with_default:
        part = parts.get("#" + pointer(path)) if parts else None
        if part is not None and not part.is_valid(default):
            yield path


class Defaults:
    """The usable defaults of one clean schema."""

    def __init__(self, schema: JsonSchema) -> None:
        bad = [*bad_defaults(schema)]
        self._root = copy.deepcopy(schema) if bad else schema
        for path in bad:
            del cast("dict[str, object]", at(self._root, path))["default"]
        self._any = any("default" in part for _, part in walk(self._root))

    def fill(self, value: JsonValue) -> JsonValue:
        """A copy of `value` with the defaults of absent keys; the same object when there are none at all.

        Reaches through `properties`, `items`, `prefixItems`, `allOf` and local references, not into the
        branches of unions. A default is taken as it is written.
        """
        if not self._any:
            return value
        filled = map_scalars(value, lambda scalar: scalar)
        waiting: list[tuple[JsonValue, object]] = [(filled, self._root)]
        seen: set[tuple[int, int]] = set()  # allOf may lead in circles
        taken: set[int] = set()  # and a default may hold a place for the next
        while waiting:
            node, schema = waiting.pop()
            if id(node) in taken or not isinstance(schema, Mapping):
                continue
            if (id(node), id(cast("object", schema))) in seen:
                continue
            seen.add((id(node), id(cast("object", schema))))
            merged = resolve(cast("JsonSchema", schema), self._root)
            if isinstance(node, dict):
                properties = mapping(merged.get("properties"))
                waiting += [(node[name], part) for name, part in properties.items() if name in node]
                taken |= self._fill_object(node, properties)
            elif isinstance(node, list):
                first = _list(merged.get("prefixItems"))
                waiting += zip(node, first, strict=False)
                waiting += [(item, merged.get("items")) for item in node[len(first) :]]
            if isinstance(node, dict | list):
                waiting += [(node, part) for part in _list(merged.get("allOf"))]
        return filled

    def _fill_object(self, node: dict[str, JsonValue], properties: JsonSchema) -> set[int]:
        """Put in what is absent; the ids of what was put in."""
        taken: set[int] = set()
        for name, part in properties.items():
            if name not in node and isinstance(part, Mapping):
                merged = resolve(cast("JsonSchema", part), self._root)
                if "default" in merged:
                    node[name] = copy.deepcopy(cast("JsonValue", merged["default"]))
                    taken.add(id(node[name]))
        return taken


def fill_defaults(value: JsonValue, schema: JsonSchema) -> JsonValue:
    """`Defaults.fill` for a clean schema that is used once."""
    return Defaults(schema).fill(value)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []

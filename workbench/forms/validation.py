"""The schema's rules for the whole of the arguments and for one branch by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote

from workbench.base.exact_json import JsonValue
from workbench.domain.calls import ArgumentError
from workbench.schema import CompiledSchema, compile_schema

# The whole schema goes in under a name of its own, so that its references keep their meaning.
_WHOLE = "urn:workbench:whole-schema"


class Validation:
    """Validates against a schema and its parts; a part is compiled when it is first needed."""

    def __init__(self, schema: Mapping[str, object]) -> None:
        self.whole = compile_schema(schema)
        self._parts: dict[str, CompiledSchema] = {}

    def at(self, pointer: str, value: JsonValue) -> tuple[ArgumentError, ...]:
        """What is wrong with `value` by the part of the schema at `pointer`."""
        if pointer not in self._parts:
            root = self.whole.schema
            self._parts[pointer] = compile_schema(
                {
                    **({"$schema": root["$schema"]} if "$schema" in root else {}),
                    "$ref": f"{_WHOLE}#{quote(pointer)}",
                    "definitions": {"whole": {**root, "$id": _WHOLE}},
                }
            )
        return self._parts[pointer].validate(value)


@lru_cache(256)
def matches(pattern: str, text: str) -> bool:
    """Whether a schema's `pattern` finds something in `text`; a pattern that is none finds nothing."""
    compiled = compile_schema({"type": "string", "pattern": pattern})
    return not compiled.notes and compiled.is_valid(text)

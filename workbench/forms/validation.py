"""The schema's rules for the whole of the arguments and for one branch by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from workbench.base.exact_json import JsonValue
from workbench.domain.calls import ArgumentError
from workbench.schema import CompiledSchema, compile_schema


class Validation:
    """Validates against a schema and its parts; a part is compiled when it is first needed."""

    def __init__(self, schema: Mapping[str, object]) -> None:
        self.whole = compile_schema(schema)
        self._parts: dict[str, CompiledSchema | None] = {}

    def at(self, pointer: str, value: JsonValue) -> tuple[ArgumentError, ...]:
        """What is wrong with `value` by the part of the schema at `pointer`; nothing if that is no place in it."""
        if pointer not in self._parts:
            self._parts[pointer] = self._part(pointer)
        part = self._parts[pointer]
        return () if part is None else part.validate(value)

    def _part(self, pointer: str) -> CompiledSchema | None:
        try:
            return self.whole.part(pointer)
        except ValueError:  # a part behind an anchor, which has another name
            return None


@lru_cache(256)
def matches(pattern: str, text: str) -> bool:
    """Whether a schema's `pattern` finds something in `text`; a pattern that is none finds nothing."""
    compiled = compile_schema({"type": "string", "pattern": pattern})
    return not compiled.notes and compiled.is_valid(text)

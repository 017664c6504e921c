"""The schema's rules for the whole of the arguments and for one branch by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from urllib.parse import quote

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.domain.calls import ArgumentError
from workbench.schema import CompiledSchema, compile_schema

# The whole schema goes in under a name of its own, so that its references keep their meaning.
_WHOLE = "urn:workbench:whole-schema"


class Validation:
    """Validates against `root` and its parts; compiles each when it is first needed."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._parts: dict[str, CompiledSchema | None] = {}

    @cached_property
    def _whole(self) -> CompiledSchema | None:
        return _compiled(self._root)

    def check(self, value: JsonValue) -> tuple[ArgumentError, ...]:
        """What is wrong with the arguments; nothing where the schema is none."""
        return self._whole.validate(value) if self._whole else ()

    def at(self, pointer: str, value: JsonValue) -> tuple[ArgumentError, ...]:
        """What is wrong with `value` by the part of the schema at `pointer`."""
        if pointer not in self._parts:
            self._parts[pointer] = _compiled(
                {
                    **({"$schema": self._root["$schema"]} if "$schema" in self._root else {}),
                    "$ref": f"{_WHOLE}#{quote(pointer)}",
                    "definitions": {"whole": {**self._root, "$id": _WHOLE}},
                }
            )
        compiled = self._parts[pointer]
        return compiled.validate(value) if compiled else ()


@lru_cache(256)
def matches(pattern: str, text: str) -> bool:
    """Whether a schema's `pattern` finds something in `text`; a pattern that is none finds nothing."""
    compiled = _compiled({"type": "string", "pattern": pattern})
    return compiled is not None and not compiled.validate(text)


def _compiled(schema: Mapping[str, object]) -> CompiledSchema | None:
    try:
        return compile_schema(schema)
    except UserError:
        return None

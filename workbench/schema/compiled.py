"""A schema ready for use: checks a value exactly and lists every problem (C3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from typing import cast
from urllib.parse import quote

from workbench.base.exact_json import MAX_DEPTH, JsonError, JsonValue, dump, parse
from workbench.base.json_pointer import pointer
from workbench.base.sentences import shortened
from workbench.domain.calls import ArgumentError
from workbench.domain.definitions import JsonSchema
from workbench.schema.keywords import at, is_deep, spelled_path
from workbench.schema.notes import SchemaNote
from workbench.schema.repair import build, clean_schema
from workbench.schema.unions import explain
from workbench.schema.words import Problem

# What a part refers to the whole by. In there, pointers mean what they did, as do those of the errors.
_WHOLE = "urn:workbench:whole-schema"
_SEEN = 80
"""Characters of a value that are shown."""


def compile_schema(schema: object) -> CompiledSchema:
    """Never fails: what is wrong with the schema is left out and stands in `notes`."""
    return CompiledSchema(schema)


class CompiledSchema:
    """One schema, cleaned and compiled. Pure, without state, safe to use from any thread.

    `schema` is what is checked against, `notes` are what was left out (see `clean_schema`).
    """

    def __init__(self, schema: object) -> None:
        self.schema: JsonSchema
        self.notes: tuple[SchemaNote, ...]
        self.schema, self.notes = clean_schema(schema)
        self._validator = build(self.schema)

    def part(self, where: str) -> CompiledSchema:
        """What stands at a JSON Pointer into `schema`, to be used by itself; its references still mean the whole.

        Raises ValueError when nothing stands there.
        """
        whole = {**self.schema, "$id": _WHOLE}
        draft = {"$schema": whole["$schema"]} if "$schema" in whole else {}
        part = copy(self)
        part._validator = build(  # noqa: SLF001 -- another of this class
            {**draft, "$ref": f"{_WHOLE}#{quote(where)}", "definitions": {"whole": whole}}
        )
        return part

    def is_valid(self, value: JsonValue) -> bool:
        """Whether the value fits. Numbers are compared exactly; `false` is not 0, 1.0 is an integer."""
        try:
            return not is_deep(value, MAX_DEPTH) and self._validator.is_valid(value)
        except ValueError:  # half of a surrogate pair, which is in no JSON
            return False

    def validate(
        self, value: JsonValue, *, mask: Callable[[str], str] | None = None
    ) -> tuple[ArgumentError, ...]:
        """Every problem of the value; empty when it fits (C3).

        `path` of a problem is a JSON Pointer into the value; for what is missing, the place where it should
        be. `seen` is the value there, shortened. `mask` is applied to everything that can hold a part of the
        value: paths, words and what was seen.
        """
        if is_deep(value, MAX_DEPTH):  # the validator recurses, and too deep would end the process
            return (
                ArgumentError(path="", rule="depth", message=f"is nested more than {MAX_DEPTH} levels deep."),
            )
        try:
            if self._validator.is_valid(value):
                return ()
            problems = _said_once(explain(self._validator.iter_errors(value), self.schema))
        except ValueError:
            return (ArgumentError(path="", rule="json", message="holds half of a surrogate pair."),)
        return tuple(_argument_error(problem, value, mask or str) for problem in problems)


def _said_once(problems: Iterable[Problem]) -> Iterable[Problem]:
    """Without what is there twice, and without a pattern where the format has words: zod writes both for one rule."""
    found = dict.fromkeys(problems)
    in_words = {problem.path for problem in found if problem.rule == "format"}
    return [problem for problem in found if problem.rule != "pattern" or problem.path not in in_words]


def check_text(schema: object, text: str) -> str | None:
    """What is wrong with a variable's text by its property's schema (V5), in words without the text; None if it fits.

    A schema for a number, a boolean and the like is met by the JSON value that the text spells.
    """
    compiled = compile_schema(schema)
    readings: list[JsonValue] = [text]
    with suppress(JsonError):
        readings.append(parse(text))
    if any(compiled.is_valid(reading) for reading in readings):
        return None
    chosen = readings[-1] if "string" not in _types(compiled.schema) else text
    return " ".join(f"It {error.message}" for error in compiled.validate(chosen))


def _types(schema: JsonSchema) -> tuple[object, ...]:
    types = schema.get("type", "string")
    return tuple(cast("list[object]", types)) if isinstance(types, list) else (types,)


def _argument_error(problem: Problem, value: JsonValue, mask: Callable[[str], str]) -> ArgumentError:
    missing = problem.rule == "required"
    path = spelled_path(value, problem.path)
    return ArgumentError(
        path=pointer(mask(part) if isinstance(part, str) else part for part in path),
        rule=problem.rule,
        message=mask(problem.words),
        seen=None if missing else _shown(at(value, path), mask),
    )


def _shown(value: object, mask: Callable[[str], str]) -> str:
    """A value, shortened. A text is masked before it is cut, so that no part of a secret is left."""
    if isinstance(value, Mapping):
        keys = [*cast("Mapping[str, object]", value)]
        text = mask(f"{{{', '.join(map(dump, keys[:20]))}}}")
    elif isinstance(value, list):
        count = len(cast("list[object]", value))
        return f"[{count} item{'' if count == 1 else 's'}]" if count else "[]"
    else:
        text = dump(mask(value)) if isinstance(value, str) else mask(dump(value))
    return shortened(text, _SEEN)

"""The options of a run as a form asks for them, and as the sandbox takes them (X1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import parse
from workbench.sandbox.numbers import as_javascript
from workbench.sandbox.program import Execute, Language

_ANY: Mapping[str, object] = {"description": "Any value, as JSON"}

OPTIONS: Mapping[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "fn": {
            "type": "string",
            "minLength": 1,
            "default": "default",
            "description": "The export that is run; one that is no function is itself the result",
        },
        "args": {"type": "array", "items": _ANY, "description": "What it is called with, in order"},
        "timeLimit": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "Seconds after which the run is stopped; without it there is no limit",
        },
        "memoryLimitBytes": {
            "type": "integer",
            "minimum": 1,
            "description": "Accepted as run_code accepts it: every run has 128 MiB",
        },
        "language": {
            "enum": ["typescript", "javascript"],
            "description": "Of the file that is run; without it the suffix of its name says it",
        },
        "imports": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": _ANY},
            "description": "What can be imported by a bare name: module, export, value",
        },
        "globals": {
            "type": "object",
            "additionalProperties": _ANY,
            "description": "Names that stand in the code without an import, with their values",
        },
    },
}
"""JSON Schema of the options; the entry file and the modules are the pad's files."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`time_limit` in seconds. Without `execute` a default export may be missing."""

    execute: Execute | None = None
    time_limit: float | None = None
    memory_limit_bytes: int | None = None
    language: Language | None = None
    imports: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
    globals: Mapping[str, object] = field(default_factory=dict[str, object])


def read_options(text: str) -> RunOptions:
    """Options from JSON text that OPTIONS accepts. Raises UserError for what is no object, and UsageError for a whole
    number that JavaScript would round."""
    given = as_javascript(parse(text), "options")
    if not isinstance(given, dict):
        raise UserError("The options of a run are one JSON object.")
    options = cast("dict[str, object]", given)
    fn, args = options.get("fn"), options.get("args")
    is_named = fn is not None or args is not None
    return RunOptions(
        execute=Execute(str(fn or "default"), cast("Sequence[object]", args or ())) if is_named else None,
        time_limit=cast("float | None", options.get("timeLimit")),
        memory_limit_bytes=cast("int | None", options.get("memoryLimitBytes")),
        language=cast("Language | None", options.get("language")),
        imports=cast("Mapping[str, Mapping[str, object]]", options.get("imports") or {}),
        globals=cast("Mapping[str, object]", options.get("globals") or {}),
    )

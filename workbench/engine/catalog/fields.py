"""The fields of a tool definition as their author may write them, and words for what is wrong with one (D3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel, to_snake
from pydantic_core import ErrorDetails

from workbench.domain.definitions import Dialect, Language

SCHEMA_FIELD = {Dialect.STANDARD_AGENTS: "args", Dialect.AGENT_SDK: "inputSchema"}


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, frozen=True)


class Function(_Written):
    """A field whose value is a function; only the host can call it."""

    is_function: Literal[True] = Field(alias="$function")


class WrittenVariable(_Written):
    name: str = Field(min_length=1)
    type: Literal["text", "secret"] = "secret"
    required: bool = True
    scoped: bool = False
    description: str = ""


class ToolFields(_Written):
    """Every field but the schemas and `execute`, with its type."""

    description: str = Field(min_length=1)
    variables: list[WrittenVariable] = []
    uses: list[str] | None = None
    progress_argument: str | None = None
    annotations: dict[str, object] = {}
    execution_mode: Literal["local", "provider"] = "local"
    execution_provider: str | None = None
    effect: Literal["read", "write", "idempotent"] | Function | None = None
    dry_run_result: object = None
    time_args: list[str] | None = None
    needs_approval: bool | Function = False
    execution: Literal["server", "agent"] = "server"
    script: str | None = None


_NAMES = frozenset(to_camel(name) for name in ToolFields.model_fields)


def spelled(name: str, language: Language) -> str:
    """A field's name as the author of this language writes it."""
    return to_snake(name) if language is Language.PYTHON else name


def read_fields(raw: Mapping[str, object], language: Language) -> tuple[ToolFields | None, list[str]]:
    """The fields, or None and what is wrong with each."""
    problems = list(_foreign_values(raw, language))
    try:
        fields = ToolFields.model_validate(raw, by_name=False)
    except ValidationError as error:
        problems += [_words(item, language) for item in _first_per_field(error)]
        return None, problems
    return (fields, []) if not problems else (None, problems)


def _first_per_field(error: ValidationError) -> Iterator[ErrorDetails]:
    seen: set[object] = set()
    for item in error.errors():
        top = item["loc"][0] if item["loc"] else ""
        if top not in seen:
            seen.add(top)
            yield item


def _words(item: ErrorDetails, language: Language) -> str:
    location = [part for part in item["loc"] if part != "Function"]
    name = spelled(str(location[0]), language) if location else "the definition"
    inner = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location[1:])
    if item["type"] == "extra_forbidden" and len(location) == 1:
        near = get_close_matches(str(location[0]), _NAMES, n=1)
        hint = f" Did you mean {spelled(near[0], language)}?" if near else ""
        return f"A tool has no field {name}.{hint}"
    if item["type"] == "missing":
        return f"The field {name}{inner} is required."
    return f"The field {name}{inner} is not what it must be: {item['msg'][:1].lower()}{item['msg'][1:]}."


def _foreign_values(raw: Mapping[str, object], language: Language) -> Iterator[str]:
    """Values that are no JSON, wherever they stand in a field."""
    for name, value in raw.items():
        kind = _not_json(value)
        if kind is not None:
            yield f"The field {spelled(name, language)} holds a {kind}, which is no JSON value."


def _not_json(value: object) -> str | None:
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            mapping = cast(dict[str, object], current)
            if isinstance(mapping.get("$notJson"), str):
                return str(mapping["$notJson"])
            waiting += mapping.values()
        elif isinstance(current, list):
            waiting += cast(list[object], current)
    return None

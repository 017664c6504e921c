"""The fields of a definition as their author may write them, and words for what is wrong with one (D3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel, to_snake
from pydantic_core import ErrorDetails

from workbench.domain.definitions import Language


class Written(BaseModel):
    """Fields under their names on the wire; in a mapping of the author's own, also as Python spells them."""

    model_config = ConfigDict(
        extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=True, frozen=True
    )


class Function(Written):
    """A field whose value is a function; only the host can call it."""

    is_function: Literal[True] = Field(alias="$function")


class WrittenVariable(Written):
    name: str = Field(min_length=1)
    type: Literal["text", "secret"] = "secret"
    required: bool = True
    scoped: bool = False
    description: str = ""


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value or []


OneOrMore = Annotated[list[str], BeforeValidator(_as_list)]
"""One name, or a list of them; None is none."""

_Fields = TypeVar("_Fields", bound=Written)


def spelled(name: str, language: Language) -> str:
    """A field's name as the author of this language writes it."""
    return to_snake(name) if language is Language.PYTHON and _IS_WORD.fullmatch(name) else name


def as_code(python: str, language: Language) -> str:
    """What to write, given in Python: fields, classes and True become those of an object in the other languages."""
    if language is Language.PYTHON:
        return python
    fields = re.sub(r"\b([a-z][a-z_]*)=", lambda found: f"{to_camel(found[1])}: ", python)
    objects = re.sub(r"\b[A-Z]\w*\(", "{ ", fields.replace("HumanSide()", "{ human: true }"))
    return objects.replace(")", " }").replace("True", "true")


def on_the_wire(name: str) -> str:
    """A field's name as both languages share it, however its author spells it."""
    return to_camel(name.rstrip("_"))


_IS_WORD = re.compile(r"[a-z][A-Za-z0-9]*")


def read_fields(
    raw: Mapping[str, object], shape: type[_Fields], language: Language, what: str = ""
) -> tuple[_Fields | None, list[str]]:
    """The fields, or None and what is wrong with each; `what` names the mapping within a definition."""
    problems = list(_foreign_values(raw, language))
    try:
        fields = shape.model_validate(raw)
    except ValidationError as error:
        problems += [_words(item, shape, language, what) for item in _first_per_field(error)]
        return None, problems
    return (fields, []) if not problems else (None, problems)


def _first_per_field(error: ValidationError) -> Iterator[ErrorDetails]:
    seen: set[object] = set()
    for item in error.errors():
        top = item["loc"][0] if item["loc"] else ""
        if top not in seen:
            seen.add(top)
            yield item


def _words(item: ErrorDetails, shape: type[Written], language: Language, what: str) -> str:
    location = [spelled(part, language) if isinstance(part, str) else part for part in item["loc"]]
    location = [part for part in location if part not in _UNION_MEMBERS]
    first = "".join(str(part) for part in location[:1])
    inner = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location[1:])
    owner = f"{what}." if what else ""
    if item["type"] == "extra_forbidden" and len(location) == 1:
        names = [spelled(to_camel(name), language) for name in shape.model_fields]
        near = get_close_matches(first, names, n=1)
        has = f" It has {', '.join(names)}." if what else ""
        hint = f" Did you mean {near[0]}?" if near else has
        return f"{what or _NOUNS.get(shape.__name__, 'A definition')} has no field {first}.{hint}"
    if item["type"] == "missing":
        return f"The field {owner}{first}{inner} is required."
    if not location:
        return f"{what or 'The definition'} is not what it must be: {_lower(item['msg'])}."
    return f"The field {owner}{first}{inner} is not what it must be: {_lower(item['msg'])}."


_UNION_MEMBERS = frozenset({"Function", "str", "bool"})
_NOUNS = {
    "ToolFields": "A tool",
    "PromptFields": "A prompt",
    "AgentFields": "An agent",
    "ModelFields": "A model",
    "HookFields": "A hook",
    "HandlerFields": "A handler",
    "EffectFields": "An effect",
}


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


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

"""Puts what the validator found into words: what the value must be, said so that a person and a model can act."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

from workbench.base.exact_json import JsonError, dump
from workbench.base.sentences import shortened
from workbench.domain.definitions import JsonSchema
from workbench.schema.keywords import Path, at

_LISTED = 12
_LONGEST_NAME = 60  # comparing takes the product of the lengths

TYPES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "null": "null",
    "array": "an array",
    "object": "an object",
}
_FORMATS = {
    "date": "a date such as 2026-02-28",
    "date-time": "a date and time with zone such as 2026-02-28T10:00:00Z",
    "time": "a time with zone such as 10:00:00Z",
    "duration": "a duration such as PT1H30M",
    "email": "an e-mail address",
    "uri": "a URI with its scheme, such as https://example.org/page",
    "uuid": "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "an IPv4 address such as 192.0.2.1",
    "ipv6": "an IPv6 address such as 2001:db8::1",
    "hostname": "a host name",
    "regex": "a regular expression",
    "json-pointer": "a JSON Pointer such as /a/0",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: where in the value, by which keyword, in words that go on from the place's name."""

    path: Path
    rule: str
    words: str


def problems_of(error: ValidationError, schema: JsonSchema) -> list[Problem]:
    """What an error says, unions aside: mostly one problem, one for each property that is too many."""
    path: Path = tuple(error.instance_path)
    kind = error.kind
    if isinstance(kind, Kind.Required):
        return [Problem((*path, kind.property), "required", "is required, but missing.")]
    if isinstance(kind, Kind.AdditionalProperties | Kind.UnevaluatedProperties):
        known = _known_names(schema, error)
        words = _unknown if len(kind.unexpected) <= _LISTED else _unknown_among_many
        return [Problem((*path, name), kind.name, words(name, known)) for name in kind.unexpected]
    if isinstance(kind, Kind.PropertyNames):
        name = str(cast("object", kind.error.instance))
        inner = problems_of(kind.error, schema)[0].words
        return [Problem((*path, name), kind.name, f"has a name that is not allowed: it {inner}")]
    describe = _DESCRIBE.get(type(kind), _as_given)
    return [Problem(path, kind.name, describe(error, _keyword_value(schema, error)))]


def one_of(values: Iterable[object]) -> str:
    """`"a", "b" or null`, cut when there are many."""
    texts = list(dict.fromkeys(map(written, values)))
    if len(texts) > _LISTED:
        texts = [*texts[:_LISTED], f"one of {len(texts) - _LISTED} more"]
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def types_in_words(types: Iterable[str]) -> str:
    """`a string, a number or null`."""
    words = [TYPES.get(each, each) for each in types]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def type_of(value: object) -> str:
    """The JSON type of a value, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case Mapping():
            return "an object"
        case list():
            return "an array"
        case _:
            return "a number"


def written(value: object) -> str:
    """A value of the schema as JSON text, cut when long."""
    try:
        text = dump(value)
    except JsonError:
        text = str(value)
    return shortened(text, 60)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names the nearest of the known words, or nothing."""
    if len(word) > _LONGEST_NAME:
        return ""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean {written(near[0])}?" if near else ""


def _unknown(name: str, known: Sequence[str]) -> str:
    if not known:
        return "is not known here; nothing is."
    if meant := did_you_mean(name, known):
        return f"is not known here.{meant}"
    return f"is not known here; known are {', '.join(known[:_LISTED])}{' and more' if len(known) > _LISTED else ''}."


def _unknown_among_many(_: str, known: Sequence[str]) -> str:
    return "is not known here." if known else _unknown("", known)


def _known_names(schema: JsonSchema, error: ValidationError) -> list[str]:
    holder = at(schema, error.schema_path[:-1])
    properties = (
        cast("Mapping[str, object]", holder).get("properties") if isinstance(holder, Mapping) else None
    )
    return [*cast("Mapping[str, object]", properties)] if isinstance(properties, Mapping) else []


def _keyword_value(schema: JsonSchema, error: ValidationError) -> object:
    """What the schema says under the keyword, exact where the validator's own copy may be rounded."""
    return at(schema, error.schema_path)


def _plural(number: object, noun: str) -> str:
    return f"{written(number)} {noun}" + ("" if number == 1 else "s")


Describe = Callable[[Any, object], str]


def _limit(text: str) -> Describe:
    def describe(error: Any, limit: object) -> str:
        if limit is None or isinstance(limit, bool):  # in draft-04 a boolean makes another keyword exclusive
            limit = error.kind.limit
        return f"must be {text} {written(limit)}."

    return describe


def _size(text: str, noun: str) -> Describe:
    return lambda error, _: f"must have {text} {_plural(error.kind.limit, noun)}."


def _min_length(error: Any, _: object) -> str:
    return "must not be empty." if error.kind.limit == 1 else _size("at least", "character")(error, _)


def _type(error: Any, _: object) -> str:
    if type_of(error.instance) == TYPES["number"] and "integer" in error.kind.types:
        return f"must be {types_in_words(error.kind.types)}, without a fraction."
    return f"must be {types_in_words(error.kind.types)}, not {type_of(error.instance)}."


def _enum(error: Any, options: object) -> str:
    values = cast("list[object]", options if isinstance(options, list) else error.kind.options)
    if not values:
        return "is not allowed here: there is no value to choose."
    texts = [value for value in values if isinstance(value, str)]
    meant = did_you_mean(error.instance, texts) if isinstance(error.instance, str) else ""
    return f"must be {one_of(values)}.{meant}"


def _format(error: Any, _: object) -> str:
    name: str = error.kind.format
    return f"must be {_FORMATS.get(name, f'a valid {name}')}."


def _unique(error: Any, _: object) -> str:
    return "must not hold the same item twice."


def _too_many(error: Any, _: object) -> str:
    return "has more items than are allowed."


def _as_given(error: Any, _: object) -> str:
    """For what has no words of ours; the validator's own may quote the value, so only the keyword is named."""
    return f"breaks the rule {error.kind.name}."


_DESCRIBE: dict[type[Kind], Describe] = {
    Kind.Type: _type,
    Kind.Enum: _enum,
    Kind.Constant: lambda error, value: (
        f"must be {written(error.kind.expected_value if value is None else value)}."
    ),
    Kind.Minimum: _limit("at least"),
    Kind.Maximum: _limit("at most"),
    Kind.ExclusiveMinimum: _limit("more than"),
    Kind.ExclusiveMaximum: _limit("less than"),
    Kind.MultipleOf: lambda error, step: f"must be a multiple of {written(step or error.kind.multiple_of)}.",
    Kind.MinLength: _min_length,
    Kind.MaxLength: _size("at most", "character"),
    Kind.MinItems: _size("at least", "item"),
    Kind.MaxItems: _size("at most", "item"),
    Kind.MinProperties: _size("at least", "key"),
    Kind.MaxProperties: _size("at most", "key"),
    Kind.Pattern: lambda error, _: f"must match the pattern {error.kind.pattern}",
    Kind.BacktrackLimitExceeded: lambda error, pattern: (
        f"cannot be checked: its pattern {pattern} takes too long on it."
    ),
    Kind.RegexEngineFailure: lambda error, pattern: f"cannot be checked: its pattern {pattern} fails on it.",
    Kind.Format: _format,
    Kind.UniqueItems: _unique,
    Kind.AdditionalItems: _too_many,
    Kind.UnevaluatedItems: _too_many,
    Kind.Contains: lambda error, _: "lacks an item of the kind that it must hold.",
    Kind.FalseSchema: lambda error, _: "is not allowed here.",
    Kind.Not: lambda error, value: f"must not be what the rule not forbids: {written(value)}",
    Kind.ContentEncoding: lambda error, _: f"must be text in the encoding {error.kind.content_encoding}.",
    Kind.ContentMediaType: lambda error, _: f"must be text of the type {error.kind.content_media_type}.",
}

"""Text as typed and what it reads as: a value, nothing, or something that cannot be read yet and says why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Final, TypeAlias, cast

from workbench.base.exact_json import JsonError, JsonValue, dump, parse


class Absent(Enum):
    """The type of `ABSENT`: no value at all, which is not null and is not sent."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Unread:
    """What stands where a value cannot be read yet.

    `text` is what was typed, `words` completes the sentence "<field> …", `help` says how to write it.
    """

    node_id: int
    text: str
    words: str
    help: str


Draft: TypeAlias = "bool | int | Decimal | float | str | Unread | list[Draft] | dict[str, Draft] | None"
"""A JSON value in which some places may be `Unread`."""
Reading: TypeAlias = "Draft | Absent"


class State(StrEnum):
    """What a field holds. `NOT_SET` is not sent; `NOT_READ` blocks sending."""

    NOT_SET = "not set"
    NULL = "null"
    EMPTY = "empty"
    VALUE = "value"
    NOT_READ = "not read"


def state_of(reading: Reading) -> State:
    """The state that a reading stands for."""
    if isinstance(reading, Absent):
        return State.NOT_SET
    if isinstance(reading, Unread):
        return State.NOT_READ
    if reading is None:
        return State.NULL
    return State.EMPTY if reading in ("", [], {}) else State.VALUE


# ASCII digits only: the JSON grammar, not what Python would take for a number.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

_ZEROS_IN_FRONT = re.compile(r"^(-?)0+(?=[0-9])")


def read_number(text: str, node_id: int) -> Reading:
    """The number that `text` is, exact at any size; spaces around it do not count."""
    return _number(text, node_id, "Digits with one point, such as 12.50.")


def read_integer(text: str, node_id: int) -> Reading:
    """`read_number`, with other words; a fraction is read, too, and left to the schema to refuse."""
    return _number(text, node_id, "Digits only, such as 12.")


def _number(text: str, node_id: int, how: str) -> Reading:
    if not text:
        return ABSENT
    if _NUMBER.fullmatch(digits := text.strip()):
        try:
            return as_draft(parse(digits))
        except JsonError as error:
            return Unread(node_id, text, "is a number too large to send", error.message)
    if _NUMBER.fullmatch(plain := _ZEROS_IN_FRONT.sub(r"\1", digits)):
        return Unread(node_id, text, "has zeros in front", f"Without them: {plain}. Kept as typed.")
    return Unread(node_id, text, "is not a number", f"{how} Kept as typed.")


def read_json(text: str, node_id: int) -> Reading:
    """The JSON value that `text` is; blank text is no value."""
    if not text.strip():
        return ABSENT
    try:
        return as_draft(parse(text))
    except JsonError as error:
        return Unread(node_id, text, "is not JSON yet", f"{error.message}. Kept as typed.")


MAX_LEVELS = 32
"""Fields nested deeper are JSON boxes: nobody can follow a form that deep."""


def exchange(draft: Draft, stand_in: Callable[[Unread], Draft], levels: int = MAX_LEVELS + 2) -> Draft:
    """`draft` with something else in each unread place.

    Those are where fields are, so what lies deeper is not looked into: it is JSON of any depth.
    """
    if isinstance(draft, Unread):
        return stand_in(draft)
    if levels and isinstance(draft, dict):
        return {key: exchange(each, stand_in, levels - 1) for key, each in draft.items()}
    if levels and isinstance(draft, list):
        return [exchange(each, stand_in, levels - 1) for each in draft]
    return draft


def unread_in(reading: Reading) -> list[Unread]:
    """All that cannot be read yet, in order."""
    found: list[Unread] = []
    if not isinstance(reading, Absent):
        exchange(reading, found.append)
    return found


def readable(draft: Draft, levels: int = MAX_LEVELS + 2) -> Draft:
    """`draft` without the fields and items that cannot be read yet."""
    if levels and isinstance(draft, dict):
        kept = {key: each for key, each in draft.items() if not isinstance(each, Unread)}
        return {key: readable(each, levels - 1) for key, each in kept.items()}
    if levels and isinstance(draft, list):
        return [readable(each, levels - 1) for each in draft if not isinstance(each, Unread)]
    return draft


def exact(value: object) -> JsonValue | Absent:
    """A part of a schema as a value with exact numbers; ABSENT for what is no JSON."""
    try:
        return parse(dump(value))
    except JsonError:
        return ABSENT


def as_draft(value: JsonValue) -> Draft:
    """A JSON value is a draft without unread places; only the type checker needs to be told."""
    return cast("Draft", value)


def as_value(draft: Draft) -> JsonValue:
    """The other way round, for a draft that is known to hold nothing unread."""
    return cast("JsonValue", draft)


# What a text control drops, changes or cannot show: control characters, other line ends, marks that Qt's
# documents use for themselves.
_UNTYPEABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufff9-\uffff]")


def is_typeable(text: str) -> bool:
    """Whether a text control can hold `text` without changing it."""
    return not _UNTYPEABLE.search(text)


def box_text(value: JsonValue) -> str:
    """`value` as JSON text for a JSON box, which holds nothing that a text control would change."""
    try:
        text = dump(value, indent=2)
    except JsonError:  # too deep to be indented
        text = dump(value)
    if (
        text.isascii() and "\x7f" not in text
    ):  # as a large file in base64 is; what is below a blank is escaped
        return text
    return _UNTYPEABLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def json_key(value: JsonValue) -> Hashable:
    """Equal for what is the same JSON value, and only for that: 1 is 1.0, but false is not 0."""
    if isinstance(value, list):
        return "list", tuple(map(json_key, value))
    if isinstance(value, dict):
        return "dict", frozenset((key, json_key(each)) for key, each in value.items())
    return isinstance(value, bool), value


def fits_types(value: JsonValue, types: Iterable[str]) -> bool:
    """Whether `value` is of one of the JSON types."""
    return any(_fits(value, each) for each in types)


def _fits(value: JsonValue, type: str) -> bool:
    match type:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            if isinstance(value, bool | str | list | dict | None):
                return False
            return (
                type == "number"
                or isinstance(value, int)
                or Decimal(value) == Decimal(value).to_integral_value()
            )

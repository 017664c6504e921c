"""Short words for what a schema asks for: the type column, the labels of choices and of branches."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from workbench.base.exact_json import JsonValue, dump
from workbench.forms.parts import Part

Number = int | float | Decimal

_FORMATS = {
    "date": "date",
    "date-time": "date and time",
    "time": "time",
    "uri": "web address",
    "url": "web address",
    "email": "email",
    "uuid": "UUID",
    "regex": "regular expression",
}
PLACEHOLDERS = {
    "date": "yyyy-mm-dd",
    "date-time": "yyyy-mm-ddThh:mm:ssZ",
    "time": "hh:mm:ssZ",
    "uri": "https://",
    "url": "https://",
    "email": "name@example.com",
    "uuid": "8-4-4-4-12 hex digits",
}
_PLACES_NAMED = 3


def text_words(part: Part) -> str:
    """`string`, `date and time`, `string, up to 280 characters`."""
    words = _FORMATS.get(part.text("format"), "string")
    least, most = _largest(part, "minLength"), _smallest(part, "maxLength")
    if least is not None and most is not None:
        return f"{words}, {show(least)} to {show(most)} characters"
    if most is not None:
        return f"{words}, up to {show(most)} characters"
    if least is not None:
        return f"{words}, {show(least)} or more characters" if least > 1 else f"{words}, not empty"
    return words


def number_words(part: Part, noun: str) -> str:
    """`integer`, `number, 0.01 or more`, `integer, 0 to 10`."""
    least, most = _largest(part, "minimum"), _smallest(part, "maximum")
    above, below = _largest(part, "exclusiveMinimum"), _smallest(part, "exclusiveMaximum")
    low = f"more than {show(above)}" if above is not None else ""
    high = f"less than {show(below)}" if below is not None else ""
    if least is not None and most is not None and not low and not high:
        return f"{noun}, {show(least)} to {show(most)}"
    low = low or (f"{show(least)} or more" if least is not None else "")
    high = high or (f"at most {show(most)}" if most is not None else "")
    return ", ".join(filter(None, (noun, low, high)))


def list_words(part: Part, noun: str) -> str:
    """`array of string`, `array of 1 to 20`."""
    least, most = _largest(part, "minItems"), _smallest(part, "maxItems")
    if least is not None and most is not None:
        return f"array of {show(least)} to {show(most)}" if least != most else f"array of {show(least)}"
    if most is not None:
        return f"array of at most {show(most)}"
    if least is not None and least > 0:
        return f"array of {show(least)} or more"
    return f"array of {noun}" if noun else "array"


def tuple_words(nouns: Sequence[str], *, open_ended: bool) -> str:
    """`array: number, number`, `array: string, integer and more`, `array of 5 places`."""
    more = " and more" if open_ended else ""
    if len(nouns) > _PLACES_NAMED:
        return f"array of {len(nouns)} places{more}"
    return f"array: {', '.join(nouns)}{more}"


def file_words(media_type: str) -> str:
    """`file`, `file, image/png`."""
    return f"file, {media_type}" if media_type else "file"


def choice_words(values: Sequence[JsonValue], labels: Sequence[str]) -> str:
    """`choice of 5`, `choice of 2 or null`, `always email`."""
    if len(values) == 1:
        return f"always {labels[0]}" if values[0] is not None else "null"
    if None in values:
        others = len(values) - 1
        return (
            f"choice of {others} or null"
            if others > 1
            else f"{labels[0 if values[0] is not None else 1]} or null"
        )
    return f"choice of {len(values)}"


def choice_labels(values: Sequence[JsonValue]) -> list[str]:
    """A label for each member that no other member could be taken for: text bare where that is plain."""
    taken = {dump(value) for value in values if not isinstance(value, str)}
    return [
        value
        if isinstance(value, str) and value.strip() == value != "" and value not in taken
        else dump(value)
        for value in values
    ]


def show(number: Number) -> str:
    """A number as a person writes it."""
    if isinstance(number, float) and number.is_integer():
        return str(int(number))
    return str(number)


def _numbers(part: Part, keyword: str) -> list[Number]:
    return [
        each
        for each in part.all(keyword)
        if isinstance(each, int | float | Decimal) and not isinstance(each, bool)
    ]


def _largest(part: Part, keyword: str) -> Number | None:
    return max(_numbers(part, keyword), default=None)


def _smallest(part: Part, keyword: str) -> Number | None:
    return min(_numbers(part, keyword), default=None)

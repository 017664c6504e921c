"""Choices: what `enum` and `const` leave to choose from, also where a union of them says it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from workbench.base.exact_json import JsonValue
from workbench.forms import words
from workbench.forms.parts import Part
from workbench.forms.reading import exact, fits_types, json_key
from workbench.forms.shapes import Choice, Kind, Shape
from workbench.forms.unions import Union


def choice_of(common: Shape, values: list[JsonValue]) -> Shape:
    """`common` as a choice of `values`."""
    labels = words.choice_labels(values)
    return replace(
        common,
        kind=Kind.CHOICE,
        choices=tuple(map(Choice, values, labels)),
        nullable=None in values,
        words=words.choice_words(values, labels),
    )


def fused_choice(common: Shape, union: Union) -> Shape:
    """A union of choices is one choice; a branch with a title and one member lends it its title."""
    allowed = members_of(common.part)
    open_to = None if allowed is None else {json_key(value) for value in allowed}
    taken = set[Hashable]()
    values: list[JsonValue] = []
    titles: dict[int, str] = {}
    for option in union.options:
        members = members_of(option.part) or []
        for value in members:
            key = json_key(value)
            if key in taken or (open_to is not None and key not in open_to):
                continue
            taken.add(key)
            if len(members) == 1 and (title := option.part.text("title")):
                titles[len(values)] = title
            values.append(value)
    if union.nullable and None not in values:
        values.append(None)
    shape = choice_of(common, values)
    if len(set(titles.values())) < len(titles):
        return shape
    return replace(
        shape,
        choices=tuple(
            Choice(each.value, titles.get(at, each.label)) for at, each in enumerate(shape.choices)
        ),
    )


def members_of(part: Part) -> list[JsonValue] | None:
    """The members that `enum` and `const` leave, or None when neither is said."""
    found: list[JsonValue] | None = None
    for each in part.located:
        for members in (each.get("enum"), [each.schema["const"]] if each.says("const") else None):
            values = None if members is None else exact(members)
            if isinstance(values, list):
                keys = {json_key(value) for value in values}
                found = values if found is None else [value for value in found if json_key(value) in keys]
    if not found:
        return None
    types = part.types
    fitting = [value for value in found if types is None or fits_types(value, types)]
    return fitting or found

"""The fields of an object: those that always hold, and those that the schema names under a condition only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast
from urllib.parse import quote

from workbench.base.json_pointer import pointer
from workbench.forms.parts import Located, Part, Parts
from workbench.forms.shapes import Member
from workbench.forms.validation import matches

IN_SOME_CASES = "The schema names this field for some cases only."
_STEM = re.compile(r"\^([\w-]+)")
_DEEPEST = 4
"""Conditions inside of conditions that are looked into."""

_Places = dict[str, list[tuple[object, str]]]


def members(parts: Parts, part: Part) -> tuple[Member, ...]:
    """The named fields of an object, in the order in which the schema names them."""
    places = _named(part)
    required = [name for each in part.located for name in _texts(each.sequence("required"))]
    found = {name: Member(name, parts.join(each), name in required) for name, each in places.items()}
    for name in required:
        if name not in found:
            found[name] = Member(name, entry_part(parts, part, name), required=True)
    for name, each in _named_in_cases(parts, part).items():
        if name not in found:
            found[name] = Member(name, _in_some_cases(parts, part, name, each), required=False)
    return tuple(found.values())


def entry_part(parts: Parts, part: Part, name: str | None) -> Part:
    """What holds for the value of a key that is no member; for no key in particular when `name` is None."""
    places: list[tuple[object, str]] = []
    for each in part.located:
        matched = False
        for pattern, schema in each.mapping("patternProperties").items():
            if name is None or matches(pattern, name):
                matched = True
                places.append((schema, each.pointer + pointer(("patternProperties", pattern))))
        others = each.get("additionalProperties")
        if not matched and isinstance(others, Mapping):
            places.append((cast("object", others), f"{each.pointer}/additionalProperties"))
    return parts.join(places)


def key_stem(part: Part) -> str:
    """What a new key begins with: where only patterned keys are taken, what the first pattern begins with."""
    if any(each is False for each in part.all("additionalProperties")):
        patterns = [pattern for each in part.located for pattern in each.mapping("patternProperties")]
        for pattern in patterns:
            found = _STEM.match(pattern)
            if found and matches(pattern, f"{found[1]}1"):
                return found[1]
    return "key"


def _named(part: Part) -> _Places:
    places: _Places = {}
    for each in part.located:
        for name, schema in each.mapping("properties").items():
            places.setdefault(name, []).append((schema, each.pointer + pointer(("properties", name))))
    return places


def _named_in_cases(parts: Parts, part: Part, depth: int = 0) -> _Places:
    """The names behind `then`, `else`, `dependentSchemas` and rules that need no choosing; no place: any value."""
    found: _Places = {}
    for located in part.located:
        for schema, where in _cases(located):
            case = parts.at(schema, where)
            for name, places in _named(case).items():
                found.setdefault(name, []).extend(places)
            for each in case.located:
                for name in _texts(each.sequence("required")):
                    found.setdefault(name, [])
            if depth < _DEEPEST:
                for name, places in _named_in_cases(parts, case, depth + 1).items():
                    found.setdefault(name, []).extend(places)
        for keyword in ("dependentRequired", "dependencies"):
            for name, others in located.mapping(keyword).items():
                for each in (name, *_texts(others)):
                    found.setdefault(each, [])
    return found


def _cases(located: Located) -> Iterator[tuple[object, str]]:
    for keyword in ("then", "else"):
        if located.mapping(keyword):
            yield located.get(keyword), f"{located.pointer}/{keyword}"
    for keyword in ("dependentSchemas", "dependencies"):
        for name, schema in located.mapping(keyword).items():
            if isinstance(schema, Mapping):
                yield cast("object", schema), located.pointer + pointer((keyword, name))
    for keyword in ("anyOf", "oneOf"):
        for index, schema in enumerate(located.sequence(keyword)):
            yield schema, f"{located.pointer}/{keyword}/{index}"


def _in_some_cases(parts: Parts, part: Part, name: str, places: list[tuple[object, str]]) -> Part:
    """The part of a field that some cases name: what they all say, or one of what they say apart."""
    distinct = [place for at, place in enumerate(places) if place[0] not in [each[0] for each in places[:at]]]
    if not distinct:
        found = entry_part(parts, part, name)
    elif len(distinct) == 1:
        found = parts.join(distinct)
    else:
        ways = [{"$ref": f"#{quote(where)}"} for _, where in distinct]
        found = parts.at({"anyOf": ways}, f"cases {distinct[0][1]}")
    return Part(found.located, (*found.notes, IN_SOME_CASES))


def _texts(values: object) -> list[str]:
    if not isinstance(values, list | tuple):
        return []
    return [each for each in cast("list[object]", values) if isinstance(each, str)]

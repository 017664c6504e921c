"""Finds the union that a person has to choose a branch of, and tells it from unions that are only rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from workbench.forms.parts import Located, Part, Parts

# A branch that says none of these changes no field: it is a rule, such as "one of these two is required".
_STRUCTURE = (
    "$ref", "type", "properties", "items", "prefixItems", "enum", "const",
    "additionalProperties", "patternProperties", "anyOf", "oneOf",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Option:
    """One branch that is more than null: where it stands in the union, and what it says by itself."""

    index: int
    part: Part


@dataclass(frozen=True, slots=True)
class Union:
    """The branches of `keyword` (`oneOf` or `anyOf`) of `holder`; null is told apart from the other options."""

    holder: Located
    keyword: str
    options: tuple[Option, ...]
    nullable: bool

    @property
    def all_choices(self) -> bool:
        return all(option.part.has("enum") or option.part.has("const") for option in self.options)

    def labels(self, parts: Parts, noun: Callable[[Parts, Part], str]) -> list[str]:
        """Distinct labels: what the discriminator says, else titles, else what kind of value it is."""
        named = self._by_discriminator()
        labels = [
            named.get(number)
            or option.part.text("title")
            or _kind_label(option.part, noun(parts, option.part))
            for number, option in enumerate(self.options)
        ]
        seen: dict[str, int] = {}
        for label in labels:
            seen[label] = seen.get(label, 0) + 1
        return [
            label if seen[label] == 1 else f"{label} {number}" for number, label in enumerate(labels, start=1)
        ]

    def _by_discriminator(self) -> dict[int, str]:
        """For each branch with properties the value of the one that is a constant text in all, another in each."""
        constants = {
            number: _constants(option.part)
            for number, option in enumerate(self.options)
            if option.part.has("properties")
        }
        for name in next(iter(constants.values())) if constants else ():
            values = {number: each.get(name, "") for number, each in constants.items()}
            if all(values.values()) and len(set(values.values())) == len(values):
                return values
        return {}


def find_union(parts: Parts, part: Part) -> Union | None:
    """The first union of `part` that needs a branch to be chosen, or that null can be split off from."""
    for holder in part.located:
        for keyword in ("oneOf", "anyOf"):
            union = _union(parts, holder, keyword)
            if union is not None and any(_shapes_fields(option, part) for option in union.options):
                return union
            if union is not None and union.nullable and not union.options:
                return union
    return None


def _union(parts: Parts, holder: Located, keyword: str) -> Union | None:
    options: list[Option] = []
    nullable = False
    for index, schema in enumerate(holder.sequence(keyword)):
        if schema is False:
            continue
        part = parts.at(schema, f"{holder.pointer}/{keyword}/{index}")
        if _is_null(part):
            nullable = True
        else:
            options.append(Option(index, part))
    return Union(holder, keyword, tuple(options), nullable) if options or nullable else None


def _is_null(part: Part) -> bool:
    is_constant = part.has("const") and part.first("const") is None
    return is_constant or part.types == frozenset(["null"]) or part.first("enum") == [None]


def _shapes_fields(option: Option, whole: Part) -> bool:
    said = {keyword for keyword in _STRUCTURE if option.part.has(keyword)} - {"$ref"}
    if said == {"type"}:
        outer = whole.types
        return outer is None or option.part.types != outer
    return bool(said)


def _constants(part: Part) -> dict[str, str]:
    """The properties of `part` that can hold one text only."""
    found: dict[str, str] = {}
    for located in part.located:
        for name, schema in located.mapping("properties").items():
            if isinstance(schema, dict):
                each = Located("", cast("dict[str, object]", schema))
                members = each.sequence("enum")
                value = each.get("const") or (members[0] if len(members) == 1 else None)
                if isinstance(value, str):
                    found[name] = value
    return found


def _kind_label(part: Part, noun: str) -> str:
    """`string`, `object with url`: an object by what it requires."""
    required = [name for each in part.located for name in each.sequence("required") if isinstance(name, str)]
    return f"{noun} with {', '.join(required[:2])}" if noun == "object" and required else noun or "any JSON"

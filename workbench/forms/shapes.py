"""What a part of a schema becomes in a form: which kind of field, with which choices, members or branches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.base.exact_json import JsonValue
from workbench.forms.parts import Part
from workbench.forms.reading import ABSENT, Absent


class Kind(StrEnum):
    """The kinds of field."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    LIST = "list"
    GROUP = "group"
    """An object with named fields."""
    MAP = "map"
    """An object whose keys the person writes."""
    UNION = "union"
    FILE = "file"
    """Bytes as base64 text, picked from a file."""
    JSON = "json"
    """Whatever no other kind can hold: JSON as text, read as it is typed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One member of a choice; `label` is distinct among the members."""

    value: JsonValue
    label: str


@dataclass(frozen=True, slots=True)
class Member:
    """One named field of a group."""

    name: str
    part: Part
    required: bool


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a union. `pointer` is its own schema, or "" when the branch is just one JSON `type`."""

    label: str
    part: Part
    pointer: str
    type: str
    """The JSON type that the branch takes, where it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A field as the schema describes it. What does not belong to the kind has its default."""

    kind: Kind
    part: Part
    words: str
    """For the type column, without `required`."""
    title: str = ""
    description: str = ""
    nullable: bool = False
    default: JsonValue | Absent = ABSENT
    notes: tuple[str, ...] = ()
    """What in the schema could not be followed, for a person."""
    behind: tuple[str, ...] = ()
    """Pointers of the branches that were taken without asking, as `X` in "X or null"."""

    integer: bool = False
    format: str = ""
    multiline: bool = False
    language: str = ""
    """What a text is written in, where the schema says it: `json`, `python` or `typescript`."""
    placeholder: str = ""
    choices: tuple[Choice, ...] = ()
    prefix: tuple[Part, ...] = ()
    """The first places of an array, each a part of its own."""
    items: Part | None = None
    """All other items of an array; None when it takes no more than its `prefix`."""
    members: tuple[Member, ...] = ()
    is_open: bool = False
    """Whether an object takes keys besides its members."""
    offers_keys: bool = False
    """Whether the schema says so itself, so that a form offers to add keys."""
    key_stem: str = "key"
    """What a new key begins with, so that it is one that the schema takes."""
    branches: tuple[Branch, ...] = ()

    def as_json(self, note: str = "") -> Shape:
        """The same place as a JSON box."""
        notes = (*self.notes, note) if note else self.notes
        return replace(self, kind=Kind.JSON, words=f"{self.words} as JSON", notes=notes)

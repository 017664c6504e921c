"""A place of a schema as the set of all the schemas that hold there, with references and `allOf` followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast
from urllib.parse import unquote

from workbench.schema import resolve_ref

NOTHING = "Nothing is accepted here."
REFERS_TO_ITSELF = "This part of the schema refers only to itself, so any JSON can be written here."


@dataclass(frozen=True, slots=True)
class Located:
    """One schema object and where it stands in the root schema. `taken` are keywords already dealt with."""

    pointer: str
    schema: Mapping[str, object]
    taken: tuple[str, ...] = ()

    def get(self, keyword: str) -> object:
        return None if keyword in self.taken else self.schema.get(keyword)

    def says(self, keyword: str) -> bool:
        """Whether the keyword is there, even if it says null."""
        return keyword in self.schema and keyword not in self.taken

    def mapping(self, keyword: str) -> Mapping[str, object]:
        found = self.get(keyword)
        return cast("Mapping[str, object]", found) if isinstance(found, Mapping) else {}

    def sequence(self, keyword: str) -> Sequence[object]:
        found = self.get(keyword)
        return cast("Sequence[object]", found) if isinstance(found, list | tuple) else ()

    def without(self, keyword: str) -> Located:
        return Located(self.pointer, self.schema, (*self.taken, keyword))


@dataclass(frozen=True)
class Part:
    """Everything that holds at one place: a value must satisfy all of `located`.

    `key` names the part: equal keys, equal parts. `notes` say what could not be followed.
    """

    located: tuple[Located, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def key(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((each.pointer, each.taken) for each in self.located)

    def without(self, keyword: str) -> Part:
        return Part(tuple(each.without(keyword) for each in self.located), self.notes)

    def first(self, keyword: str) -> object:
        """The keyword's value where it is said first: beside a reference before behind it."""
        return next((found for each in self.located if (found := each.get(keyword)) is not None), None)

    def text(self, keyword: str) -> str:
        found = self.first(keyword)
        return found if isinstance(found, str) else ""

    def all(self, keyword: str) -> list[object]:
        return [found for each in self.located if (found := each.get(keyword)) is not None]

    def has(self, keyword: str) -> bool:
        return any(each.says(keyword) for each in self.located)

    @cached_property
    def types(self) -> frozenset[str] | None:
        """The JSON types that all schemas allow, or None when none says one; `number` stands for integers, too."""
        found: frozenset[str] | None = None
        for each in self.all("type"):
            names = frozenset([each] if isinstance(each, str) else _texts(each))
            if "number" in names:
                names |= {"integer"}
            found = names if found is None else found & names
        return found - {"integer"} if found is not None and "number" in found else found


class Parts:
    """Finds the parts of one root schema. Nothing is followed before it is asked for, so recursion is no trouble."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self.root = root

    def whole(self) -> Part:
        return self.at(self.root, "")

    def at(self, schema: object, pointer: str) -> Part:
        """The part that begins with `schema`, which stands at `pointer`."""
        return self.join([(schema, pointer)])

    def join(self, places: Sequence[tuple[object, str]], base: Part | None = None) -> Part:
        """The part where all of `places` hold, besides all of `base`."""
        found = {each.pointer: each for each in base.located} if base else {}
        notes = list(base.notes) if base else []
        for schema, pointer in places:
            self._collect(schema, pointer, (), found, notes)
        return Part(tuple(found.values()), tuple(dict.fromkeys(notes)))

    def branch(self, part: Part, holder: Located, keyword: str, index: int) -> Part:
        """`part` with one branch of the union `keyword` of `holder`, which is one of its schemas."""
        located = (each.without(keyword) if each is holder else each for each in part.located)
        base = Part(tuple(located), part.notes)
        schema = holder.sequence(keyword)[index]
        return self.join([(schema, f"{holder.pointer}/{keyword}/{index}")], base)

    def _collect(
        self,
        schema: object,
        pointer: str,
        chain: tuple[str, ...],
        found: dict[str, Located],
        notes: list[str],
    ) -> None:
        if schema is True:
            return
        if not isinstance(schema, Mapping):
            notes.append(NOTHING if schema is False else "This part is not a schema.")
            return
        if pointer in chain or (pointer in found and found[pointer].taken):
            notes.append(REFERS_TO_ITSELF)
            return
        if pointer in found:
            return
        here = Located(pointer, cast("Mapping[str, object]", schema))
        found[pointer] = here
        chain = (*chain, pointer)
        reference = here.get("$ref")
        if isinstance(reference, str):
            target = self._resolve(reference)
            if target is None:
                notes.append(f"The reference {reference} leads nowhere, so any JSON can be written here.")
            else:
                self._collect(*target, chain, found, notes)
        for index, each in enumerate(here.sequence("allOf")):
            self._collect(each, f"{pointer}/allOf/{index}", chain, found, notes)

    def _resolve(self, reference: str) -> tuple[object, str] | None:
        """The schema that a reference names, and its pointer; by another name than a pointer, that name."""
        schema = resolve_ref(reference, self.root)
        is_pointer = reference == "#" or reference.startswith("#/")
        return None if schema is None else (schema, unquote(reference[1:]) if is_pointer else reference)


def _texts(value: object) -> list[str]:
    return (
        [each for each in cast("list[object]", value) if isinstance(each, str)]
        if isinstance(value, list)
        else []
    )

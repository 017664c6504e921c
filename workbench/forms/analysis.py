"""Turns parts of a schema into shapes, one part at a time and each only once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.base.exact_json import JsonValue, dump
from workbench.forms import words
from workbench.forms.choices import choice_of, fused_choice, members_of
from workbench.forms.items import item_parts
from workbench.forms.members import entry_part, key_stem, members
from workbench.forms.parts import Located, Part, Parts
from workbench.forms.reading import ABSENT, Absent, exact, fits_types, json_key
from workbench.forms.shapes import Branch, Choice, Kind, Shape
from workbench.forms.unions import Option, Union, find_union
from workbench.schema import CompiledSchema

_MULTILINE_FORMATS = {"multi-line", "multiline", "textarea", "markdown", "code"}
_FILE_FORMATS = {"byte", "base64"}
_LANGUAGES = {
    "json": {"json", "application/json"},
    "python": {"python", "text/x-python", "application/x-python", "text/x-python-script"},
    "typescript": {
        *("typescript", "text/typescript", "application/typescript"),
        *("javascript", "text/javascript", "application/javascript"),
    },
}
_LONG_TEXT = 200  # characters from which a text is likely to have lines


class Shapes:
    """The shapes of one root schema. What was left out of it is noted where it stood."""

    def __init__(self, compiled: CompiledSchema) -> None:
        self.parts = Parts(compiled.schema)
        self._known: dict[object, Shape] = {}
        self._notes: dict[str, list[str]] = {}
        for note in compiled.notes:
            self._notes.setdefault(note.pointer.rpartition("/")[0], []).append(note.message)

    def root(self) -> Shape:
        """The shape of the arguments as a whole: an object, whatever little the schema says."""
        part = self.parts.whole()
        shape = self.of(part)
        if shape.notes and not part.located[0].schema:
            return shape
        if shape.kind is Kind.JSON and not shape.notes and part.types in (None, {"object"}):
            return self._object(part, _common(part), at_root=True)
        return shape

    def of(self, part: Part) -> Shape:
        """The shape of `part`."""
        shape = self._known.get(part.key)
        if shape is None:
            shape = self._known[part.key] = self._noted(_with_fitting_default(self._analyse(part)))
        return shape

    def entry(self, shape: Shape, name: str) -> Part:
        """The part for the value of a key that is not a member of `shape`."""
        return entry_part(self.parts, shape.part, name)

    def _noted(self, shape: Shape) -> Shape:
        said = [note for each in shape.part.located for note in self._notes.get(each.pointer, ())]
        return replace(shape, notes=(*shape.notes, *said)) if said else shape

    def _analyse(self, part: Part) -> Shape:
        common = _common(part)
        choices = members_of(part)
        if choices is not None:
            return choice_of(common, choices)
        union = find_union(self.parts, part)
        if union is not None:
            return self._union(part, common, union)
        types = part.types if part.types is not None else _inferred(part)
        nullable = "null" in types and len(types) > 1
        types = types - {"null"} if nullable else types
        common = replace(common, nullable=nullable)
        if 1 < len(types) <= 4:
            return self._type_union(part, common, types)
        return _or_null(self._typed(part, common, next(iter(types)) if len(types) == 1 else ""))

    def _typed(self, part: Part, common: Shape, type: str) -> Shape:
        match type:
            case "string":
                return _text(part, common)
            case "integer" | "number":
                return replace(
                    common,
                    kind=Kind.NUMBER,
                    integer=type == "integer",
                    words=words.number_words(part, type),
                )
            case "boolean":
                choices = (Choice(value=True, label="true"), Choice(value=False, label="false"))
                return replace(common, kind=Kind.BOOLEAN, choices=choices, words="boolean")
            case "null":
                return replace(
                    common, kind=Kind.CHOICE, choices=(Choice(None, "null"),), words="null", nullable=True
                )
            case "array":
                return self._array(part, common)
            case "object":
                return self._object(part, common, at_root=False)
            case _:
                return replace(common, words="any JSON")

    def _array(self, part: Part, common: Shape) -> Shape:
        prefix, items = item_parts(self.parts, part)
        if prefix:
            nouns = [noun(self.parts, each) or "any JSON" for each in prefix]
            said = words.tuple_words(nouns, open_ended=items is not None)
        else:
            said = words.list_words(part, noun(self.parts, items) if items else "")
        return replace(common, kind=Kind.LIST, prefix=prefix, items=items, words=said)

    def _object(self, part: Part, common: Shape, *, at_root: bool) -> Shape:
        named = members(self.parts, part)
        is_open = not any(each is False for each in part.all("additionalProperties"))
        patterned = part.has("patternProperties")
        offers = patterned or any(each is not False for each in part.all("additionalProperties"))
        typed_keys = patterned or any(each.mapping("additionalProperties") for each in part.located)
        stem = key_stem(part) if offers else common.key_stem
        common = replace(common, is_open=is_open or patterned, offers_keys=offers, key_stem=stem)
        if not named and typed_keys:
            value = noun(self.parts, entry_part(self.parts, part, None))
            return replace(common, kind=Kind.MAP, words=f"map of {value}" if value else "map")
        if not named and is_open and not at_root:
            return replace(common, words="object as JSON")
        return replace(common, kind=Kind.GROUP, members=named, words="object")

    def _union(self, part: Part, common: Shape, union: Union) -> Shape:
        if not union.options:
            return choice_of(common, [None])
        if union.all_choices:
            return fused_choice(common, union)
        if len(union.options) == 1:
            index = union.options[0].index
            inner = self._analyse(self.parts.branch(part, union.holder, union.keyword, index))
            behind = (_pointer_of(union, union.options[0]), *inner.behind)
            inner = replace(inner, nullable=union.nullable or inner.nullable, behind=behind)
            return _or_null(inner) if union.nullable else inner
        bare = part.without("default")
        holder = bare.located[part.located.index(union.holder)]
        branches = tuple(
            Branch(
                label,
                self.parts.branch(bare, holder, union.keyword, option.index),
                _pointer_of(union, option),
                next(iter(types)) if (types := option.part.types) and len(types) == 1 else "",
            )
            for option, label in zip(union.options, union.labels(self.parts, noun), strict=True)
        )
        return _or_null(
            replace(
                common,
                kind=Kind.UNION,
                branches=branches,
                nullable=union.nullable,
                words=f"one of {len(branches)}",
            )
        )

    def _type_union(self, part: Part, common: Shape, types: Iterable[str]) -> Shape:
        stripped = part.without("default").without("type").located
        ordered = [each for each in _TYPES if each in types]
        branches = tuple(
            Branch(each, Part((*stripped, Located(f"type {each}", {"type": each})), part.notes), "", each)
            for each in ordered
        )
        return _or_null(replace(common, kind=Kind.UNION, branches=branches, words=" or ".join(ordered)))


_TYPES = ("string", "integer", "number", "boolean", "array", "object")


def noun(parts: Parts, part: Part) -> str:
    """One or two words for a part, found without following it any deeper; "" for what takes anything."""
    choices = members_of(part)
    if choices is not None:
        return f"choice of {len(choices)}"
    union = find_union(parts, part)
    if union is not None and union.options:
        if len(union.options) == 1:
            return noun(parts, union.options[0].part) + (" or null" if union.nullable else "")
        return f"one of {len(union.options)}" if not union.all_choices else "choice"
    types = part.types if part.types is not None else _inferred(part)
    return " or ".join(each for each in (*_TYPES, "null") if each in types)


def _common(part: Part) -> Shape:
    default: JsonValue | Absent = ABSENT
    notes = part.notes
    if part.has("default"):
        holder = next(each for each in part.located if each.says("default"))
        default = exact(holder.get("default"))
    return Shape(
        kind=Kind.JSON,
        part=part,
        words="",
        title=part.text("title"),
        description=part.text("description"),
        default=default,
        notes=notes,
    )


def _pointer_of(union: Union, option: Option) -> str:
    """Where a branch stands in the schema; one of a union that was made up of cases stands where its case does."""
    if union.holder.pointer.startswith("cases "):
        return option.part.located[min(1, len(option.part.located) - 1)].pointer
    return f"{union.holder.pointer}/{union.keyword}/{option.index}"


_TYPES_OF_KIND = {
    Kind.TEXT: ("string",),
    Kind.FILE: ("string",),
    Kind.NUMBER: ("number",),
    Kind.BOOLEAN: ("boolean",),
    Kind.LIST: ("array",),
    Kind.GROUP: ("object",),
    Kind.MAP: ("object",),
}


def _with_fitting_default(shape: Shape) -> Shape:
    """A default of the wrong kind is no default; a person is told."""
    default = shape.default
    if isinstance(default, Absent) or (default is None and shape.nullable):
        return shape
    if shape.kind is Kind.CHOICE:
        fits = json_key(default) in {json_key(each.value) for each in shape.choices}
    else:
        fits = shape.kind not in _TYPES_OF_KIND or fits_types(default, _TYPES_OF_KIND[shape.kind])
    if fits:
        return shape
    note = f"The default {dump(default)} is not what the schema asks for, so it is not shown."
    return replace(shape, default=ABSENT, notes=(*shape.notes, note))


def _text(part: Part, common: Shape) -> Shape:
    named, media = part.text("format"), part.text("contentMediaType")
    if part.text("contentEncoding").lower() == "base64" or named in _FILE_FORMATS:
        return replace(common, kind=Kind.FILE, words=words.file_words(media))
    longest = part.first("maxLength")
    language = next((each for each, signs in _LANGUAGES.items() if {named, media} & signs), "")
    multiline = (
        bool(language)
        or named in _MULTILINE_FORMATS
        or media.startswith("text/")
        or (isinstance(longest, int) and longest >= _LONG_TEXT)
    )
    return replace(
        common,
        kind=Kind.TEXT,
        format=named,
        multiline=multiline,
        language=language,
        placeholder=words.PLACEHOLDERS.get(named, ""),
        words=words.text_words(part),
    )


def _or_null(shape: Shape) -> Shape:
    """`shape` with null among its words, and among its choices if it has any."""
    if not shape.nullable or shape.words.endswith("null"):
        return shape
    if shape.kind is Kind.CHOICE:
        return choice_of(shape, [*(each.value for each in shape.choices), None])
    return replace(shape, words=f"{shape.words} or null")


def _inferred(part: Part) -> frozenset[str]:
    """The type that a schema without `type` must mean by its keywords; none when it could be anything."""
    if any(part.has(each) for each in ("properties", "additionalProperties", "patternProperties")):
        return frozenset(["object"])
    if part.has("items") or part.has("prefixItems"):
        return frozenset(["array"])
    return frozenset()

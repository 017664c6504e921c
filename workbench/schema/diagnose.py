"""What a schema that works may still cost its author: who refuses it, and what is never seen (D5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from workbench.base.json_pointer import pointer
from workbench.domain.definitions import JsonSchema, Severity
from workbench.schema.defaults import bad_defaults
from workbench.schema.keywords import Path, children, mapping, walk
from workbench.schema.notes import SchemaNote
from workbench.schema.references import resolve, resolve_ref

MAX_DEPTH = 7
"""Levels of nested arguments that are taken everywhere: those of the arguments themselves are the first."""

_ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "deprecated", "$comment", "readOnly", "writeOnly"}
)
_NESTS = frozenset({"properties", "items", "prefixItems", "additionalProperties", "patternProperties"})
_CONDITIONS = frozenset({"if", "then", "else", "not"})
_REFUSED = "The strict modes of OpenAI's and Anthropic's models refuse it."
_CLOSE = (
    'Add "additionalProperties": false to every object (in zod z.strictObject, in pydantic extra="forbid").'
)


def diagnose(schema: JsonSchema) -> tuple[SchemaNote, ...]:
    """Notes on a clean schema: `not-an-object` (an error), `too-deep`, `self-reference`, `open-shape`,
    `bad-default`."""
    return (*_not_an_object(schema), *_too_deep(schema), *_open_shapes(schema), *_bad_defaults(schema))


def progress_notes(schema: JsonSchema, name: str) -> tuple[SchemaNote, ...]:
    """Notes on the argument that tells a call's progress: `progress-argument-unknown` (an error),
    `progress-argument-not-string`, `progress-argument-late` when it is not the first one.
    """
    properties = mapping(resolve(schema, schema).get("properties"))
    where = pointer(("properties", name))
    if name not in properties:
        message = f"The progress argument {name} is not one of the arguments."
        return (SchemaNote("progress-argument-unknown", Severity.ERROR, "", message, _names_in(properties)),)
    notes: list[SchemaNote] = []
    if not _is_text(resolve(mapping(properties[name]), schema), schema):
        message = f"The progress argument {name} is not a string, so it is never shown."
        notes.append(SchemaNote("progress-argument-not-string", Severity.WARNING, where, message))
    if next(iter(properties)) != name:
        message = f"The progress argument {name} is not the first argument, so a model writes it late."
        hint = "Put it first: models write arguments in the order of the schema."
        notes.append(SchemaNote("progress-argument-late", Severity.WARNING, where, message, hint))
    return tuple(notes)


def _names_in(properties: Mapping[str, object]) -> str:
    return f"The arguments are {', '.join(properties)}." if properties else "There are no arguments."


def _is_text(schema: JsonSchema, root: JsonSchema) -> bool:
    """Whether a string is all that the schema lets through, null aside."""
    types = schema.get("type")
    if types is not None:
        return types in ("string", ["string"]) or types in (["string", "null"], ["null", "string"])
    for values in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
        if isinstance(values, list):
            return all(isinstance(value, str) for value in cast("list[object]", values))
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list):
        merged = [resolve(mapping(branch), root) for branch in cast("list[object]", branches)]
        others = [branch for branch in merged if branch.get("type") != "null"]
        return bool(others) and all(_is_text(branch, root) for branch in others)
    return False


def _not_an_object(schema: JsonSchema) -> Iterator[SchemaNote]:
    types = resolve(schema, schema).get("type", "object")
    if types != "object" and not (isinstance(types, list) and "object" in types):
        message = f"The arguments are always one object, but the schema wants {types}."
        yield SchemaNote(
            "not-an-object", Severity.ERROR, "/type", message, 'Use "type": "object" with properties.'
        )


def _too_deep(schema: JsonSchema) -> Iterator[SchemaNote]:
    """The first place that lies too deep. References are followed; one that leads back has no end."""
    waiting: list[tuple[Path, JsonSchema, int, dict[str, int]]] = [((), schema, 0, {})]
    seen: set[tuple[int, int]] = set()
    while waiting:
        path, here, level, followed = waiting.pop()
        if (id(here), level) in seen:
            continue
        seen.add((id(here), level))
        reference = here.get("$ref")
        if isinstance(reference, str):
            if followed.get(reference) == level:
                message = f"The reference {reference} leads back to itself, so any value passes."
                yield SchemaNote("self-reference", Severity.WARNING, pointer((*path, "$ref")), message)
                continue
            if reference in followed:
                message = f"The arguments can nest without end: {reference} holds itself."
                hint = f"Some model providers refuse recursion; more than {MAX_DEPTH} levels are not taken everywhere."
                yield SchemaNote("too-deep", Severity.WARNING, pointer(path), message, hint)
                return
            target = resolve_ref(reference, schema)
            if isinstance(target, Mapping):
                waiting.append((path, cast("JsonSchema", target), level, {**followed, reference: level}))
        for way, inner in children(here):
            deeper = level + (way[0] in _NESTS)
            if way[0] in ("$defs", "definitions") or not isinstance(inner, Mapping):
                continue
            if deeper > MAX_DEPTH:
                message = f"The arguments are nested more than {MAX_DEPTH} levels deep."
                hint = "Schemas that deep are refused by some model providers; make the arguments flatter."
                yield SchemaNote("too-deep", Severity.WARNING, pointer((*path, *way)), message, hint)
                return
            waiting.append(((*path, *way), cast("JsonSchema", inner), deeper, followed))


def _open_shapes(schema: JsonSchema) -> Iterator[SchemaNote]:
    """Where any key or any value is taken. All objects that merely do not close themselves share one note."""
    unclosed: list[Path] = []
    for path, here in walk(schema):
        if _is_unclosed(here) and _CONDITIONS.isdisjoint(path):
            unclosed.append(path)
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if here.get(keyword, False) is not False:
                yield _open((*path, keyword), "An object takes keys that the schema does not name.")
        for keyword in ("patternProperties", "propertyNames"):
            if keyword in here:
                yield _open((*path, keyword), f"An object names its keys by {keyword}.")
        for way, inner in children(here):
            if way[0] in ("properties", "items", "prefixItems") and _takes_anything(inner):
                yield _open(
                    (*path, *way), "Any JSON value is taken.", "Take a string that holds JSON instead."
                )
    if unclosed:
        more = f" (and {len(unclosed) - 1} more)" if len(unclosed) > 1 else ""
        message = f"An object does not say additionalProperties: false{more}, so keys it does not name pass."
        yield _open(unclosed[0], message, _CLOSE, Severity.INFO)


def _open(
    path: Path,
    message: str,
    advice: str = "Take a string that holds JSON instead.",
    severity: Severity = Severity.WARNING,
) -> SchemaNote:
    return SchemaNote("open-shape", severity, pointer(path), message, f"{_REFUSED} {advice}")


def _is_unclosed(schema: JsonSchema) -> bool:
    types = schema.get("type")
    is_object = types == "object" or (isinstance(types, list) and "object" in types) or "properties" in schema
    return is_object and schema.keys().isdisjoint({"additionalProperties", "unevaluatedProperties"})


def _takes_anything(schema: object) -> bool:
    return schema is True or (isinstance(schema, Mapping) and not (schema.keys() - _ANNOTATIONS))


def _bad_defaults(schema: JsonSchema) -> Iterator[SchemaNote]:
    for path in bad_defaults(schema):
        what = path[-1] if path else "the arguments"
        message = f"The default of {what} does not fit its own schema, so it is never used."
        yield SchemaNote("bad-default", Severity.WARNING, pointer((*path, "default")), message)

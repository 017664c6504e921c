"""Makes a schema usable: what is wrong in it is dropped in a copy, each with a note, and the rest stays (C3)."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, MutableMapping
from functools import cache
from typing import Any, cast

import jsonschema_rs

from workbench.base.json_pointer import pointer
from workbench.domain.definitions import JsonSchema, Severity
from workbench.schema.keywords import (
    HOLD_LIST,
    HOLD_MAP,
    HOLD_ONE,
    KNOWN,
    MAX_LEVELS,
    Path,
    at,
    is_deep,
    walk,
)
from workbench.schema.notes import SchemaNote
from workbench.schema.references import resolve_ref

_MAX_ATTEMPTS = 50
_META = {
    jsonschema_rs.Draft4Validator: "http://json-schema.org/draft-04/schema",
    jsonschema_rs.Draft6Validator: "http://json-schema.org/draft-06/schema",
    jsonschema_rs.Draft7Validator: "http://json-schema.org/draft-07/schema",
    jsonschema_rs.Draft201909Validator: "https://json-schema.org/draft/2019-09/schema",
    jsonschema_rs.Draft202012Validator: "https://json-schema.org/draft/2020-12/schema",
}
_DRAFTS = frozenset(address.partition(":")[2] for address in _META.values())
_PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)


def clean_schema(schema: object) -> tuple[JsonSchema, tuple[SchemaNote, ...]]:
    """The schema without its invalid parts, and what was dropped; the same object when nothing was.

    Notes: `not-a-schema` (an error; the schema that comes back accepts anything), `schema-part-dropped`,
    `remote-ref`. References to anything outside of the schema are refused; nothing is ever fetched.
    """
    problem = _not_a_schema(schema)
    if problem is not None:
        hint = "Give a JSON Schema: an object with keywords such as type and properties."
        return {}, (SchemaNote("not-a-schema", Severity.ERROR, "", problem, hint),)
    return _Repair(cast("JsonSchema", schema)).result()


def build(schema: JsonSchema) -> jsonschema_rs.Validator:
    """A validator for a clean schema, by the draft that `$schema` names or else 2020-12, with formats asserted.

    Raises ValueError when the schema is not clean.
    """
    return _draft(schema)(
        cast("dict[str, Any]", _with_properties(schema)),
        validate_formats=True,
        retriever=_refuse,
        pattern_options=_PATTERNS,
    )


def _with_properties(schema: JsonSchema) -> JsonSchema:
    """A copy in which every closed object has `properties`: only then does the validator name the keys too many."""
    closed = [
        path
        for path, part in walk(schema)
        if part.get("additionalProperties") is False
        and part.keys().isdisjoint({"properties", "patternProperties"})
    ]
    if not closed:
        return schema
    schema = copy.deepcopy(schema)
    for path in closed:
        cast("dict[str, object]", at(schema, path))["properties"] = {}
    return schema


def build_parts(schema: JsonSchema) -> jsonschema_rs.ValidatorMap:
    """A validator for every part of a clean schema, under `#` and its pointer."""
    return jsonschema_rs.validator_map_for(
        cast("dict[str, Any]", schema), validate_formats=True, retriever=_refuse, pattern_options=_PATTERNS
    )


def _not_a_schema(schema: object) -> str | None:
    if not isinstance(schema, Mapping):
        return "The schema is not an object."
    schema = cast("JsonSchema", schema)
    if schema and not KNOWN & schema.keys():
        return "This is not a JSON Schema: it has none of its keywords."
    if is_deep(schema, MAX_LEVELS):
        return f"The schema is nested more than {MAX_LEVELS} levels deep."
    return None


def _not_json(schema: JsonSchema) -> str | None:
    try:
        for _ in jsonschema_rs.iter_errors(False, schema):  # which reads the whole of it
            pass
    except ValueError as error:
        return f"it is not JSON ({error})."
    return None


class _Repair:
    """One schema being repaired."""

    def __init__(self, schema: JsonSchema) -> None:
        self._schema: JsonSchema = schema
        self._copied = False
        self._notes: list[SchemaNote] = []

    def result(self) -> tuple[JsonSchema, tuple[SchemaNote, ...]]:
        named = self._schema.get("$schema")
        if isinstance(named, str) and re.sub(r"^https?:|#$", "", named) not in _DRAFTS:
            what = f"$schema names no draft of JSON Schema that is known ({named}); 2020-12 is assumed."
            self._note("unknown-draft", ("$schema",), what)
        if self._compiles() is None:
            return self._schema, tuple(self._notes)
        if (problem := _not_json(self._schema)) is not None:
            self._give_up(problem)
        else:
            self._drop_what_the_draft_forbids()
            self._drop_dead_references()
            self._drop_until_it_compiles()
        return self._schema, tuple(self._notes)

    def _compiles(self) -> ValueError | None:
        try:
            build(self._schema)
        except ValueError as error:
            return error
        return None

    def _drop_what_the_draft_forbids(self) -> None:
        """Until none is left: what was dropped can leave an empty list that is forbidden, too."""
        for _ in range(_MAX_ATTEMPTS):
            found: dict[Path, str] = {}
            for error in _meta(_draft(self._schema)).iter_errors(self._schema):
                path = tuple(error.instance_path)
                if isinstance(kind := error.kind, jsonschema_rs.ValidationErrorKind.PropertyNames):
                    path = (*path, str(kind.error.instance))
                found.setdefault(_droppable(self._schema, path), _reason(error))
            if not found:
                return
            for path in sorted(found, key=_later_first, reverse=True):
                self._drop(path, found[path])

    def _drop_dead_references(self) -> None:
        for path, schema in [*walk(self._schema)]:
            for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                reference = schema.get(keyword)
                if not isinstance(reference, str) or resolve_ref(reference, self._schema) is not None:
                    continue
                if reference.startswith("#"):
                    self._drop((*path, keyword), f"leads nowhere ({reference})")
                elif not _is_built_in(reference):
                    self._note(
                        "remote-ref",
                        (*path, keyword),
                        f"The reference {reference} leads out of the schema; nothing is fetched, so it is left out.",
                        "Copy what it names into $defs and refer to #/$defs/….",
                    )
                    self._remove((*path, keyword))

    def _drop_until_it_compiles(self) -> None:
        """What the draft's own rules let pass, the validator may still refuse."""
        error = self._compiles()
        for _ in range(_MAX_ATTEMPTS):
            if error is None:
                return
            path = tuple(error.instance_path) if isinstance(error, jsonschema_rs.ValidationError) else ()
            if not path:
                break
            self._drop(_droppable(self._schema, path), _reason(error))
            error = self._compiles()
        self._give_up(str(error).splitlines()[0])

    def _give_up(self, reason: str) -> None:
        self._note("not-a-schema", (), f"The schema cannot be used: {reason}", error=True)
        self._schema = {}

    def _drop(self, path: Path, reason: str) -> None:
        hint = ""
        if path and path[-1] == "items" and isinstance(at(self._schema, path), list):
            hint = "In draft 2020-12 a list of schemas for the first items is written prefixItems."
        self._note("schema-part-dropped", path, f"{_label(path)} was left out: it {reason}.", hint)
        self._remove(path)

    def _note(self, code: str, path: Path, message: str, hint: str = "", *, error: bool = False) -> None:
        severity = Severity.ERROR if error else Severity.WARNING
        self._notes.append(SchemaNote(code, severity, pointer(path), message, hint))

    def _remove(self, path: Path) -> None:
        if not self._copied:
            self._schema, self._copied = copy.deepcopy(self._schema), True
        *way, last = path
        holder = at(self._schema, way)
        keyword = way[-1] if way else None
        if isinstance(holder, list):
            items = cast("list[object]", holder)
            if keyword in ("items", "prefixItems"):  # its place counts
                items[cast("int", last)] = {}
            else:
                del items[cast("int", last)]
        elif isinstance(holder, MutableMapping):
            mapping = cast("MutableMapping[str | int, object]", holder)
            if keyword in ("properties", "$defs", "definitions") and not isinstance(
                mapping[last], Mapping | bool
            ):
                mapping[last] = {}  # its name counts
            else:
                mapping.pop(last, None)


def _droppable(schema: JsonSchema, path: Path) -> Path:
    """The shortest way to what must go so that the trouble at `path` goes: a keyword, or a schema in a list or map."""
    here: object = schema
    done = 0
    while done < len(path) - 1 and isinstance(here, Mapping):
        keyword = path[done]
        value = cast("Mapping[str | int, object]", here).get(keyword)
        if isinstance(value, Mapping) and keyword in HOLD_ONE:
            step = 1
        elif (isinstance(value, Mapping) and keyword in HOLD_MAP) or (
            isinstance(value, list) and keyword in HOLD_LIST
        ):
            step = 2
        else:
            break
        here = at(cast("object", here), path[done : done + step])
        if done + step >= len(path):
            return path
        done += step
    return path[: done + 1]


def _label(path: Path) -> str:
    """How to speak of a part: `type`, `properties.size`, `anyOf[1]`."""
    last = path[-1]
    if isinstance(last, int):
        return f"{path[-2]}[{last}]"
    return f"{path[-2]}.{last}" if path[-2:-1] and path[-2] in HOLD_MAP else last


def _later_first(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Orders paths so that, reversed, dropping one leaves the way to the next as it was."""
    return tuple((part, 0, "") if isinstance(part, int) else (0, 1, part) for part in path)


def _reason(error: ValueError) -> str:
    text = error.message if isinstance(error, jsonschema_rs.ValidationError) else str(error)
    return f"is not valid ({text if len(text) <= 120 else text[:119] + '…'})"


def _draft(schema: JsonSchema) -> type[jsonschema_rs.Validator]:
    if "$schema" not in schema:
        return jsonschema_rs.Draft202012Validator
    return jsonschema_rs.validator_cls_for({"$schema": schema["$schema"]})


@cache
def _meta(draft: type[jsonschema_rs.Validator]) -> jsonschema_rs.Validator:
    return draft({"$ref": _META[cast("Any", draft)]}, validate_formats=True)


@cache
def _is_built_in(reference: str) -> bool:
    """Whether the validator itself knows the address: a draft's own schema."""
    try:
        jsonschema_rs.validator_for({"$ref": reference}, retriever=_refuse)
    except ValueError:
        return False
    return True


def _refuse(address: str) -> Any:
    raise ValueError(f"{address} is not part of the schema")

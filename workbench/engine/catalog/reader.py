"""One file's raw definition while it is read: its parts on request, and everything that is found wrong with it."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict, TypeVar, cast

from workbench.base.exact_json import JsonValue, dump
from workbench.domain.agents import LIFECYCLE_TOOLS
from workbench.domain.definitions import (
    LONGEST_CALLABLE_NAME,
    DefinitionFile,
    Diagnostic,
    JsonSchema,
    Severity,
    VariableSpec,
)
from workbench.domain.variables import VariableType
from workbench.engine.catalog.fields import Written, WrittenVariable, as_code, read_fields, spelled
from workbench.schema import SchemaNote, clean_schema, diagnose

Raw = Mapping[str, object]

NAME = re.compile(r"[a-z][a-z0-9_]*")
_Fields = TypeVar("_Fields", bound=Written)


class Shared(TypedDict):
    """What every definition has, ready to be passed on."""

    name: str
    file: DefinitionFile
    description: str
    line: int
    version: str


class Reader:
    """`name` is the file's until the definition gives another."""

    def __init__(self, file: DefinitionFile, raw: Raw, source: str) -> None:
        self.file: DefinitionFile = file
        self.source: str = source
        self.line: int = cast(int, raw.get("line") or 1)
        self.name: str = file.name
        self.description: str = ""
        self.diagnostics: list[Diagnostic] = []
        self.execute: object = raw.get("execute")
        fields = cast(Raw, raw.get("fields") or {})
        self.written: Raw = {name: value for name, value in fields.items() if value is not None}
        self.schemas: Mapping[str, Raw] = cast(Mapping[str, Raw], raw.get("schemas") or {})

    def fields(self, shape: type[_Fields]) -> _Fields | None:
        """Every field of the definition; None when one is wrong."""
        return self.part(shape, self.written, "")

    def part(self, shape: type[_Fields], written: Raw, what: str) -> _Fields | None:
        """The fields of a mapping within the definition, which `what` names; None when one is wrong."""
        fields, problems = read_fields(written, shape, self.file.language, what)
        for problem in problems:
            self.problem("bad-field", problem)
        return fields

    def take_name(self, name: str, pattern: re.Pattern[str] = NAME, *, field: str = "name") -> None:
        """The name that the definition gives itself; judged by the pattern (D1)."""
        self.name = name
        if not pattern.fullmatch(name):
            words = "lower-case letters, digits and _, beginning with a letter"
            self.problem("bad-name", f"“{name}” is not a name that a {self.file.kind} can have: {words}.",
                         f"Give it another {field}.")  # fmt: skip

    def check_callable_name(self) -> None:
        """What models can call has a name that they take, and that nothing built in has (D2)."""
        name = self.name
        if name in LIFECYCLE_TOOLS:
            message = f"“{name}” is the name of a built-in tool for subagents."
            self.problem("reserved-name", message, "Give it another name.")
        elif len(name) > LONGEST_CALLABLE_NAME:
            words = f"has {len(name)} characters; model providers take {LONGEST_CALLABLE_NAME}"
            self.add("bad-name", Severity.WARNING, f"The name “{name}” {words}.", "Give it a shorter name.")

    def schema(self, field: str) -> JsonSchema | None:
        """A schema as it is used, broken parts dropped (C3); None when none is given, or none can be had."""
        written = self.schemas.get(field)
        if written is None:
            return None
        if "error" in written:
            what = "the arguments" if field in ("args", "inputSchema") else self.spelled(field)
            self.problem("not-a-schema", f"The schema of {what} cannot be used: {written['error']}")
            return None
        schema, notes = clean_schema(cast(JsonSchema, written["schema"]))
        self.notes((*notes, *diagnose(schema)))
        return schema

    def variables(self, written: Iterable[WrittenVariable]) -> tuple[VariableSpec, ...]:
        """The declared variables; a name declared twice is an error."""
        specs = tuple(
            VariableSpec(
                name=one.name,
                type=VariableType(one.type),
                required=one.required,
                scoped=one.scoped,
                description=one.description,
            )
            for one in written
        )
        for name, times in sorted(Counter(spec.name for spec in specs).items()):
            if times > 1:
                self.problem("bad-field", f"The variable {name} is declared twice.")
        return specs

    def tenvs(self) -> Iterator[VariableSpec]:
        """Legacy variables: secret, required unless optional or defaulted, checked by their property (V5)."""
        written = self.schemas.get("tenvs")
        if written is None or not isinstance(written.get("schema"), Mapping):
            return
        schema = cast(Raw, written["schema"])
        required = cast(list[str], schema.get("required") or [])
        for name, check in cast(Mapping[str, Raw], schema.get("properties") or {}).items():
            default = cast(JsonValue, check.get("default"))
            yield VariableSpec(
                name=name,
                required=name in required and default is None,
                description=str(check.get("description", "")),
                default=default if default is None or isinstance(default, str) else dump(default),
                check=check,
            )

    def env(self, env: Mapping[str, str], tenvs: Mapping[str, str] | None, what: str = "") -> dict[str, str]:
        """Values for variables, under their name of today or under the older one (D11)."""
        if tenvs is not None:
            self.deprecated(f"{what}tenvs", "Write env, with the same values.")
        return {**(tenvs or {}), **env}

    def require_execute(self, field: str = "execute") -> None:
        if self.execute is None:
            self.problem("bad-field", f"The field {field} is required.")

    def spelled(self, field: str) -> str:
        """A field's name as this file's author writes it."""
        return spelled(field, self.file.language)

    def code(self, python: str) -> str:
        """What to write, given in Python, in this file's language."""
        return as_code(python, self.file.language)

    @property
    def failed(self) -> bool:
        return any(item.severity is Severity.ERROR for item in self.diagnostics)

    def shared(self, schema: JsonSchema | None = None) -> Shared:
        """What every definition has; `schema` is a part of its version."""
        text = json.dumps([self.name, self.source, schema], sort_keys=True, default=str)
        version = hashlib.sha256(text.encode()).hexdigest()
        return Shared(
            name=self.name, file=self.file, description=self.description, line=self.line, version=version
        )

    # --- what is wrong

    def notes(self, notes: Iterable[SchemaNote]) -> None:
        for note in notes:
            where = f" (at {note.pointer})" if note.pointer else ""
            self.add(note.code, Severity(note.severity), f"{note.message}{where}", note.hint)

    def problem(self, code: str, message: str, hint: str = "") -> None:
        self.add(code, Severity.ERROR, message, hint)

    def old_form(self, message: str, hint: str) -> None:
        """What an earlier version took; the hint says what to write instead (T1)."""
        self.problem("old-form", message, hint)

    def deprecated(self, field: str, hint: str) -> None:
        self.add("deprecated-field", Severity.WARNING, f"The field {field} is an older form.", hint)

    def add(self, code: str, severity: Severity, message: str, hint: str) -> None:
        self.diagnostics.append(
            Diagnostic(
                code=code,
                severity=severity,
                path=self.file.path,
                line=self.line,
                name=self.file.name,
                message=message,
                hint=hint,
            )
        )

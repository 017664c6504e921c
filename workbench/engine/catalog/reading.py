"""Reading a host's raw definition into a ToolDefinition, with a diagnostic for everything that is wrong (D3-D5)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import cast

from workbench.base.exact_json import JsonValue, dump
from workbench.domain.definitions import (
    DefinitionFile,
    Diagnostic,
    Dialect,
    JsonSchema,
    Severity,
    VariableSpec,
)
from workbench.domain.tools import ToolDefinition
from workbench.domain.variables import VariableType
from workbench.engine.catalog.fields import SCHEMA_FIELD, Function, ToolFields, read_fields, spelled
from workbench.schema import SchemaNote, clean_schema, diagnose, progress_notes

Raw = Mapping[str, object]

RUN_ELSEWHERE = frozenset({"provider-tool", "agent-tool"})
"""Codes of tools that are shown and not called here: in a model's provider, or in an agent's workspace (C14, C15)."""


class Reading:
    """One file's raw definition being read; `definition` stays None when an error was found."""

    def __init__(self, file: DefinitionFile, raw: Raw, source: str) -> None:
        self.file: DefinitionFile = file
        self.raw: Raw = raw
        self.line: int = cast(int, raw.get("line") or 1)
        self.description: str = ""
        self.diagnostics: list[Diagnostic] = []
        self.definition: ToolDefinition | None = self._read(source)

    def _read(self, source: str) -> ToolDefinition | None:
        raw_fields = cast(Raw, self.raw.get("fields") or {})
        written = {name: value for name, value in raw_fields.items() if value is not None}
        fields, problems = read_fields(written, self.file.language)
        for problem in problems:
            self._problem("bad-field", problem)
        given = written.get("description")
        self.description = given if isinstance(given, str) else ""
        schemas = cast(Mapping[str, Raw], self.raw.get("schemas") or {})
        own = self._own_schema(schemas)
        if fields is None:
            return None
        schema = self._input_schema(schemas.get(own))
        self._contradictions(fields, schema)
        self._execute(fields)
        self._elsewhere(fields)
        variables = (*self._variables(fields), *self._tenvs(schemas.get("tenvs")))
        if any(item.severity is Severity.ERROR for item in self.diagnostics):
            return None
        source_kind = (schemas.get(own) or {}).get("source")
        has_model = source_kind in ("model", "annotation")
        return ToolDefinition(
            name=self.file.name,
            file=self.file,
            description=fields.description,
            line=self.line,
            input_schema=schema,
            output_schema=cast(JsonSchema | None, (schemas.get("outputSchema") or {}).get("schema")),
            validated=has_model or self.file.dialect is Dialect.STANDARD_AGENTS,
            has_model=has_model,
            variables=variables,
            uses=None if fields.uses is None else tuple(fields.uses),
            progress_argument=fields.progress_argument,
            annotations=fields.annotations,
            execution_mode=fields.execution_mode,
            execution_provider=fields.execution_provider,
            execution=fields.execution,
            effect="predicate" if isinstance(fields.effect, Function) else fields.effect or "write",
            needs_approval="predicate"
            if isinstance(fields.needs_approval, Function)
            else fields.needs_approval,
            version=_version(self.file.name, source, schema),
        )

    def _own_schema(self, schemas: Mapping[str, Raw]) -> str:
        own = SCHEMA_FIELD[self.file.dialect]
        for other in set(SCHEMA_FIELD.values()) - {own}:
            if other in schemas:
                here, there = (spelled(name, self.file.language) for name in (own, other))
                folder = "agents/" if self.file.dialect is Dialect.STANDARD_AGENTS else "bot/"
                self._problem("bad-field", f"Under {folder} the schema's field is {here}, not {there}.")
        return own

    def _input_schema(self, written: Raw | None) -> JsonSchema | None:
        if written is None:
            return None
        if "error" in written:
            self._problem("not-a-schema", f"The schema of the arguments cannot be used: {written['error']}")
            return None
        schema, notes = clean_schema(cast(JsonSchema, written["schema"]))
        self._notes((*notes, *diagnose(schema)))
        return schema

    def _contradictions(self, fields: ToolFields, schema: JsonSchema | None) -> None:
        """A definition that contradicts itself is an error (D3)."""
        if fields.progress_argument is not None:
            self._notes(progress_notes(schema or {}, fields.progress_argument))
        properties = cast(Raw, (schema or {}).get("properties") or {})
        for name in fields.time_args or ():
            if name not in properties:
                word = spelled("timeArgs", self.file.language)
                self._problem("bad-field", f"{word} names {name}, which the schema does not have.")
        if fields.script is not None and fields.execution != "agent":
            self._problem("bad-field", 'A script needs execution="agent".')
        if fields.script is not None and fields.execution_mode == "provider":
            self._problem("bad-field", "A tool that runs in the provider cannot have a script.")
        names = [variable.name for variable in fields.variables]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self._problem("bad-field", f"The variable {name} is declared twice.")

    def _execute(self, fields: ToolFields) -> None:
        execute = self.raw.get("execute")
        if fields.execution == "agent" or fields.execution_mode == "provider":
            return
        if execute is None:
            self._problem("bad-field", "The field execute is required.")

    def _elsewhere(self, fields: ToolFields) -> None:
        name = self.file.name
        if fields.execution_mode == "provider":
            self._add(
                "provider-tool",
                Severity.INFO,
                f"{name} runs inside the model's provider, so it cannot be called here.",
                "Its results arrive with the model's answer.",
            )
        elif fields.execution == "agent":
            what = "is a script that" if fields.script is not None else "is a tool that"
            self._add(
                "agent-tool",
                Severity.INFO,
                f"{name} {what} an agent runs in its own workspace, so it cannot be called here.",
                "",
            )

    def _variables(self, fields: ToolFields) -> Iterator[VariableSpec]:
        for written in fields.variables:
            yield VariableSpec(
                name=written.name,
                type=VariableType(written.type),
                required=written.required,
                scoped=written.scoped,
                description=written.description,
            )

    def _tenvs(self, written: Raw | None) -> Iterator[VariableSpec]:
        """Legacy variables: secret, required unless optional or defaulted, checked by their property (V5)."""
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

    def _notes(self, notes: tuple[SchemaNote, ...]) -> None:
        for note in notes:
            where = f" (at {note.pointer})" if note.pointer else ""
            self._add(note.code, Severity(note.severity), f"{note.message}{where}", note.hint)

    def _problem(self, code: str, message: str, hint: str = "") -> None:
        self._add(code, Severity.ERROR, message, hint)

    def _add(self, code: str, severity: Severity, message: str, hint: str) -> None:
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


def _version(name: str, source: str, schema: JsonSchema | None) -> str:
    """The content address of a definition: what a call ran with (data kept by `PutDefinition`)."""
    text = json.dumps([name, source, schema], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()

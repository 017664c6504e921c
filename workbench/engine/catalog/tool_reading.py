"""Reading a tool, with a diagnostic for everything that is wrong with it (D3-D5)."""

from __future__ import annotations

from typing import Literal, cast

from pydantic import Field

from workbench.domain.definitions import Dialect, JsonSchema, Severity
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog.fields import Function, Written, WrittenVariable
from workbench.engine.catalog.reader import Raw, Reader
from workbench.schema import progress_notes

RUN_ELSEWHERE = frozenset({"provider-tool", "agent-tool"})
"""Codes of tools that are shown and not called here: in a model's provider, or in an agent's workspace (C14, C15)."""

UNKNOWN_TIME_ARGUMENT = "unknown-time-argument"
"""Code of a tool whose bounds in time would check nothing (C11)."""

_STATE_AND_ARGUMENTS = 2

SCHEMA_FIELD = {Dialect.STANDARD_AGENTS: "args", Dialect.AGENT_SDK: "inputSchema"}


class ToolFields(Written):
    """Every field but the schemas and `execute`, with its type."""

    description: str = Field(min_length=1)
    variables: list[WrittenVariable] = []
    uses: list[str] | None = None
    progress_argument: str | None = None
    annotations: dict[str, object] = {}
    execution_mode: Literal["local", "provider"] = "local"
    execution_provider: str | None = None
    effect: Literal["read", "write", "idempotent"] | Function | None = None
    dry_run_result: object = None
    time_args: list[str] | None = None
    needs_approval: bool | Function = False
    execution: Literal["server", "agent"] = "server"
    script: str | None = None


def read_tool(reader: Reader) -> ToolDefinition | None:
    """The tool, or None when an error was found."""
    fields = reader.fields(ToolFields)
    own = _own_schema(reader)
    if fields is None:
        return None
    schema = reader.schema(own)
    _described(reader, own)
    _contradictions(reader, fields, schema)
    if fields.execution == "server" and fields.execution_mode == "local":
        reader.require_execute()
    _elsewhere(reader, fields)
    variables = (*reader.variables(fields.variables), *reader.tenvs())
    if reader.failed:
        return None
    source_kind = (reader.schemas.get(own) or {}).get("source")
    has_model = source_kind in ("model", "annotation")
    return ToolDefinition(
        **reader.shared(schema),
        input_schema=schema,
        output_schema=cast(JsonSchema | None, (reader.schemas.get("outputSchema") or {}).get("schema")),
        validated=has_model or reader.file.dialect is Dialect.STANDARD_AGENTS,
        has_model=has_model,
        variables=variables,
        uses=None if fields.uses is None else tuple(fields.uses),
        progress_argument=fields.progress_argument,
        annotations=fields.annotations,
        execution_mode=fields.execution_mode,
        execution_provider=fields.execution_provider,
        execution=fields.execution,
        effect="predicate" if isinstance(fields.effect, Function) else fields.effect or "write",
        needs_approval="predicate" if isinstance(fields.needs_approval, Function) else fields.needs_approval,
        dry_run=_dry_run(fields.dry_run_result),
        dry_run_result=None if _is_function(fields.dry_run_result) else fields.dry_run_result,
        time_args=tuple(fields.time_args or ()),
        script=fields.script,
    )


def _is_function(value: object) -> bool:
    return isinstance(value, dict) and "$function" in value


def _dry_run(result: object) -> Literal["acknowledgement", "value", "function"]:
    if result is None:
        return "acknowledgement"
    return "function" if _is_function(result) else "value"


def _own_schema(reader: Reader) -> str:
    own = SCHEMA_FIELD[reader.file.dialect]
    for other in set(SCHEMA_FIELD.values()) - {own}:
        if other in reader.schemas:
            here, there = reader.spelled(own), reader.spelled(other)
            folder = "agents/" if reader.file.dialect is Dialect.STANDARD_AGENTS else "bot/"
            reader.problem("bad-field", f"Under {folder} the schema's field is {here}, not {there}.")
    return own


def _contradictions(reader: Reader, fields: ToolFields, schema: JsonSchema | None) -> None:
    """A definition that contradicts itself is an error (D3)."""
    if fields.progress_argument is not None:
        reader.notes(progress_notes(schema or {}, fields.progress_argument))
    properties = cast(Raw, (schema or {}).get("properties") or {})
    for name in fields.time_args or ():
        if name not in properties:
            word = reader.spelled("timeArgs")
            reader.problem(UNKNOWN_TIME_ARGUMENT, f"{word} names {name}, which the schema does not have.")
    if fields.script is not None and fields.execution != "agent":
        reader.problem("bad-field", 'A script needs execution="agent".')
    if fields.script is not None and fields.execution_mode == "provider":
        reader.problem("bad-field", "A tool that runs in the provider cannot have a script.")


def _described(reader: Reader, own: str) -> None:
    """A remark on `execute(state, args)` without a schema. In the other system `execute` has them first in any case."""
    execute = reader.execute
    takes = cast(Raw, execute).get("parameters") if isinstance(execute, dict) else None
    is_first = reader.file.dialect is Dialect.AGENT_SDK
    if takes == _STATE_AND_ARGUMENTS and not is_first and own not in reader.schemas:
        reader.add(
            "undescribed-arguments",
            Severity.INFO,
            "execute takes arguments that are not described: models are told of none, and none are checked.",
            f"Describe them with {reader.spelled(own)}, or let execute take the state alone.",
        )


def _elsewhere(reader: Reader, fields: ToolFields) -> None:
    name = reader.name
    if fields.execution_mode == "provider":
        reader.add(
            "provider-tool",
            Severity.INFO,
            f"{name} runs inside the model's provider, so it cannot be called here.",
            "Its results arrive with the model's answer.",
        )
    elif fields.execution == "agent":
        if fields.script is not None:
            words = f"{name} is a script: agents and its form run it in a workspace, direct calls do not."
        else:
            words = f"{name} is a tool that an agent runs in its own workspace, so it cannot be called here."
        reader.add("agent-tool", Severity.INFO, words, "")

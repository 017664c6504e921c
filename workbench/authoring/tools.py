"""`define_tool`: a function that a model can call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from workbench.authoring.definition import NOT_GIVEN, CodeDefinition, made
from workbench.authoring.variables import Variable

_SAY_INSTEAD = {
    "name": "leave it out: a tool's name is the name of its file",
    "parameters": "write args=, a pydantic model or a JSON Schema",
    "schema": "write args=, a pydantic model or a JSON Schema",
    "return_schema": "write output_schema= (bot/tools), or check the value inside execute",
    "handler": "write execute=",
    "run": "write execute=",
    "hooks": "a tool has none; an agent or a prompt lists its hooks",
    "options": "static options are given where a prompt lists the tool",
}


class ToolDefinition(CodeDefinition):
    """A tool as written."""

    kind = "tool"


def define_tool(
    *positional: Any,
    description: str = NOT_GIVEN,
    args: Any = NOT_GIVEN,
    input_schema: Any = NOT_GIVEN,
    output_schema: Any = NOT_GIVEN,
    execute: Callable[..., Any] | None = NOT_GIVEN,
    variables: Sequence[Variable | Mapping[str, Any]] = NOT_GIVEN,
    uses: Sequence[str] | None = NOT_GIVEN,
    progress_argument: str | None = NOT_GIVEN,
    annotations: Mapping[str, Any] = NOT_GIVEN,
    execution_mode: Literal["local", "provider"] = NOT_GIVEN,
    execution_provider: str | None = NOT_GIVEN,
    tenvs: Any = NOT_GIVEN,
    effect: Any = NOT_GIVEN,
    dry_run_result: Any = NOT_GIVEN,
    time_args: Sequence[str] = NOT_GIVEN,
    needs_approval: bool | Callable[..., Any] = NOT_GIVEN,
    execution: Literal["server", "agent"] = NOT_GIVEN,
    script: str = NOT_GIVEN,
    **unknown: Any,
) -> ToolDefinition:
    """Define the tool of this file (D3). As a decorator, the function below it is `execute`.

    Schemas (`args` under `agents/`, `input_schema` and `output_schema` under `bot/`, `tenvs`) are pydantic
    models or JSON Schema mappings. Raises DefinitionError for a field that does not exist.
    """
    return made(ToolDefinition, locals(), say_instead=_SAY_INSTEAD)

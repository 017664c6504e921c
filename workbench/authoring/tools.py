"""`define_tool`: what the author wrote, kept as written, with the line where it stands.

Nothing is judged here but the names of the fields: the engine reads a definition and says what is wrong with it.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from workbench.authoring.errors import DefinitionError
from workbench.authoring.variables import Variable

_NOT_GIVEN: Any = object()

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


class ToolDefinition:
    """A tool as written: `fields` holds just the fields that were given, `line` is where the call stands."""

    kind = "tool"

    def __init__(self, fields: dict[str, Any], path: str, line: int) -> None:
        self.fields = fields
        self.path = path
        self.line = line

    @property
    def execute(self) -> Callable[..., Any] | None:
        return self.fields.get("execute")

    def __call__(self, *args: Any) -> Any:
        """Before there is an `execute`: take it (the decorator form). After: call it, as the function itself."""
        execute = self.execute
        if execute is not None:
            return execute(*args)
        if len(args) != 1 or not callable(args[0]):
            raise DefinitionError("@define_tool(…) decorates one function, which becomes execute.")
        self.fields["execute"] = args[0]
        return self

    def __repr__(self) -> str:
        return f"<tool defined in {self.path}, line {self.line}>"


def define_tool(
    *positional: Any,
    description: str = _NOT_GIVEN,
    args: Any = _NOT_GIVEN,
    input_schema: Any = _NOT_GIVEN,
    output_schema: Any = _NOT_GIVEN,
    execute: Callable[..., Any] | None = _NOT_GIVEN,
    variables: Sequence[Variable | Mapping[str, Any]] = _NOT_GIVEN,
    uses: Sequence[str] | None = _NOT_GIVEN,
    progress_argument: str | None = _NOT_GIVEN,
    annotations: Mapping[str, Any] = _NOT_GIVEN,
    execution_mode: Literal["local", "provider"] = _NOT_GIVEN,
    execution_provider: str | None = _NOT_GIVEN,
    tenvs: Any = _NOT_GIVEN,
    effect: Any = _NOT_GIVEN,
    dry_run_result: Any = _NOT_GIVEN,
    time_args: Sequence[str] = _NOT_GIVEN,
    needs_approval: bool | Callable[..., Any] = _NOT_GIVEN,
    execution: Literal["server", "agent"] = _NOT_GIVEN,
    script: str = _NOT_GIVEN,
    **unknown: Any,
) -> ToolDefinition:
    """Define the tool of this file (D3). As a decorator, the function below it is `execute`.

    Schemas (`args` under `agents/`, `input_schema` and `output_schema` under `bot/`, `tenvs`) are pydantic
    models or JSON Schema mappings. Raises DefinitionError for a field that does not exist.
    """
    given = locals()
    del given["positional"], given["unknown"]
    if positional:
        raise DefinitionError("define_tool takes named fields only: define_tool(description=…, execute=…).")
    if unknown:
        raise DefinitionError(_unknown_fields(unknown, given))
    path, line = _where()
    fields = {name: value for name, value in given.items() if value is not _NOT_GIVEN}
    return ToolDefinition(fields, path, line)


def _unknown_fields(unknown: Iterable[str], known: Iterable[str]) -> str:
    name = next(iter(unknown))
    message = f"define_tool has no field {name!r}"
    if name in _SAY_INSTEAD:
        return f"{message}: {_SAY_INSTEAD[name]}."
    snake_case = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    near = difflib.get_close_matches(snake_case, list(known), 1, 0.6)
    return f"{message}. Did you mean {near[0]!r}?" if near else f"{message}."


def _where() -> tuple[str, int]:
    """The file and line, at module level, of the code that defines: a helper in between does not count."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)

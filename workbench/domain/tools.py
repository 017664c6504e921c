"""A tool as the engine knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from workbench.domain.definitions import Definition, Dialect, JsonSchema

Effect = Literal["read", "write", "idempotent"]
"""What running a tool does to the world (C9)."""


class ToolDefinition(Definition):
    """A tool that can be shown and, unless something is wrong with it, called.

    `input_schema` is what a model is sent and what validation uses (broken parts already dropped, C3); None
    means the tool takes no arguments. `validated` is False only under `bot/`, for plain JSON Schema or none (D4).
    """

    input_schema: JsonSchema | None = None
    output_schema: JsonSchema | None = None
    validated: bool = True
    has_model: bool = False
    uses: tuple[str, ...] | None = None
    progress_argument: str | None = None
    annotations: Mapping[str, object] = Field(default_factory=dict[str, object])
    execution_mode: Literal["local", "provider"] = "local"
    execution_provider: str | None = None
    execution: Literal["server", "agent"] = "server"
    effect: Effect | Literal["predicate"] = "write"
    """`predicate` when a function of its input says so."""
    needs_approval: bool | Literal["predicate"] = False
    dry_run: Literal["acknowledgement", "value", "function"] = "acknowledgement"
    """What answers in a dry run in the place of a call that is not a read (C10); `dry_run_result` is the value."""
    dry_run_result: object = None
    time_args: tuple[str, ...] = ()
    """The arguments that are bounds in time (C11)."""
    script: str | None = None
    """What runs when `execution` is `agent` (C14)."""

    @property
    def dialect(self) -> Dialect:
        return self.file.dialect

"""Definitions of tools as the engine knows them, the files they come from, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from workbench.domain.value import Value
from workbench.domain.variables import VariableType

JsonSchema = Mapping[str, object]


class Dialect(StrEnum):
    """Which published system a file follows; its folder decides (D1)."""

    STANDARD_AGENTS = "standard-agents"
    AGENT_SDK = "agent-sdk"


class Language(StrEnum):
    PYTHON = "python"
    TYPESCRIPT = "typescript"


class DefinitionKind(StrEnum):
    TOOL = "tool"
    PROMPT = "prompt"
    AGENT = "agent"
    MODEL = "model"
    HOOK = "hook"
    EFFECT = "effect"
    HANDLER = "handler"


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Diagnostic(Value):
    """One thing wrong with a definition, file or setting. Codes are stable; `path` is relative to the project."""

    code: str
    severity: Severity
    path: str
    message: str
    line: int | None = None
    column: int | None = None
    hint: str = ""
    name: str | None = None


class DefinitionFile(Value):
    """A file that discovery found: where it is and what its folder says it must hold (D1)."""

    path: str
    """Relative to the project, with forward slashes."""
    kind: DefinitionKind
    dialect: Dialect
    language: Language
    name: str
    """The file's stem: a tool's name; others carry their own."""
    digest: str
    """SHA-256 of the file's bytes, hex."""


class LoadedFile(Value):
    """What a host found in one file.

    `raw` is the definition as its author wrote it, in the wire form that both languages share
    (see `workbench.engine.ports.ToolHost.load`), or None when `problems` say why there is none.
    `depends_on` are the project files whose change makes this answer stale.
    """

    file: DefinitionFile
    raw: Mapping[str, object] | None = None
    problems: tuple[Diagnostic, ...] = ()
    depends_on: tuple[str, ...] = ()


class VariableSpec(Value):
    """A variable that a definition declares. `check` is the JSON Schema of a legacy tenv (V5)."""

    name: str
    type: VariableType = VariableType.SECRET
    required: bool = True
    scoped: bool = False
    description: str = ""
    default: str | None = None
    check: JsonSchema | None = None


class ToolDefinition(Value):
    """A tool that can be shown and, unless something is wrong with it, called.

    `input_schema` is what a model is sent and what validation uses (broken parts already dropped, C3); None
    means the tool takes no arguments. `validated` is False only under `bot/`, for plain JSON Schema or none (D4).
    `version` is the content address of source and schema: the row a call points at, so that a history
    shows the tool as it was.
    """

    name: str
    file: DefinitionFile
    description: str
    line: int = 1
    input_schema: JsonSchema | None = None
    output_schema: JsonSchema | None = None
    validated: bool = True
    has_model: bool = False
    variables: tuple[VariableSpec, ...] = ()
    uses: tuple[str, ...] | None = None
    progress_argument: str | None = None
    annotations: Mapping[str, object] = Field(default_factory=dict[str, object])
    execution_mode: Literal["local", "provider"] = "local"
    execution_provider: str | None = None
    execution: Literal["server", "agent"] = "server"
    effect: Literal["read", "write", "idempotent", "predicate"] = "write"
    """What running it does to the world (C9); `predicate` when a function of its input says so."""
    needs_approval: bool | Literal["predicate"] = False
    version: str = ""

    @property
    def dialect(self) -> Dialect:
        return self.file.dialect


class Listing(Value):
    """One line of the navigator and of `tool list` (H5): a definition, or the file that failed to give one."""

    name: str
    file: DefinitionFile
    description: str = ""
    definition: ToolDefinition | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    callable: bool = False

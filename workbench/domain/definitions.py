"""Definitions as the engine knows them: the files they come from, what is wrong with them, what all kinds share."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from workbench.domain.value import Value
from workbench.domain.variables import VariableType

JsonSchema = Mapping[str, object]

LONGEST_CALLABLE_NAME = 64
"""Model providers refuse to be offered anything with a longer name."""


class Dialect(StrEnum):
    """Which published system a file follows; its folder decides (D1)."""

    STANDARD_AGENTS = "standard-agents"
    AGENT_SDK = "agent-sdk"


class Language(StrEnum):
    PYTHON = "python"
    TYPESCRIPT = "typescript"
    MCP = "mcp"
    """No language of files: what a connection's server runs, whatever that is written in (H6)."""


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
    """Relative to the project, with forward slashes; absolute for a package installed elsewhere (D9)."""
    kind: DefinitionKind
    dialect: Dialect
    language: Language
    name: str
    """The file's stem: a tool's name; others carry their own."""
    digest: str
    """SHA-256 of the file's bytes, hex."""
    package: str | None = None
    """The package it belongs to, `name` or `@scope/name`; None for the project's own (D9)."""
    connection: str | None = None
    """The connection whose server lists it; there is no file then, and `path` is `mcp:CONNECTION/TOOL` (H6)."""


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
    source: str | None = None
    """What it was read from, where that is no file of the project."""


class VariableSpec(Value):
    """A variable that a definition declares. `check` is the JSON Schema of a legacy tenv (V5)."""

    name: str
    type: VariableType = VariableType.SECRET
    required: bool = True
    scoped: bool = False
    description: str = ""
    default: str | None = None
    check: JsonSchema | None = None


class Definition(Value):
    """What every kind of definition has.

    `version` is the content address of source and schema: the row a call or a thread points at, so that a
    history shows the definition as it was.
    """

    name: str
    """As its own namespace knows it (D1); see `qualified_name` for how others write it."""
    file: DefinitionFile
    description: str = ""
    line: int = 1
    variables: tuple[VariableSpec, ...] = ()
    version: str = ""

    @property
    def kind(self) -> DefinitionKind:
        return self.file.kind

    @property
    def package(self) -> str | None:
        """The package it belongs to; None for the project's own (D9)."""
        return self.file.package

    @property
    def qualified_name(self) -> str:
        """`package/name`, or the name alone for the project's own (D2)."""
        return f"{self.package}/{self.name}" if self.package else self.name

"""Reading a host's raw definition, of whatever kind its folder says it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.domain.definitions import DefinitionFile, DefinitionKind, Diagnostic
from workbench.domain.listing import AnyDefinition
from workbench.engine.catalog.agent_reading import read_agent
from workbench.engine.catalog.code_reading import read_effect, read_handler, read_hook
from workbench.engine.catalog.model_reading import read_model
from workbench.engine.catalog.prompt_reading import read_prompt
from workbench.engine.catalog.reader import Raw, Reader
from workbench.engine.catalog.tool_reading import read_tool

_READ: Mapping[DefinitionKind, Callable[[Reader], AnyDefinition | None]] = {
    DefinitionKind.TOOL: read_tool,
    DefinitionKind.PROMPT: read_prompt,
    DefinitionKind.AGENT: read_agent,
    DefinitionKind.MODEL: read_model,
    DefinitionKind.HOOK: read_hook,
    DefinitionKind.EFFECT: read_effect,
    DefinitionKind.HANDLER: read_handler,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one file; `definition` is None when an error was found. `name` is what it calls itself."""

    name: str
    description: str
    definition: AnyDefinition | None
    diagnostics: tuple[Diagnostic, ...]


def read(file: DefinitionFile, raw: Raw, source: str) -> Reading:
    """Read a raw definition, with a diagnostic for everything that is wrong with it."""
    reader = Reader(file, raw, source)
    written = raw.get("kind", file.kind.value)
    definition = None
    if written != file.kind.value:
        reader.problem(
            "wrong-kind",
            f"The file holds a {written}; its folder is for a {file.kind}.",
            f"Move it to the folder of every {written}.",
        )
    else:
        description = reader.written.get("description")
        reader.description = description if isinstance(description, str) else ""
        definition = _READ[file.kind](reader)
    return Reading(reader.name, reader.description, definition, tuple(reader.diagnostics))

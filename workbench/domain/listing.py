"""One line for each definition file, of whatever kind and in whatever state."""

from __future__ import annotations

from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import DefinitionFile, Diagnostic
from workbench.domain.hooks import EffectDefinition, HandlerDefinition, HookDefinition
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.domain.tools import ToolDefinition
from workbench.domain.value import Value

AnyDefinition = (
    ToolDefinition
    | PromptDefinition
    | AgentDefinition
    | ModelDefinition
    | HookDefinition
    | HandlerDefinition
    | EffectDefinition
)


class Listing(Value):
    """One line of the navigator and of `tool list` (H5): a definition, or the file that failed to give one.

    `callable` says whether it can be used for what it is: called, started, referred to.
    """

    name: str
    file: DefinitionFile
    description: str = ""
    definition: AnyDefinition | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    callable: bool = False

    @property
    def tool(self) -> ToolDefinition | None:
        """The definition of a tool; None for other kinds, and for a file that gave none."""
        return self.definition if isinstance(self.definition, ToolDefinition) else None

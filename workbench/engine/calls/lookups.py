"""What an author's `state` tells of the project's definitions: models, prompts and agents, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import Definition
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.engine.calls.setting import StateMethod
from workbench.engine.catalog.directory import Directory
from workbench.engine.ports import StateError

Known = TypeVar("Known", ModelDefinition, PromptDefinition, AgentDefinition)

_OURS = frozenset({"file", "line", "version"})
"""What the engine knows of a definition beside what its author wrote."""


class Lookups:
    """Sees what code of `package` sees, of the project's own where that is None (D9)."""

    def __init__(self, directory: Directory, package: str | None) -> None:
        self._directory = directory
        self._package = package

    def methods(self) -> Mapping[str, StateMethod]:
        """Each method by its name on the wire."""
        return {
            "loadModel": partial(self._load, ModelDefinition),
            "loadPrompt": partial(self._load, PromptDefinition),
            "loadAgent": partial(self._load, AgentDefinition),
            "getModelNames": partial(self._names, ModelDefinition),
            "getPromptNames": partial(self._names, PromptDefinition),
            "getAgentNames": partial(self._names, AgentDefinition),
        }

    async def _load(self, kind: type[Known], params: Mapping[str, object]) -> object:
        name = str(params.get("name", ""))
        found = self._directory.find(kind, name, self._package)
        if found is None:
            near = self._directory.nearest((kind,), name, self._package)
            hint = f" Did you mean {', '.join(near)}?" if near else ""
            raise StateError("LookupError", f"There is no {_word(kind)} named {name}.{hint}")
        return _as_written(found)

    async def _names(self, kind: type[Known], params: Mapping[str, object]) -> object:
        del params
        return list(self._directory.names(kind, self._package))


def _word(kind: type[Known]) -> str:
    return kind.__name__.removesuffix("Definition").lower()


def _as_written(definition: Definition) -> dict[str, object]:
    """The definition under the names of its `define_…` call."""
    fields = {name: value for name, value in definition.to_json().items() if name not in _OURS}
    if isinstance(definition, PromptDefinition):
        fields["prompt"] = fields.pop("parts")
        fields["toolDescription"] = fields.pop("description")
    return fields

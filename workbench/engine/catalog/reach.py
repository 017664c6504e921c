"""What can be reached from an agent: everything its thread may run, and the agents of its child threads (C5, V2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from workbench.domain.agents import AgentDefinition, HandlerSide, PromptSide, Side
from workbench.domain.definitions import VariableSpec
from workbench.domain.hooks import HandlerDefinition
from workbench.domain.listing import AnyDefinition
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog.directory import Directory
from workbench.engine.catalog.text import included


@dataclass(frozen=True, slots=True)
class Need:
    """A variable and the definitions that declare it, strictest first: a secret before a text, required before not."""

    spec: VariableSpec
    declared_by: tuple[AnyDefinition, ...]


@dataclass(frozen=True)
class Reach:
    """`definitions` run in the agent's own thread, `children` are the agents that run in threads below it."""

    definitions: tuple[AnyDefinition, ...]
    children: tuple[AgentDefinition, ...] = ()

    @property
    def needs(self) -> tuple[Need, ...]:
        """Every variable that the thread's own definitions declare, sorted by name."""
        declared: dict[str, list[tuple[VariableSpec, AnyDefinition]]] = {}
        for definition in self.definitions:
            for spec in definition.variables:
                declared.setdefault(spec.name, []).append((spec, definition))
        return tuple(_need(declared[name]) for name in sorted(declared))

    @cached_property
    def scoped(self) -> frozenset[str]:
        """The names that this thread never reads from its parent (V2)."""
        return frozenset(
            spec.name for definition in self.definitions for spec in definition.variables if spec.scoped
        )


def _need(declared: list[tuple[VariableSpec, AnyDefinition]]) -> Need:
    strictest = sorted(declared, key=lambda one: (one[0].type.value != "secret", not one[0].required))
    spec = strictest[0][0].model_copy(
        update={
            "required": any(spec.required for spec, _ in declared),
            "scoped": any(spec.scoped for spec, _ in declared),
        }
    )
    return Need(spec, tuple(definition for _, definition in strictest))


def reach(directory: Directory, agent: AgentDefinition) -> Reach:
    """Everything that a thread of this agent may come to, each once, nearest first."""
    return directory.once(_reach, agent)


def whole_reach(directory: Directory, agent: AgentDefinition) -> tuple[Reach, ...]:
    """The reach of an agent and of every agent below it, each once: what to ask for before a thread starts (C5)."""
    found: dict[str, Reach] = {}
    waiting = [agent]
    while waiting:
        current = waiting.pop(0)
        if current.qualified_name not in found:
            found[current.qualified_name] = reach(directory, current)
            waiting += found[current.qualified_name].children
    return tuple(found.values())


def texts(directory: Directory, agent: AgentDefinition) -> tuple[PromptDefinition, ...]:
    """The prompts that an agent's sides cannot do without, with all that they include."""
    found: dict[str, PromptDefinition] = {}
    for side in (agent.side_a, agent.side_b):
        prompt = (
            directory.find(PromptDefinition, side.prompt, agent.package)
            if isinstance(side, PromptSide)
            else None
        )
        for one in (prompt, *included(directory, prompt)) if prompt else ():
            found[one.qualified_name] = one
    return tuple(found.values())


def _reach(directory: Directory, agent: AgentDefinition) -> Reach:
    return _Walk(directory).from_agent(agent)


class _Walk:
    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._found: dict[str, AnyDefinition] = {}
        self._children: dict[str, AgentDefinition] = {}
        self._waiting: list[AnyDefinition] = []

    def from_agent(self, agent: AgentDefinition) -> Reach:
        self._meet(agent)
        while self._waiting:
            for found in self._next_to(self._waiting.pop(0)):
                self._meet(found)
        return Reach(tuple(self._found.values()), tuple(self._children.values()))

    def _meet(self, definition: AnyDefinition) -> None:
        if isinstance(definition, AgentDefinition) and self._found and not definition.has_human:
            self._children.setdefault(definition.qualified_name, definition)
            return
        key = f"{definition.kind}:{definition.qualified_name}"
        if key not in self._found:
            self._found[key] = definition
            self._waiting.append(definition)

    def _next_to(self, definition: AnyDefinition) -> Iterator[AnyDefinition]:
        package = definition.package
        if isinstance(definition, AgentDefinition):
            for side in (definition.side_a, definition.side_b):
                yield from self._of_side(side, package)
        elif isinstance(definition, PromptDefinition):
            yield from self._of_prompt(definition)
        elif isinstance(definition, ModelDefinition):
            models = (self._directory.find(ModelDefinition, name, package) for name in definition.fallbacks)
            yield from filter(None, models)
        elif isinstance(definition, ToolDefinition):
            for name in definition.uses or ():
                yield from self._directory.callables(name, package)

    def _of_side(self, side: Side, package: str | None) -> Iterator[AnyDefinition]:
        if isinstance(side, PromptSide):
            names = [*(binding.name for binding in side.bindings), *filter(None, [side.stop_tool])]
            prompt = self._directory.find(PromptDefinition, side.prompt, package)
            yield from filter(None, [prompt])
            for name in names:
                yield from self._directory.callables(name, package)
        elif isinstance(side, HandlerSide):
            yield from filter(None, [self._directory.find(HandlerDefinition, side.handler, package)])
        if isinstance(side, (PromptSide, HandlerSide)):
            for one in side.subagents:
                child = self._directory.find(AgentDefinition, one.agent, package)
                if child is not None:
                    self._children.setdefault(child.qualified_name, child)

    def _of_prompt(self, prompt: PromptDefinition) -> Iterator[AnyDefinition]:
        yield from included(self._directory, prompt)
        yield from filter(None, [self._directory.find(ModelDefinition, prompt.model, prompt.package)])
        for entry in self._directory.entries(prompt):
            yield from self._directory.callables(entry.name, prompt.package)

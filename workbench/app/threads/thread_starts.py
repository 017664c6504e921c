"""Agents as one begins a thread with them: what they take, and which variables must have a value before (C5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.base.errors import UserError
from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import JsonSchema, VariableSpec
from workbench.domain.prompts import PromptDefinition
from workbench.domain.value import Value
from workbench.domain.variables import VariableType
from workbench.engine.catalog import Catalog
from workbench.engine.catalog.offers import thread_schema
from workbench.engine.catalog.reach import Reach, whole_reach
from workbench.engine.variables import Layers, Variables


class MissingVariable(Value):
    """A required variable without a value. `needed_by` are names of definitions, `agent` the one they serve.

    A `scoped` one never takes the value of a parent's thread (V2).
    """

    name: str
    type: VariableType
    description: str
    needed_by: tuple[str, ...]
    agent: str
    scoped: bool = False


class StartableAgent(Value):
    """An agent in the list of those that can be started. `arguments` is the schema of what a thread of it is made
    with, None when it asks for nothing; `obstacle` says why it cannot start, and is empty when it can.

    Without a person (`has_human`) it works from its start on; with one it waits for a first message.
    """

    name: str
    title: str
    description: str
    path: str
    arguments: JsonSchema | None = None
    has_human: bool = True
    primary: bool = True
    tags: tuple[str, ...] = ()
    missing: tuple[MissingVariable, ...] = ()
    obstacle: str = ""


async def startable(catalog: Catalog, variables: Variables, agent: AgentDefinition) -> StartableAgent:
    """One agent as it stands now."""
    try:
        catalog.check_startable(agent)
        obstacle = ""
    except UserError as error:
        obstacle = str(error)
    return StartableAgent(
        name=agent.qualified_name,
        title=agent.title or agent.name,
        description=agent.description or agent.tool_description,
        path=agent.file.path,
        arguments=thread_schema(catalog.directory, agent),
        has_human=agent.has_human,
        primary=agent.primary,
        tags=agent.tags,
        missing=await missing_variables(catalog, variables, agent),
        obstacle=obstacle,
    )


async def missing_variables(
    catalog: Catalog, variables: Variables, agent: AgentDefinition
) -> tuple[MissingVariable, ...]:
    """The required variables without a value, of the agent and of every agent below it (C5)."""
    directory = catalog.directory
    missing: list[MissingVariable] = []
    for reach in whole_reach(directory, agent):
        owner = next(one for one in reach.definitions if isinstance(one, AgentDefinition))
        layers = Layers(scoped=reach.scoped, agent=owner.env, prompt=_prompt_values(reach))
        for need in reach.needs:
            if (
                need.spec.required
                and (await variables.resolve(need.spec.name, layers, need.spec)).value is None
            ):
                by = tuple(one.qualified_name for one in need.declared_by)
                missing.append(_missing(need.spec, by, owner.qualified_name))
    return tuple(missing)


def _missing(spec: VariableSpec, needed_by: tuple[str, ...], agent: str) -> MissingVariable:
    return MissingVariable(
        name=spec.name,
        type=spec.type,
        description=spec.description,
        needed_by=needed_by,
        agent=agent,
        scoped=spec.scoped,
    )


def _prompt_values(reach: Reach) -> Mapping[str, str]:
    """What prompts give to their own variables and to those of their tools (V1)."""

    def given() -> Iterator[Mapping[str, str]]:
        for prompt in (one for one in reach.definitions if isinstance(one, PromptDefinition)):
            yield from (entry.env for entry in prompt.tools)
            yield prompt.env

    return {name: value for env in given() for name, value in env.items()}

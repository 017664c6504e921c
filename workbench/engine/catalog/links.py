"""Links between definitions: a diagnostic for every name that leads nowhere, or to more than one thing (D2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.listing import AnyDefinition
from workbench.domain.models import ModelDefinition
from workbench.domain.packages import Package
from workbench.domain.prompts import PromptDefinition
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog.agent_links import agent_links
from workbench.engine.catalog.prompt_links import prompt_links
from workbench.engine.catalog.referring import CALLABLE_KINDS, Reference, Referring


def links(refer: Referring) -> Iterator[Diagnostic]:
    """What is wrong between the definitions of a directory, in no order."""
    yield from _twins(refer)
    for package in refer.directory.packages.values():
        yield from _entry_agents(refer, package)
    for tool in refer.directory.all(ToolDefinition):
        yield from _uses(refer, tool)
    for model in refer.directory.all(ModelDefinition):
        for name in model.fallbacks:
            yield from refer.must_be(ModelDefinition, Reference(model, name, "fallbacks"))
    for prompt in refer.directory.all(PromptDefinition):
        yield from prompt_links(refer, prompt)
    for agent in refer.directory.all(AgentDefinition):
        yield from agent_links(refer, agent)


def _entry_agents(refer: Referring, package: Package) -> Iterator[Diagnostic]:
    """A package shows agents that it has (D9)."""
    for name in package.entry_agents:
        if refer.directory.find(AgentDefinition, name, package.name) is None:
            yield Diagnostic(
                code="unknown-agent",
                severity=Severity.ERROR,
                path=package.path,
                name=package.name,
                message=f"The package {package.name} shows the agent {name}, which it does not have.",
                hint=refer.directory.what_to_write((AgentDefinition,), name, package.name),
            )


# --- names that stand for several things


def _twins(refer: Referring) -> Iterator[Diagnostic]:
    for twins in refer.directory.twins:
        yield from _clash(refer, twins)
    names = Counter((one.package, one.name) for kind in CALLABLE_KINDS for one in refer.directory.all(kind))
    for package, name in (key for key, times in names.items() if times > 1):
        found = [
            one
            for one in refer.directory.callables(name, package)
            if not isinstance(one, PromptDefinition) or refer.directory.is_used_as_tool(one)
        ]
        if len(found) > 1:
            yield from _clash(refer, found)


def _clash(refer: Referring, found: Iterable[AnyDefinition]) -> Iterator[Diagnostic]:
    for one in (all_of_them := tuple(found)):
        others = " and ".join(
            f"{other.kind} in {other.file.path}" for other in all_of_them if other is not one
        )
        yield refer.problem(
            one,
            "name-clash",
            f"The name “{one.name}” stands for this {one.kind} and for the {others}.",
            "Rename all but one; until then none of them can be called.",
            at=one.name,
        )


# --- tools


def _uses(refer: Referring, tool: ToolDefinition) -> Iterator[Diagnostic]:
    for name in tool.uses or ():
        if refer.directory.callables(name, tool.package) and not _leaves(refer, tool, name):
            continue
        if tool.package is not None:
            yield refer.problem(
                tool,
                "unknown-tool",
                f"{tool.name} uses {name}, which the package {tool.package} does not have.",
                "A package brings every tool that its tools use.",
                at=name,
            )
        else:
            yield refer.unknown(Reference(tool, name, "uses", Severity.WARNING), *CALLABLE_KINDS)


def _leaves(refer: Referring, tool: ToolDefinition, name: str) -> bool:
    """Whether a package's tool uses what is not the package's (D9)."""
    found = refer.directory.callables(name, tool.package)
    return tool.package is not None and all(one.package != tool.package for one in found)

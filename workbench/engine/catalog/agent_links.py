"""What an agent refers to: what backs its sides, the tools that stop them, its subagents and hooks."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide, Relationship, Side
from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.hooks import HandlerDefinition, HookDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.engine.catalog.fields import spelled
from workbench.engine.catalog.referring import Reference, Referring


def agent_links(refer: Referring, agent: AgentDefinition) -> Iterator[Diagnostic]:
    """What is wrong with where an agent points."""
    for name in (*agent.hooks, *agent.parent_hooks):
        yield from refer.must_be(HookDefinition, Reference(agent, name, "hooks"))
    yield from refer.secrets_in(agent, agent.env)
    for word, side in (("sideA", agent.side_a), ("sideB", agent.side_b)):
        yield from _side(refer, agent, side, spelled(word, agent.file.language))


def _side(refer: Referring, agent: AgentDefinition, side: Side, word: str) -> Iterator[Diagnostic]:
    if isinstance(side, HumanSide):
        return
    if isinstance(side, HandlerSide):
        yield from refer.must_be(HandlerDefinition, Reference(agent, side.handler, word))
    else:
        yield from refer.must_be(PromptDefinition, Reference(agent, side.prompt, word))
        yield from _stopping(refer, agent, side, word)
    for one in side.subagents:
        yield from _relationship(refer, agent, one, word)


def _stopping(refer: Referring, agent: AgentDefinition, side: PromptSide, word: str) -> Iterator[Diagnostic]:
    wanted: list[tuple[str, tuple[str, ...]]] = []
    if side.stop_tool is not None:
        wanted.append((side.stop_tool, tuple(filter(None, [side.stop_tool_response_property]))))
    for binding in side.bindings:
        properties = (*filter(None, [binding.message_property]), *binding.attachments_property)
        wanted.append((binding.name, properties))
    prompt = refer.directory.find(PromptDefinition, side.prompt, agent.package)
    offered = {entry.name for entry in refer.directory.entries(prompt)} if prompt else None
    for name, properties in wanted:
        found = refer.directory.callables(name, agent.package)
        if not found:
            yield refer.not_callable(Reference(agent, name, word))
            continue
        yield from refer.properties(agent, found[0], properties)
        if offered is not None and name not in offered:
            yield refer.problem(
                agent,
                "not-offered",
                f"{word} waits for a call of {name}, which its prompt {side.prompt} does not offer.",
                f"Add {name} to the tools of {side.prompt}.",
                severity=Severity.WARNING,
                at=name,
            )


def _relationship(
    refer: Referring, agent: AgentDefinition, one: Relationship, word: str
) -> Iterator[Diagnostic]:
    child = refer.directory.find(AgentDefinition, one.agent, agent.package)
    if child is None:
        yield refer.unknown(Reference(agent, one.agent, f"{word}.subagents"), AgentDefinition)
        return
    if not child.expose_as_tool:
        yield refer.not_exposed(agent, child)
    properties = [
        *filter(None, [one.init_user_message_property, one.init_agent_name_property]),
        *one.init_attachments_property,
    ]
    yield from refer.properties(agent, child, properties)

"""What a person reads of a definition that is no tool: sections of short facts, the same in window and terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from workbench.base.exact_json import dump
from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide, Relationship, Side
from workbench.domain.definitions import DefinitionKind, JsonSchema
from workbench.domain.hooks import HOOKS, EffectDefinition, HandlerDefinition, HookDefinition
from workbench.domain.listing import AnyDefinition
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import EnvPart, IncludePart, PromptDefinition, PromptPart, PromptTool


class Fact(NamedTuple):
    """A short text under a label. `refers` are the definitions that it names: kind and name, `tool` for whatever can
    be called."""

    label: str
    text: str
    refers: tuple[tuple[DefinitionKind, str], ...] = ()


class Section(NamedTuple):
    """Facts under a title; `text` is long text instead, such as a prompt's, `schema` a JSON Schema."""

    title: str
    facts: tuple[Fact, ...] = ()
    text: str = ""
    schema: JsonSchema | None = None


def sheet_of(definition: AnyDefinition) -> tuple[Section, ...]:
    """The sections of a definition; none for a tool, which has more to it."""
    sections: Iterator[Section] = iter(())
    if isinstance(definition, PromptDefinition):
        sections = _prompt(definition)
    elif isinstance(definition, AgentDefinition):
        sections = _agent(definition)
    elif isinstance(definition, ModelDefinition):
        sections = _model(definition)
    elif isinstance(definition, (HookDefinition, HandlerDefinition, EffectDefinition)):
        sections = _code(definition)
    return tuple(section for section in sections if section.facts or section.text or section.schema)


def _prompt(prompt: PromptDefinition) -> Iterator[Section]:
    yield Section("Text", text="".join(map(_part, prompt.parts)))
    included = tuple(part.prompt for part in prompt.parts if isinstance(part, IncludePart))
    yield Section(
        "Request",
        (
            _one("Model", DefinitionKind.MODEL, prompt.model),
            *_many("Includes", DefinitionKind.PROMPT, included),
            Fact("Conversation", "sent" if prompt.include_chat else "not sent"),
            Fact("Earlier calls", "sent" if prompt.include_past_tools else "not sent"),
            Fact("Tool choice", prompt.tool_choice),
            *_many("Hooks", DefinitionKind.HOOK, prompt.hooks or ()),
            *_values("Reasoning", prompt.reasoning.to_json() if prompt.reasoning else {}),
            *_values("Options", prompt.provider_options),
            *_values("Env", prompt.env),
        ),
    )
    yield Section("Tools", tuple(map(_entry, prompt.tools)))
    yield Section("JSON Schema of what it takes", schema=prompt.required_schema)


def _part(part: PromptPart) -> str:
    if isinstance(part, EnvPart):
        return f"⟨{part.property}⟩"
    return f"⟨include {part.prompt}⟩" if isinstance(part, IncludePart) else part.content


def _entry(entry: PromptTool) -> Fact:
    settings = {
        name: value
        for name, value in entry.to_json().items()
        if name != "name" and value != PromptTool(name=entry.name).to_json()[name]
    }
    return Fact(entry.name, dump(settings) if settings else "", ((DefinitionKind.TOOL, entry.name),))


def _agent(agent: AgentDefinition) -> Iterator[Section]:
    yield Section("Description", text=agent.description)
    for title, side in (("Side A", agent.side_a), ("Side B", agent.side_b)):
        yield Section(title, tuple(_side(side)))
    turns = agent.max_session_turns
    yield Section(
        "Thread",
        (
            *([Fact("Longest session", f"{turns} turns")] if turns else []),
            *_many("Hooks", DefinitionKind.HOOK, agent.hooks),
            *_many("Hooks for its parent", DefinitionKind.HOOK, agent.parent_hooks),
            *_values("Env", agent.env),
            *([Fact("Tags", ", ".join(agent.tags))] if agent.tags else []),
            *([Fact("As a tool", agent.tool_description)] if agent.expose_as_tool else []),
        ),
    )


def _side(side: Side) -> Iterator[Fact]:
    if isinstance(side, HumanSide):
        yield Fact("Backed by", "a person")
    elif isinstance(side, HandlerSide):
        yield _one("Handler", DefinitionKind.HANDLER, side.handler)
    else:
        yield _one("Prompt", DefinitionKind.PROMPT, side.prompt)
        yield from _stops(side)
    if side.label:
        yield Fact("Label", side.label)
    if not isinstance(side, HumanSide):
        for one in side.subagents:
            yield Fact("Subagent", _relationship(one), ((DefinitionKind.AGENT, one.agent),))


def _stops(side: PromptSide) -> Iterator[Fact]:
    if side.stop_on_response:
        yield Fact("Stops", "when the model answers without a call")
    if side.stop_tool:
        yield _one("Stops with", DefinitionKind.TOOL, side.stop_tool)
    if side.max_steps:
        yield Fact("Most steps", str(side.max_steps))
    for label, binding in (
        ("Session ends with", side.session_stop),
        ("Session fails with", side.session_fail),
        ("Session reports with", side.session_status),
    ):
        if binding is not None:
            yield _one(label, DefinitionKind.TOOL, binding.name)


def _relationship(one: Relationship) -> str:
    words = [one.name if one.name == one.agent else f"{one.name} ({one.agent})"]
    words.append("waited for" if one.blocking else "free")
    if one.immediate:
        words.append("made with the thread")
    if one.hidden:
        words.append("hidden from the model")
    if one.max_instances:
        words.append(f"at most {one.max_instances}")
    if one.optional:
        words.append(f"while {one.optional} is true")
    return ", ".join(words)


def _model(model: ModelDefinition) -> Iterator[Section]:
    prices = {"in": model.input_price, "out": model.output_price, "cached": model.cached_price}
    shown = ", ".join(f"{price:g} {name}" for name, price in prices.items() if price is not None)
    yield Section(
        "Served by",
        (
            Fact("Provider", model.provider.value),
            Fact("Model", model.model),
            *([Fact("Address", model.base_url)] if model.base_url else []),
            *([Fact("Key", model.key_variable)] if model.key_variable else []),
            *_many("Fallbacks", DefinitionKind.MODEL, model.fallbacks),
            *([Fact("US$ a million tokens", shown)] if shown else []),
            *_values("Can", {k: v for k, v in model.capabilities.to_json().items() if v not in (None, {})}),
            *_values("Options", model.provider_options),
            *([Fact("Provider's tools", ", ".join(model.provider_tools))] if model.provider_tools else []),
        ),
    )


def _code(definition: HookDefinition | HandlerDefinition | EffectDefinition) -> Iterator[Section]:
    yield Section("Description", text=definition.description)
    if isinstance(definition, HookDefinition):
        shape = HOOKS[definition.hook]
        gets = ", ".join(("state", *shape.parameters))
        does = f"may change {shape.parameters[-1]}" if shape.transforms else "changes nothing"
        yield Section("Hook", (Fact("Runs at", definition.hook.value), Fact("Gets", gets), Fact("It", does)))
    elif isinstance(definition, EffectDefinition):
        yield Section("JSON Schema of the arguments", schema=definition.input_schema)


def _one(label: str, kind: DefinitionKind, name: str) -> Fact:
    return Fact(label, name, ((kind, name),))


def _many(label: str, kind: DefinitionKind, names: Iterable[str]) -> list[Fact]:
    found = tuple((kind, name) for name in names)
    return [Fact(label, ", ".join(name for _, name in found), found)] if found else []


def _values(label: str, values: Mapping[str, object]) -> list[Fact]:
    given = {name: value for name, value in values.items() if value is not None}
    return [Fact(label, dump(given))] if given else []

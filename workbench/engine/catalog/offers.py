"""What a prompt offers to its model: tools, prompts and agents under the names the model calls, with their schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, Side
from workbench.domain.definitions import JsonSchema
from workbench.domain.model_requests import OfferedTool
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import PromptDefinition, PromptTool
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog.directory import CallableDefinition, Directory
from workbench.engine.models.offering import with_first

PROVIDER_PREFIX = "provider:"

_NO_ARGUMENTS: JsonSchema = {"type": "object", "properties": {}, "additionalProperties": False}
_A_MESSAGE: JsonSchema = {
    "type": "object",
    "properties": {"message": {"type": "string", "description": "What to say to the agent."}},
    "required": ["message"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A callable as one prompt offers it. `name` is what the model calls, `entry` how it is called from there (T4)."""

    name: str
    entry: PromptTool
    definition: CallableDefinition
    description: str
    input_schema: JsonSchema

    @property
    def runs_elsewhere(self) -> bool:
        """Whether the model's provider runs it, and nobody here (C15)."""
        return isinstance(self.definition, ToolDefinition) and self.definition.execution_mode == "provider"

    def to_offered(self) -> OfferedTool:
        """What goes into the model's request; the argument that tells of progress comes first (C8)."""
        progress = self.definition.progress_argument if isinstance(self.definition, ToolDefinition) else None
        return OfferedTool(
            name=self.name,
            description=self.description,
            input_schema=with_first(self.input_schema, progress),
            progress_argument=progress,
        )


def offer_to_code(directory: Directory, name: str, package: str | None) -> Offer | None:
    """What code calls by a name: whatever has it (C4); None where nothing has, or several have."""
    found = directory.callables(name, package)
    if len(found) != 1:
        return None
    schema = call_schema(directory, found[0])
    return Offer(name, PromptTool(name=name), found[0], found[0].description, schema)


def offers(directory: Directory, prompt: PromptDefinition) -> tuple[Offer, ...]:
    """The callables of a prompt's `tools`, in their order; what does not resolve or clashes is left out (D2, D10).

    A tool that runs in the provider is among them (C15), and a script; what an agent runs by other means is not (C14).
    """
    return directory.once(_offers, prompt)


def _offers(directory: Directory, prompt: PromptDefinition) -> tuple[Offer, ...]:
    return tuple(_each_offer(directory, prompt))


def _each_offer(directory: Directory, prompt: PromptDefinition) -> Iterator[Offer]:
    for entry in directory.entries(prompt):
        found = directory.callables(entry.name, prompt.package)
        if len(found) != 1:
            continue
        (one,) = found
        if isinstance(one, ToolDefinition) and one.execution == "agent" and one.script is None:
            continue
        if isinstance(one, PromptDefinition) and not one.description:
            continue
        description = one.tool_description if isinstance(one, AgentDefinition) else one.description
        yield Offer(model_name(entry.name), entry, one, description, call_schema(directory, one))


def provider_tools(prompt: PromptDefinition, model: ModelDefinition) -> tuple[str, ...]:
    """Names of the tools that the model's provider runs itself: the model's own, and `provider:NAME` of the prompt."""
    named = [entry.name for entry in prompt.tools if entry.name.startswith(PROVIDER_PREFIX)]
    wanted = [*model.provider_tools, *(name.removeprefix(PROVIDER_PREFIX) for name in named)]
    return tuple(dict.fromkeys(wanted))


def model_name(name: str) -> str:
    """A name as models may call it: `@scope/package/name` as `scope__package__name` (D14), and `_` for what else a
    server's tool may have in its name and no provider takes."""
    return _NO_PART_OF_A_NAME.sub("_", name.removeprefix("@").replace("/", "__"))


_NO_PART_OF_A_NAME = re.compile(r"[^A-Za-z0-9_-]")


def receiving_side(agent: AgentDefinition) -> Side:
    """The side that a message from outside is addressed to: b when a person is a, else a (D14)."""
    return agent.side_b if isinstance(agent.side_a, HumanSide) else agent.side_a


def call_schema(directory: Directory, definition: CallableDefinition) -> JsonSchema:
    """The schema of a callable's arguments. A prompt's is its `required_schema`, an agent's that of the prompt which
    receives; an agent without one takes a `message` (D14)."""
    if isinstance(definition, ToolDefinition):
        return definition.input_schema or _NO_ARGUMENTS
    if isinstance(definition, PromptDefinition):
        return definition.required_schema or _NO_ARGUMENTS
    return thread_schema(directory, definition) or _A_MESSAGE


def thread_schema(directory: Directory, agent: AgentDefinition) -> JsonSchema | None:
    """What a thread of an agent must be made with: what the prompt requires that receives; None when it asks for
    nothing, and then it takes any arguments."""
    side = receiving_side(agent)
    if isinstance(side, (HandlerSide, HumanSide)):
        return None
    prompt = directory.find(PromptDefinition, side.prompt, agent.package)
    return prompt.required_schema if prompt else None


def properties_of(schema: JsonSchema) -> Mapping[str, object]:
    """The properties that an object schema names."""
    found = schema.get("properties")
    return cast(Mapping[str, object], found) if isinstance(found, Mapping) else {}

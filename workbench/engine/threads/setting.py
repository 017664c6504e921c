"""What surrounds the calls of a step: the names its prompt offers, the hooks that hold, the way back to its thread."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from workbench.base.exact_json import dump
from workbench.domain.agents import AgentDefinition
from workbench.domain.calls import Origin, ToolResult
from workbench.domain.prompts import PromptDefinition
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import MessageHooks, Offered, Perform, Place, StateMethod
from workbench.engine.catalog.directory import CallableDefinition, Directory
from workbench.engine.catalog.offers import Offer, offer_to_code
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.hooks import Hooks

Performer = Callable[[Offer, Actor], Perform]
"""Makes what runs a prompt or an agent that is called as a tool."""

Execution = Callable[[], Mapping[str, object]]
Methods = Callable[[], Mapping[str, StateMethod]]


class StepSetting:
    """A Setting for one step. `built_in` are the callables that no file defines."""

    def __init__(
        self,
        directory: Directory,
        actor: Actor,
        offers: Mapping[str, Offer],
        hooks: Hooks,
        *,
        built_in: Mapping[str, Offered],
        performer: Performer,
        execution: Execution,
        methods: Methods,
    ) -> None:
        self.place: Place = actor.place
        self.message_hooks: MessageHooks = hooks
        self._directory = directory
        self._actor = actor
        self._offers = offers
        self._hooks = hooks
        self._built_in = built_in
        self._performer = performer
        self._execution = execution
        self._methods = methods

    def find(self, name: str, origin: Origin) -> Offered | None:
        """The model calls what its prompt offers (C2), code whatever has the name (C4), if it runs here (C15)."""
        if name in self._built_in:
            return self._built_in[name]
        offer = self._offers.get(name)
        if offer is None and origin is not Origin.MODEL:
            offer = self._any(name)
        return self._offered(offer) if offer is not None and not offer.runs_elsewhere else None

    def _any(self, name: str) -> Offer | None:
        return offer_to_code(self._directory, name, self._actor.prompt.package)

    def _offered(self, offer: Offer) -> Offered:
        if isinstance(offer.definition, ToolDefinition):
            tool = offer.definition
            return Offered(tool.model_copy(update={"name": offer.name}), offer.entry.env, offer.entry.options)
        return Offered(
            as_tool(offer),
            offer.entry.env,
            offer.entry.options,
            perform=self._performer(offer, self._actor),
        )

    def nearest(self, name: str) -> tuple[str, ...]:
        return tuple(get_close_matches(name, [*self._offers, *self._built_in], n=3))

    def why_not_offered(self, name: str) -> tuple[str, str] | None:
        prompt, found = self._actor.prompt, self._any(name)
        if found is None:
            return None
        kind = found.definition.kind
        return (
            f"The {kind} {name} is there, but the prompt {prompt.name} does not offer it.",
            f'Call one that was offered. To offer this one, list "{name}" in the tools of {prompt.file.path}.',
        )

    def execution(self) -> Mapping[str, object] | None:
        return self._execution()

    def methods(self) -> Mapping[str, StateMethod]:
        return self._methods()

    def announced(self, call: RunningCall, progress: str | None) -> None:
        self._hooks.started(call, progress)

    async def settle(self, call: RunningCall, result: ToolResult) -> ToolResult:
        return await self._hooks.settle(call, result)


def as_tool(offer: Offer) -> ToolDefinition:
    """A prompt or an agent as the pipeline takes a call of it (D10)."""
    definition: CallableDefinition = offer.definition
    version = definition.version
    if isinstance(definition, AgentDefinition):
        # Its schema is that of the prompt which receives, whose file has a version of its own.
        digest = hashlib.sha256(dump(offer.input_schema).encode()).hexdigest()
        version = f"{version}+{digest[:16]}"
    return ToolDefinition(
        name=offer.name,
        file=definition.file,
        description=offer.description,
        line=definition.line,
        variables=definition.variables if isinstance(definition, PromptDefinition) else (),
        version=version,
        input_schema=offer.input_schema,
    )

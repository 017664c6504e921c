"""Who speaks in a thread: what each side of its agent is called, and what stands beside the name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide, Side, SideName
from workbench.domain.listing import Listing
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Message, Role

_SIDES: tuple[SideName, ...] = ("a", "b")


@dataclass(frozen=True)
class Speakers:
    """`sides` by name, `models` the model of each prompt, `labels` what a side that speaks with a prompt is called."""

    sides: Mapping[str, Side] = field(default_factory=dict[str, Side])
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    are_recorded: bool = False
    """What the models say was recorded in another thread (T22)."""

    def name(self, message: Message) -> str:
        """Whose message it is."""
        if message.role is Role.SYSTEM:
            return "system"
        if message.prompt:
            return self._label(message) or message.prompt
        side = self.sides.get(message.side or "")
        if isinstance(side, HumanSide):
            return side.label or "person"
        if isinstance(side, HandlerSide):
            return side.label or side.handler
        if message.role is Role.ASSISTANT:
            return "model"
        if "from" in message.metadata:
            return "another thread"
        return "code" if message.silent or message.role is Role.TOOL else "from outside"

    def _label(self, message: Message) -> str:
        """What the side is called that speaks with this message's prompt; "" inside of a call, which is no side."""
        return "" if message.depth else self.labels.get(message.prompt or "", "")

    def note(self, message: Message, *, requests: int = 0, opening: bool = False) -> str:
        """What is said beside the name."""
        said: list[str] = []
        side = self.sides.get(message.side or "")
        if message.prompt and self._label(message) not in ("", message.prompt):
            said.append(message.prompt)
        if message.prompt and message.prompt in self.models:
            model = self.models[message.prompt]
            said.append(f"recording of {model}" if self.are_recorded else f"model {model}")
        elif isinstance(side, HumanSide) and side.label:
            said.append("person")
        elif isinstance(side, HandlerSide):
            said.append("handler")
        if requests:
            said.append("1 request" if requests == 1 else f"{requests:,} requests")
        if opening and message.role is Role.USER:
            said.append("opening message")
        return ", ".join(said)


def speakers_of(listings: Iterable[Listing], agent: str, *, are_recorded: bool = False) -> Speakers:
    """The speakers of an agent's threads, as the project defines them now.

    Other agents' labels count, too: a thread may have been handed over by one of them.
    """
    models: dict[str, str] = {}
    labels: dict[str, str] = {}
    sides: dict[str, Side] = {}
    for listing in listings:
        definition = listing.definition
        if isinstance(definition, PromptDefinition):
            models[definition.name] = definition.model
        elif isinstance(definition, AgentDefinition):
            own: dict[str, Side] = {name: definition.side(name) for name in _SIDES}
            named = {
                side.prompt: side.label
                for side in own.values()
                if isinstance(side, PromptSide) and side.label is not None
            }
            if definition.qualified_name == agent:
                sides, labels = own, {**labels, **named}
            else:
                labels = {**named, **labels}
    return Speakers(sides, models, labels, are_recorded)

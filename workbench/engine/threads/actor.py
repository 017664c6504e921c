"""A prompt at work in a thread: whose side it is, how it looks at the history, what its calls may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.base.ids import MessageId
from workbench.domain.agents import AgentDefinition, SideName
from workbench.domain.prompts import PromptDefinition
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import Place
from workbench.engine.threads.context import Viewpoint
from workbench.engine.variables import Layers


@dataclass(frozen=True, slots=True)
class Actor:
    """A side's prompt, or a sub-prompt below one of its calls (T4).

    `arguments` fill the prompt's placeholders, `path` names the prompts from the side's own down to this one.
    """

    agent: AgentDefinition
    side: SideName
    prompt: PromptDefinition
    layers: Layers
    view: Viewpoint
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    path: tuple[str, ...] = ()
    caller: RunningCall | None = None
    """The call that a sub-prompt answers."""

    @property
    def depth(self) -> int:
        """How deep its messages lie."""
        return 0 if self.caller is None else self.caller.message_depth + 1

    @property
    def parent_id(self) -> MessageId | None:
        """The pending result that a sub-prompt works for: its messages carry it."""
        return self.caller.result_message_id if self.caller else None

    @property
    def conversation(self) -> str:
        """The name, within its thread, of what this actor takes part in: its side and the prompts down to it."""
        return "/".join((self.side, *self.path))

    @property
    def place(self) -> Place:
        """Where its calls stand; nested ones count their depth from their caller."""
        return Place(
            side=self.side,
            prompt=self.prompt.name,
            depth=self.caller.setting.place.depth if self.caller else 0,
            parent_id=self.parent_id,
        )

"""An agent as the engine knows it: two sides, when their turns and the session end, and which agents serve it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from workbench.domain.definitions import Definition
from workbench.domain.value import Value

SideName = Literal["a", "b"]

LIFECYCLE_TOOLS = frozenset({"subagents", "subagent_create", "subagent_message"})
"""The tools of a side with subagents; nothing else that can be called, and no relationship, has these names (D2)."""


class SessionBinding(Value):
    """A tool whose call ends or reports the session; which of its arguments are the message and the files."""

    name: str
    message_property: str | None = None
    attachments_property: tuple[str, ...] = ()


class Immediate(Value):
    """A child that is made with its thread. Variables that name and describe it, and that only it gets."""

    name_env: str | None = None
    description_env: str | None = None
    scoped_env: tuple[str, ...] = ()


class Relationship(Value):
    """An agent that a side may start as its child (T5). `name` is what the side calls it: `as`, else the agent.

    A `hidden` one has no lifecycle tools. With `parent_communication` `explicit` only what the child says with
    `notify_parent` reaches the parent. A child that is not `resumable` is terminated at the end of its session.
    `optional` names a variable: the relationship holds while that is true, 1 or yes in any case.
    """

    name: str
    agent: str
    blocking: bool = True
    immediate: Immediate | None = None
    hidden: bool = False
    resumable: bool = True
    max_instances: int | None = None
    parent_communication: Literal["implicit", "explicit"] = "implicit"
    optional: str | None = None
    init_user_message_property: str | None = None
    init_attachments_property: tuple[str, ...] = ()
    init_agent_name_property: str | None = None


class HumanSide(Value):
    """A person: the thread waits here for a message."""

    backing: Literal["human"] = "human"
    label: str | None = None


class PromptSide(Value):
    """A model. Its turn ends with a text without calls (`stop_on_response`), with a call of `stop_tool`, whose
    `stop_tool_response_property` is the answer, or after `max_steps` model requests (T2)."""

    backing: Literal["prompt"] = "prompt"
    prompt: str
    label: str | None = None
    subagents: tuple[Relationship, ...] = ()
    stop_on_response: bool = True
    stop_tool: str | None = None
    stop_tool_response_property: str | None = None
    max_steps: int | None = None
    session_stop: SessionBinding | None = None
    session_fail: SessionBinding | None = None
    session_status: SessionBinding | None = None
    manual_stop_condition: bool = False

    @property
    def bindings(self) -> tuple[SessionBinding, ...]:
        """The session's tools that this side has."""
        found = (self.session_stop, self.session_fail, self.session_status)
        return tuple(binding for binding in found if binding is not None)


class HandlerSide(Value):
    """Code that takes this side's turns, once for each message that came in."""

    backing: Literal["handler"] = "handler"
    handler: str
    label: str | None = None
    subagents: tuple[Relationship, ...] = ()


Side = HumanSide | PromptSide | HandlerSide


class AgentDefinition(Definition):
    """An agent (T1). `max_session_turns` counts the turns of both sides; `primary` is False for an agent that
    others hand over to and no list shows first. `packing` is what a package says of itself."""

    title: str | None = None
    side_a: Side
    side_b: Side
    max_session_turns: int | None = None
    expose_as_tool: bool = False
    tool_description: str = ""
    primary: bool = True
    parent_hooks: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    env: Mapping[str, str] = Field(default_factory=dict[str, str])
    icon: str | None = None
    tags: tuple[str, ...] = ()
    packing: Mapping[str, str] = Field(default_factory=dict[str, str])

    def side(self, name: SideName) -> Side:
        return self.side_a if name == "a" else self.side_b

    @property
    def has_human(self) -> bool:
        """As a tool, an agent with a person takes over the thread; one without runs as a child (T4)."""
        return self.human_side is not None

    @property
    def human_side(self) -> SideName | None:
        """The side that is a person, if one is (T1)."""
        if isinstance(self.side_a, HumanSide):
            return "a"
        return "b" if isinstance(self.side_b, HumanSide) else None

    @property
    def relationships(self) -> tuple[tuple[SideName, Relationship], ...]:
        """Every subagent with the side that owns it."""
        sides: tuple[tuple[SideName, Side], ...] = (("a", self.side_a), ("b", self.side_b))
        return tuple(
            (name, one) for name, side in sides if not isinstance(side, HumanSide) for one in side.subagents
        )

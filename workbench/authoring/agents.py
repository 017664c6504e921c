"""`define_agent`: two sides that take turns, and when that ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from workbench.authoring.definition import NOT_GIVEN, Definition, made
from workbench.authoring.variables import Variable


@dataclass(frozen=True)
class SessionBinding:
    """A tool that ends or reports the session; which of its arguments are the message and the files."""

    name: str
    message_property: str | None = None
    attachments_property: str | Sequence[str] | None = None


@dataclass(frozen=True)
class Immediate:
    """A child that is made with its thread: variables that name and describe it, and that only it gets."""

    name_env: str | None = None
    description_env: str | None = None
    scoped_env: Sequence[str] = ()


@dataclass(frozen=True)
class Subagent:
    """An agent that a side may start as its child (T5). `as_` is the side's own name for it."""

    agent: str
    as_: str | None = None
    blocking: bool = True
    immediate: bool | Immediate = False
    hidden: bool = False
    resumable: bool = True
    max_instances: int | None = None
    parent_communication: Literal["implicit", "explicit"] = "implicit"
    optional: str | None = None
    init_user_message_property: str | None = None
    init_attachments_property: str | Sequence[str] | None = None
    init_agent_name_property: str | None = None


@dataclass(frozen=True)
class HumanSide:
    """A side that is a person."""

    human: Literal[True] = True
    label: str | None = None


@dataclass(frozen=True)
class PromptSide:
    """A side that is a model (T2)."""

    prompt: str
    label: str | None = None
    subagents: Sequence[Subagent | Mapping[str, Any]] = ()
    stop_on_response: bool = True
    stop_tool: str | None = None
    stop_tool_response_property: str | None = None
    max_steps: int | None = None
    session_stop: SessionBinding | Mapping[str, Any] | None = None
    session_fail: SessionBinding | Mapping[str, Any] | None = None
    session_status: SessionBinding | Mapping[str, Any] | None = None
    manual_stop_condition: bool = False


@dataclass(frozen=True)
class HandlerSide:
    """A side that is code of `agents/handlers`."""

    handler: str
    label: str | None = None
    subagents: Sequence[Subagent | Mapping[str, Any]] = ()


Side = Union[HumanSide, PromptSide, HandlerSide, Mapping[str, Any]]


class AgentDefinition(Definition):
    """An agent as written."""

    kind = "agent"


_SAY_INSTEAD = {
    "prompt": "write side_a=PromptSide(prompt=…)",
    "model": "a side's prompt names its model",
    "tools": "a side's prompt lists its tools",
    "subagents": "they belong to a side: PromptSide(prompt=…, subagents=[…])",
    "execute": "an agent runs no code; a side can be a handler: HandlerSide(handler=…)",
}
_OLDER = ("type", "end_conversation_tool", "max_turns", "default_prompt", "default_model")


def define_agent(
    *positional: Any,
    name: str = NOT_GIVEN,
    title: str = NOT_GIVEN,
    description: str = NOT_GIVEN,
    side_a: Side = NOT_GIVEN,
    side_b: Side = NOT_GIVEN,
    max_session_turns: int = NOT_GIVEN,
    expose_as_tool: bool = NOT_GIVEN,
    tool_description: str = NOT_GIVEN,
    primary: bool = NOT_GIVEN,
    parent_hooks: Sequence[str] = NOT_GIVEN,
    hooks: Sequence[str] = NOT_GIVEN,
    variables: Sequence[Variable | Mapping[str, Any]] = NOT_GIVEN,
    env: Mapping[str, str] = NOT_GIVEN,
    icon: str = NOT_GIVEN,
    tags: Sequence[str] = NOT_GIVEN,
    package_name: str = NOT_GIVEN,
    version: str = NOT_GIVEN,
    author: str = NOT_GIVEN,
    license: str = NOT_GIVEN,
    tenvs: Mapping[str, str] = NOT_GIVEN,
    **unknown: Any,
) -> AgentDefinition:
    """Define the agent of this file (T1).

    A side is a HumanSide, a PromptSide or a HandlerSide, or a mapping with the same fields. `tenvs` is older and
    diagnosed. Raises DefinitionError for a field that does not exist.
    """
    return made(AgentDefinition, locals(), say_instead=_SAY_INSTEAD, older=_OLDER)

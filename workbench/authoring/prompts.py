"""`define_prompt`: the text that a model is given first, which model that is, and what it may call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from workbench.authoring.definition import NOT_GIVEN, Definition, made
from workbench.authoring.variables import Variable


@dataclass(frozen=True)
class Text:
    """A part of a prompt: text as written, with `{{name}}` for an argument of the thread."""

    content: str
    type: Literal["text"] = "text"


@dataclass(frozen=True)
class Include:
    """A part of a prompt: the whole of another prompt."""

    prompt: str
    type: Literal["include"] = "include"


@dataclass(frozen=True)
class Env:
    """A part of a prompt: the value of a text variable."""

    property: str
    type: Literal["env"] = "env"


@dataclass(frozen=True)
class PromptTool:
    """An entry of `tools`: a tool with values for its variables, and options that it gets with each call."""

    name: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class SubPrompt:
    """An entry of `tools`: a prompt called as a tool. What comes back of its step, and which of the call's arguments
    become its first message and the files of that (T4)."""

    name: str
    include_text_response: bool = True
    include_tool_calls: bool = True
    include_errors: bool = True
    init_user_message_property: str | None = None
    init_attachments_property: str | Sequence[str] | None = None


@dataclass(frozen=True)
class Reasoning:
    """How much the model thinks first."""

    effort: Literal["low", "medium", "high"] | None = None
    max_tokens: int | None = None
    exclude: bool | None = None
    include: bool | None = None


class PromptDefinition(Definition):
    """A prompt as written."""

    kind = "prompt"


Part = Union[str, Text, Include, Env, Mapping[str, Any]]
ToolEntry = Union[str, PromptTool, SubPrompt, Mapping[str, Any]]

_SAY_INSTEAD = {
    "description": "write tool_description=, what another model reads when it can call the prompt",
    "system": "write prompt=",
    "text": "write prompt=",
    "args": "write required_schema=, a pydantic model or a JSON Schema",
    "uses": "write tools=",
    "temperature": 'write provider_options={"temperature": …}',
    "execute": "a prompt runs no code; a tool or a handler does",
}


def define_prompt(
    *positional: Any,
    name: str = NOT_GIVEN,
    tool_description: str = NOT_GIVEN,
    prompt: str | Sequence[Part] = NOT_GIVEN,
    model: str = NOT_GIVEN,
    include_chat: bool = NOT_GIVEN,
    include_past_tools: bool = NOT_GIVEN,
    parallel_tool_calls: bool = NOT_GIVEN,
    tool_choice: Literal["auto", "none", "required"] = NOT_GIVEN,
    required_schema: Any = NOT_GIVEN,
    tools: Sequence[ToolEntry] = NOT_GIVEN,
    variables: Sequence[Variable | Mapping[str, Any]] = NOT_GIVEN,
    env: Mapping[str, str] = NOT_GIVEN,
    reasoning: Reasoning | Mapping[str, Any] = NOT_GIVEN,
    recent_image_threshold: int = NOT_GIVEN,
    provider_options: Mapping[str, Any] = NOT_GIVEN,
    hooks: Sequence[str] = NOT_GIVEN,
    expose_as_tool: bool = NOT_GIVEN,
    tenvs: Mapping[str, str] = NOT_GIVEN,
    **unknown: Any,
) -> PromptDefinition:
    """Define the prompt of this file.

    `prompt` is a text or a list of parts, joined with nothing between them. `required_schema` is a pydantic model
    or a JSON Schema mapping. `expose_as_tool` and `tenvs` are older and diagnosed. Raises DefinitionError for a
    field that does not exist.
    """
    return made(PromptDefinition, locals(), say_instead=_SAY_INSTEAD, older=("subagents", "max_image_pixels"))

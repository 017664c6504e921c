"""A prompt as the engine knows it: the text of a system message, the model, and what the model may call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from workbench.domain.definitions import Definition, JsonSchema
from workbench.domain.value import Value


class TextPart(Value):
    """Text as written; `{{name}}` stands for an argument of the thread (D13)."""

    type: Literal["text"] = "text"
    content: str


class IncludePart(Value):
    """The whole text of another prompt, by its name."""

    type: Literal["include"] = "include"
    prompt: str


class EnvPart(Value):
    """The value of a text variable."""

    type: Literal["env"] = "env"
    property: str


PromptPart = TextPart | IncludePart | EnvPart


class PromptTool(Value):
    """One entry of a prompt's `tools`: a callable by its name, and how it is called from here.

    `env` are values of the tool scope (V1), `options` reach the tool with each call. The rest shapes a prompt or
    an agent called as a tool (T4): the properties of its arguments that become the first message and its files,
    and what of the answer comes back.
    """

    name: str
    env: Mapping[str, str] = Field(default_factory=dict[str, str])
    options: Mapping[str, object] = Field(default_factory=dict[str, object])
    include_text_response: bool = True
    include_tool_calls: bool = True
    include_errors: bool = True
    init_user_message_property: str | None = None
    init_attachments_property: tuple[str, ...] = ()


class Reasoning(Value):
    """How much a model thinks before it answers; what is None is left to the model. `max_tokens` is a limit."""

    effort: Literal["low", "medium", "high"] | None = None
    max_tokens: int | None = None
    exclude: bool | None = None
    include: bool | None = None


class PromptDefinition(Definition):
    """A prompt. `description` is its tool description: what another model reads when it can call it (D10).

    `parts` are joined with nothing between them (D13). `hooks` None leaves the agent's; a list, also an empty one,
    replaces them (T8). `recent_image_threshold` counts messages from the newest.
    """

    parts: tuple[PromptPart, ...]
    model: str
    include_chat: bool = False
    include_past_tools: bool = False
    parallel_tool_calls: bool = False
    tool_choice: Literal["auto", "none", "required"] = "auto"
    required_schema: JsonSchema | None = None
    tools: tuple[PromptTool, ...] = ()
    env: Mapping[str, str] = Field(default_factory=dict[str, str])
    reasoning: Reasoning | None = None
    recent_image_threshold: int = 10
    provider_options: Mapping[str, object] = Field(default_factory=dict[str, object])
    hooks: tuple[str, ...] | None = None

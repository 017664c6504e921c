"""What a model is asked, as one value that every provider's wire can be written from (T2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from workbench.domain.models import Provider
from workbench.domain.value import Value

# --- parts of a message ------------------------------------------------------------------------------------


class TextPart(Value):
    type: Literal["text"] = "text"
    text: str


class FilePart(Value):
    """A file or an image by its bytes; base64 in JSON."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    type: Literal["file"] = "file"
    mime_type: str
    data: bytes = Field(repr=False)
    name: str = ""


class ReasoningPart(Value):
    """What the model thought. `signature` is the seal of `provider` on it, without which it is not sent back."""

    type: Literal["reasoning"] = "reasoning"
    text: str
    signature: str | None = None
    provider: Provider | None = None


class ToolCallPart(Value):
    """A call as the model wrote it: `arguments` is its text, byte for byte, JSON or not."""

    type: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    arguments: str


class ProviderCallPart(Value):
    """A call that the provider ran itself (C15)."""

    type: Literal["provider_call"] = "provider_call"
    id: str
    name: str
    arguments: str


class ProviderResultPart(Value):
    """What a call that the provider ran gave; `content` is JSON text (C15)."""

    type: Literal["provider_result"] = "provider_result"
    id: str
    """The id of the call."""
    name: str
    content: str
    is_error: bool = False


UserPart = Annotated[TextPart | FilePart, Field(discriminator="type")]
AssistantPart = Annotated[
    TextPart | ReasoningPart | ToolCallPart | ProviderCallPart | ProviderResultPart | FilePart,
    Field(discriminator="type"),
]


class Replay(Value):
    """An answer in its provider's own words, so that the same provider can be sent it back whole.

    Opaque to everybody else; dropped when the message was edited, ignored when another provider is asked.
    """

    provider: Provider
    data: str = Field(repr=False)
    """JSON text."""


# --- messages ----------------------------------------------------------------------------------------------


class SystemTurn(Value):
    """Words of the application amid the conversation."""

    role: Literal["system"] = "system"
    text: str


class UserTurn(Value):
    role: Literal["user"] = "user"
    content: tuple[UserPart, ...]


class AssistantTurn(Value):
    role: Literal["assistant"] = "assistant"
    parts: tuple[AssistantPart, ...]
    replay: Replay | None = None


class ToolTurn(Value):
    """The result of one call. Files in it reach the model where its wire can carry them."""

    role: Literal["tool"] = "tool"
    call_id: str
    name: str
    content: tuple[UserPart, ...]
    is_error: bool = False


Turn = Annotated[SystemTurn | UserTurn | AssistantTurn | ToolTurn, Field(discriminator="role")]


# --- tools and settings ------------------------------------------------------------------------------------


class OfferedTool(Value):
    """A tool as the model is told of it. `input_schema` has the progress argument as its first property."""

    name: str
    description: str
    input_schema: Mapping[str, object]
    progress_argument: str | None = None


class ProviderTool(Value):
    """A tool that the provider runs (C15). `name` is its kind: `web_search`, `code_execution`, …"""

    name: str
    options: Mapping[str, object] = Field(default_factory=dict[str, object])


class ChosenTool(Value):
    """The model must call this one tool."""

    name: str


ToolChoice = Literal["auto", "none", "required"] | ChosenTool


class ReasoningSettings(Value):
    effort: Literal["low", "medium", "high"] | None = None
    max_tokens: int | None = None
    exclude: bool = False
    """Reason, but do not tell."""


class ModelRequest(Value):
    """One question to a model.

    `model` is the provider's id of the model. `conversation` is an opaque key that all requests of one place
    share (a thread's side, a sub-prompt), `answers` how many answers of a model that place has already: a
    scripted model finds its place by them.
    """

    provider: Provider
    model: str
    system: str = ""
    turns: tuple[Turn, ...] = ()
    tools: tuple[OfferedTool, ...] = ()
    provider_tools: tuple[ProviderTool, ...] = ()
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool = False
    reasoning: ReasoningSettings | None = None
    max_output_tokens: int | None = None
    provider_options: Mapping[str, object] = Field(default_factory=dict[str, object])
    """Written into the request's body as they are, over what we would write. Of OpenAI `wire` is `responses` or
    `chat` (also when not given) and says which of its two interfaces to use."""
    included_providers: tuple[str, ...] = ()
    """Which providers a gateway should route to, best first."""
    conversation: str = ""
    answers: int = 0

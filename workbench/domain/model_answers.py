"""What a model answers: the deltas of its stream, the whole they make, what it cost, and how it can fail."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from workbench.domain.model_requests import AssistantPart, Replay, TextPart, ToolCallPart
from workbench.domain.models import Provider
from workbench.domain.value import Value


class Usage(Value):
    """Tokens of one request. `input_tokens` counts the cached ones, `output_tokens` those of reasoning, too.

    `cost` in US dollars, or None when neither the definition's prices nor the client know one.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: Decimal | None = None


class FinishReason(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    ERROR = "error"


# --- deltas ------------------------------------------------------------------------------------------------


class TextDelta(Value):
    type: Literal["text"] = "text"
    text: str


class ReasoningDelta(Value):
    type: Literal["reasoning"] = "reasoning"
    text: str
    signature: str | None = None


class CallNamed(Value):
    """The call at `index` has a name. Sent again when more of it comes: `name` is all of it so far.

    Calls may be interleaved; `index` tells them apart within one answer and says nothing about order.
    """

    type: Literal["call_named"] = "call_named"
    index: int
    id: str
    """Empty when the provider gives none."""
    name: str


class ArgumentsDelta(Value):
    """More of the arguments' text; may come before the call has a name, or hold nothing."""

    type: Literal["arguments"] = "arguments"
    index: int
    text: str


class ProviderCall(Value):
    """The provider ran a tool (C15); whole, since nobody here waits for its arguments."""

    type: Literal["provider_call"] = "provider_call"
    id: str
    name: str
    arguments: str


class ProviderResult(Value):
    """What that tool gave; `content` is JSON text (C15)."""

    type: Literal["provider_result"] = "provider_result"
    id: str
    name: str
    content: str
    is_error: bool = False


class FileMade(Value):
    """The model made a file, an image for example; base64 in JSON."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    type: Literal["file"] = "file"
    mime_type: str
    data: bytes = Field(repr=False)


class UsageReported(Value):
    """What the request has used so far; a later one replaces it."""

    type: Literal["usage"] = "usage"
    usage: Usage


class Finished(Value):
    """The last delta. A stream that ends without one was cut off, and its adapter has raised ModelError."""

    type: Literal["finished"] = "finished"
    reason: FinishReason
    response_id: str | None = None
    replay: Replay | None = None


Delta = Annotated[
    TextDelta
    | ReasoningDelta
    | CallNamed
    | ArgumentsDelta
    | ProviderCall
    | ProviderResult
    | FileMade
    | UsageReported
    | Finished,
    Field(discriminator="type"),
]
DELTA: TypeAdapter[Delta] = TypeAdapter(Delta)


# --- the whole ---------------------------------------------------------------------------------------------


class Answer(Value):
    """A whole answer, as the deltas of one stream made it.

    Its calls have ids that differ and names as the tools are called. `cut_calls` are the ids of calls whose
    arguments the answer's end cut off: they must never run (C1).
    """

    provider: Provider
    model: str
    parts: tuple[AssistantPart, ...]
    reason: FinishReason
    cut_calls: tuple[str, ...] = ()
    usage: Usage | None = None
    response_id: str | None = None
    replay: Replay | None = None

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> tuple[ToolCallPart, ...]:
        """The calls to run here, in the order in which they began."""
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))


# --- failure -----------------------------------------------------------------------------------------------


class ModelFailureKind(StrEnum):
    AUTH = "auth"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    MALFORMED = "malformed"
    """The answer is no answer: not the wire's format, or cut off."""
    REJECTED = "rejected"
    """The request is refused as it is."""
    CONTEXT_TOO_LONG = "context_too_long"
    CANCELLED = "cancelled"


_TRANSIENT = frozenset(
    {
        ModelFailureKind.RATE_LIMITED,
        ModelFailureKind.OVERLOADED,
        ModelFailureKind.SERVER,
        ModelFailureKind.TIMEOUT,
        ModelFailureKind.CONNECTION,
        ModelFailureKind.MALFORMED,
    }
)


class ModelFailure(Value):
    """Why a request got no answer. Words for a person; a key never stands in them."""

    kind: ModelFailureKind
    message: str
    hint: str = ""
    detail: str = ""
    """What the provider said, cut to a bound."""
    status: int | None = None
    """The HTTP status, where there was one."""
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""

    @property
    def transient(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind in _TRANSIENT

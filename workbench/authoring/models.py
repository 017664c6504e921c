"""`define_model`: which provider serves a model, what it can do and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Optional

from workbench.authoring.definition import NOT_GIVEN, Definition, made


@dataclass(frozen=True)
class Capabilities:
    """What a model can do; what is None is not known. `reasoning_levels` maps "0" to "100" to the provider's word."""

    reasoning_levels: Mapping[str, str | None] = field(default_factory=dict[str, Optional[str]])
    supports_images: bool | None = None
    supports_tool_calls: bool | None = None
    supports_streaming: bool | None = None
    supports_json_mode: bool | None = None
    max_context_tokens: int | None = None
    max_output_tokens: int | None = None


class ModelDefinition(Definition):
    """A model as written."""

    kind = "model"


_SAY_INSTEAD = {
    "api_key": "keys are variables: write key_variable=, the name of the variable that holds it",
    "temperature": 'write provider_options={"temperature": …}',
    "id": "write model=, the provider's own name of the model",
    "url": "write base_url=",
}


def define_model(
    *positional: Any,
    name: str = NOT_GIVEN,
    provider: Literal[
        "scripted", "human", "openai", "anthropic", "google", "openrouter", "openai-compatible"
    ] = NOT_GIVEN,
    model: str = NOT_GIVEN,
    base_url: str = NOT_GIVEN,
    key_variable: str | None = NOT_GIVEN,
    fallbacks: Sequence[str] = NOT_GIVEN,
    included_providers: Sequence[str] = NOT_GIVEN,
    input_price: float = NOT_GIVEN,
    output_price: float = NOT_GIVEN,
    cached_price: float = NOT_GIVEN,
    capabilities: Capabilities | Mapping[str, Any] = NOT_GIVEN,
    provider_options: Mapping[str, Any] = NOT_GIVEN,
    provider_tools: Sequence[str] = NOT_GIVEN,
    **unknown: Any,
) -> ModelDefinition:
    """Define the model of this file (D12).

    Prices are US dollars a million tokens. The provider's key is the value of a variable, `OPENAI_API_KEY` and so
    on, or of `key_variable`. Raises DefinitionError for a field that does not exist.
    """
    return made(ModelDefinition, locals(), say_instead=_SAY_INSTEAD)

"""A model as the engine knows it: who serves it, what it can do, what it costs, and what to ask when it fails."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from workbench.domain.definitions import Definition
from workbench.domain.value import Value


class Provider(StrEnum):
    """Who can serve a model (D12)."""

    SCRIPTED = "scripted"
    """Plays a script or a recorded thread; needs no network."""
    HUMAN = "human"
    """The person at the window is the model."""
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    OPENROUTER = "openrouter"
    OPENAI_COMPATIBLE = "openai-compatible"
    """Whatever speaks the wire of OpenAI's chat completions at a `base_url`."""


KEY_VARIABLES: Mapping[Provider, str] = {
    Provider.OPENAI: "OPENAI_API_KEY",
    Provider.ANTHROPIC: "ANTHROPIC_API_KEY",
    Provider.GOOGLE: "GOOGLE_API_KEY",
    Provider.OPENROUTER: "OPENROUTER_API_KEY",
}
"""The variable that holds each provider's key where the model names no other."""


class Capabilities(Value):
    """What a model can do; what is None is not known. `reasoning_levels` maps 0–100 to the provider's word."""

    reasoning_levels: Mapping[int, str | None] = Field(default_factory=dict[int, str | None])
    supports_images: bool | None = None
    supports_tool_calls: bool | None = None
    supports_streaming: bool | None = None
    supports_json_mode: bool | None = None
    max_context_tokens: int | None = None
    max_output_tokens: int | None = None


class ModelDefinition(Definition):
    """A model. Prices are US dollars a million tokens. `key_variable` names the secret with the provider's key,
    None where none is needed; it is among `variables`, too. `fallbacks` are names of models, tried in order."""

    provider: Provider
    model: str
    base_url: str | None = None
    key_variable: str | None = None
    fallbacks: tuple[str, ...] = ()
    included_providers: tuple[str, ...] = ()
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    capabilities: Capabilities = Capabilities()
    provider_options: Mapping[str, object] = Field(default_factory=dict[str, object])
    provider_tools: tuple[str, ...] = ()

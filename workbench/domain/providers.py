"""The providers a model can be had from: the wire each speaks, where, and which variable holds its key."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from workbench.domain.value import Value


class Wire(StrEnum):
    """How a provider is spoken to."""

    SCRIPTED = "scripted"
    """Plays a file; nothing leaves the machine."""
    MANUAL = "manual"
    """The person answers."""
    CHAT = "chat"
    """OpenAI's chat completions, spoken by many."""
    RESPONSES = "responses"
    """OpenAI's responses."""
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    OPENROUTER = "openrouter"
    """Chat completions with routing."""


class Provider(Value):
    """One entry. `base_url` may hold `{VARIABLE}`s; empty means the wire's own place.

    `key_optional`: servers on one's own machine mostly want no key.
    """

    name: str
    label: str
    wire: Wire
    base_url: str = ""
    key_variable: str | None = None
    key_optional: bool = False
    url_variables: tuple[str, ...] = ()


def _chat(name: str, label: str, base_url: str) -> Provider:
    key = f"{name.upper()}_API_KEY"
    return Provider(name=name, label=label, wire=Wire.CHAT, base_url=base_url, key_variable=key)


_ALL = (
    Provider(name="scripted", label="Scripted", wire=Wire.SCRIPTED),
    Provider(name="manual", label="You are the model", wire=Wire.MANUAL),
    _chat("openai", "OpenAI", "https://api.openai.com/v1"),
    Provider(
        name="openai-responses",
        label="OpenAI (responses)",
        wire=Wire.RESPONSES,
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
    ),
    Provider(
        name="openai-compatible",
        label="OpenAI-compatible server",
        wire=Wire.CHAT,
        base_url="http://localhost:11434/v1",
        key_variable="OPENAI_API_KEY",
        key_optional=True,
    ),
    Provider(name="anthropic", label="Anthropic", wire=Wire.ANTHROPIC, key_variable="ANTHROPIC_API_KEY"),
    Provider(name="google", label="Google", wire=Wire.GOOGLE, key_variable="GOOGLE_API_KEY"),
    Provider(
        name="openrouter",
        label="OpenRouter",
        wire=Wire.OPENROUTER,
        base_url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
    ),
    _chat("cerebras", "Cerebras", "https://api.cerebras.ai/v1"),
    _chat("groq", "Groq", "https://api.groq.com/openai/v1"),
    _chat("novita", "Novita", "https://api.novita.ai/openai"),
    _chat("deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai"),
    _chat("xai", "xAI", "https://api.x.ai/v1"),
    Provider(
        name="cloudflare",
        label="Cloudflare",
        wire=Wire.CHAT,
        base_url="https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
        key_variable="CLOUDFLARE_API_TOKEN",
        url_variables=("CLOUDFLARE_ACCOUNT_ID",),
    ),
)
PROVIDERS: Mapping[str, Provider] = {provider.name: provider for provider in _ALL}

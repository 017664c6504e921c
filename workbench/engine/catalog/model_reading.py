"""Reading a model: its provider, and the variable with the provider's key (D12)."""

from __future__ import annotations

import re
from difflib import get_close_matches

from pydantic import Field

from workbench.domain.definitions import VariableSpec
from workbench.domain.models import KEY_VARIABLES, Capabilities, ModelDefinition, Provider
from workbench.engine.catalog.fields import Function, Written
from workbench.engine.catalog.reader import Reader

_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
_BUILT_IN = "default"
"""The script that needs no file."""
_SAME_WORD = {"test": Provider.SCRIPTED, "gemini": Provider.GOOGLE, "claude": Provider.ANTHROPIC}


class WrittenCapabilities(Written):
    reasoning_levels: dict[str, str | None] = {}
    supports_images: bool | None = None
    supports_tool_calls: bool | None = None
    supports_streaming: bool | None = None
    supports_json_mode: bool | None = None
    max_context_tokens: int | None = Field(default=None, gt=0)
    max_output_tokens: int | None = Field(default=None, gt=0)


class ModelFields(Written):
    """Every field of a model."""

    name: str = Field(min_length=1)
    provider: str | Function
    model: str = ""
    base_url: str | None = None
    key_variable: str | None = None
    fallbacks: list[str] = []
    included_providers: list[str] = []
    input_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    cached_price: float | None = Field(default=None, ge=0)
    capabilities: WrittenCapabilities = WrittenCapabilities()
    provider_options: dict[str, object] = {}
    provider_tools: list[str] = []


def read_model(reader: Reader) -> ModelDefinition | None:
    """The model, or None when an error was found."""
    fields = reader.fields(ModelFields)
    if fields is None:
        return None
    reader.take_name(fields.name, _NAME)
    provider = _provider(reader, fields.provider)
    capabilities = _capabilities(reader, fields.capabilities)
    if provider is not None:
        _what_it_needs(reader, fields, provider)
    if reader.failed or provider is None:
        return None
    key = fields.key_variable or KEY_VARIABLES.get(provider)
    variables = () if key is None else (VariableSpec(name=key, description=f"The key for {provider.value}."),)
    reader.description = f"{provider.value} {fields.model}".strip()
    return ModelDefinition(
        **reader.shared(),
        provider=provider,
        model=fields.model or _BUILT_IN,
        base_url=fields.base_url,
        key_variable=key,
        variables=variables,
        fallbacks=tuple(fields.fallbacks),
        included_providers=tuple(fields.included_providers),
        input_price=fields.input_price,
        output_price=fields.output_price,
        cached_price=fields.cached_price,
        capabilities=capabilities,
        provider_options=fields.provider_options,
        provider_tools=tuple(fields.provider_tools),
    )


def _provider(reader: Reader, written: str | Function) -> Provider | None:
    known = [provider.value for provider in Provider]
    if isinstance(written, Function):
        reader.problem(
            "unknown-provider", "The provider is a function; it is a name.", f"Write one of {_list(known)}."
        )
        return None
    if written in known:
        return Provider(written)
    near = _SAME_WORD.get(written) or next(iter(get_close_matches(written, known, n=1)), None)
    hint = f"Did you mean {near}?" if near else f"Write one of {_list(known)}."
    reader.problem("unknown-provider", f"There is no provider “{written}”.", hint)
    return None


def _list(names: list[str]) -> str:
    return ", ".join(names)


def _what_it_needs(reader: Reader, fields: ModelFields, provider: Provider) -> None:
    if not fields.model and provider not in (Provider.HUMAN, Provider.SCRIPTED):
        reader.problem("bad-field", "The field model is required: the provider's own name of the model.")
    if provider is Provider.OPENAI_COMPATIBLE and fields.base_url is None:
        word = reader.spelled("baseUrl")
        reader.problem("bad-field", f"{provider.value} needs {word}, such as http://localhost:8080/v1.")
    if fields.base_url is not None and not fields.base_url.startswith(("http://", "https://")):
        reader.problem("bad-field", f"{reader.spelled('baseUrl')} begins with http:// or https://.")


def _capabilities(reader: Reader, written: WrittenCapabilities) -> Capabilities:
    levels: dict[int, str | None] = {}
    for level, word in written.reasoning_levels.items():
        if level.isdecimal() and int(level) <= 100:
            levels[int(level)] = word
        else:
            field = reader.spelled("reasoningLevels")
            reader.problem("bad-field", f"{field} has the level {level}; levels are 0 to 100.")
    return Capabilities.model_validate({**written.model_dump(), "reasoning_levels": levels})

"""Writes a request's settings and tools as each provider's own, in the client library's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_ai import native_tools
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from workbench.domain.model_requests import ModelRequest, ProviderTool, ReasoningSettings
from workbench.domain.models import Provider
from workbench.models.rejections import rejected

WIRE = "wire"
"""The one provider option that is ours: which of OpenAI's interfaces to use."""

NATIVE_TOOLS: Mapping[str, Callable[..., native_tools.AbstractNativeTool]] = {
    "web_search": native_tools.WebSearchTool,
    "web_fetch": native_tools.WebFetchTool,
    "code_execution": native_tools.CodeExecutionTool,
    "image_generation": native_tools.ImageGenerationTool,
    "file_search": native_tools.FileSearchTool,
}

GOOGLE_OPTIONS: Mapping[str, str] = {
    "temperature": "temperature",
    "topP": "top_p",
    "top_p": "top_p",
    "topK": "top_k",
    "top_k": "top_k",
    "seed": "seed",
    "stopSequences": "stop_sequences",
    "stop_sequences": "stop_sequences",
    "presencePenalty": "presence_penalty",
    "presence_penalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "frequency_penalty": "frequency_penalty",
    "safetySettings": "google_safety_settings",
    "safety_settings": "google_safety_settings",
    "thinkingConfig": "google_thinking_config",
    "thinking_config": "google_thinking_config",
    "labels": "google_labels",
    "cachedContent": "google_cached_content",
    "cached_content": "google_cached_content",
}
"""Google's client takes no body of ours, so its options are known by name."""


def parameters(request: ModelRequest) -> ModelRequestParameters:
    """The tools. Raises ModelError for a tool of the provider that nobody knows."""
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=dict(tool.input_schema),
                strict=False,  # a strict schema would be another one than the author's
            )
            for tool in request.tools
        ],
        native_tools=[_native_tool(tool) for tool in request.provider_tools],
    )


def settings(request: ModelRequest) -> ModelSettings:
    """Everything else. Raises ModelError for an option that its provider's client cannot carry."""
    written: dict[str, Any] = {"max_retries": 0}
    if request.max_output_tokens is not None:
        written["max_tokens"] = request.max_output_tokens
    if request.tools:
        choice = request.tool_choice
        written["tool_choice"] = choice if isinstance(choice, str) else [choice.name]
        if request.provider is not Provider.GOOGLE:
            written["parallel_tool_calls"] = request.parallel_tool_calls
    if request.provider is Provider.ANTHROPIC:
        written["anthropic_eager_input_streaming"] = True  # else arguments come late, in lumps
    if request.provider is Provider.OPENROUTER:
        written["openrouter_usage"] = {"include": True}
        if request.included_providers:
            written["openrouter_provider"] = {"order": list(request.included_providers)}
    if request.reasoning is not None:
        written |= _REASONING[request.provider](request.reasoning)
    written |= _options(request)
    return ModelSettings(**written)


def _options(request: ModelRequest) -> dict[str, Any]:
    options = {name: value for name, value in request.provider_options.items() if name != WIRE}
    if not options:
        return {}
    if request.provider is not Provider.GOOGLE:
        return {"extra_body": options}
    unknown = [name for name in options if name not in GOOGLE_OPTIONS]
    if unknown:
        raise rejected(
            f"Google takes no option called {', '.join(unknown)}.", f"Known: {_names(GOOGLE_OPTIONS)}."
        )
    return {GOOGLE_OPTIONS[name]: value for name, value in options.items()}


def _openai(reasoning: ReasoningSettings) -> dict[str, Any]:
    effort = {"openai_reasoning_effort": reasoning.effort} if reasoning.effort else {}
    return effort if reasoning.exclude else {**effort, "openai_reasoning_summary": "auto"}


def _compatible(reasoning: ReasoningSettings) -> dict[str, Any]:
    return {"openai_reasoning_effort": reasoning.effort} if reasoning.effort else {}


def _anthropic(reasoning: ReasoningSettings) -> dict[str, Any]:
    if reasoning.max_tokens:
        return {"anthropic_thinking": {"type": "enabled", "budget_tokens": reasoning.max_tokens}}
    return {"thinking": reasoning.effort or True}


def _google(reasoning: ReasoningSettings) -> dict[str, Any]:
    if reasoning.max_tokens is None:
        return {"thinking": reasoning.effort or True}
    budget = {"thinking_budget": reasoning.max_tokens, "include_thoughts": not reasoning.exclude}
    return {"google_thinking_config": budget}


def _openrouter(reasoning: ReasoningSettings) -> dict[str, Any]:
    # Its two measures exclude each other; the one in tokens says more.
    measure = (
        {"max_tokens": reasoning.max_tokens}
        if reasoning.max_tokens
        else {"effort": reasoning.effort or "medium"}
    )
    return {"openrouter_reasoning": {**measure, "exclude": reasoning.exclude}}


_REASONING: Mapping[Provider, Callable[[ReasoningSettings], dict[str, Any]]] = {
    Provider.OPENAI: _openai,
    Provider.OPENAI_COMPATIBLE: _compatible,
    Provider.ANTHROPIC: _anthropic,
    Provider.GOOGLE: _google,
    Provider.OPENROUTER: _openrouter,
}


def _native_tool(tool: ProviderTool) -> native_tools.AbstractNativeTool:
    make = NATIVE_TOOLS.get(tool.name)
    if make is None:
        raise rejected(f"No provider runs a tool called {tool.name}.", f"There are: {_names(NATIVE_TOOLS)}.")
    try:
        return make(**tool.options)
    except TypeError as error:
        raise rejected(f"The options of {tool.name} do not fit: {error}.", "") from None


def _names(known: Mapping[str, object]) -> str:
    return ", ".join(known)

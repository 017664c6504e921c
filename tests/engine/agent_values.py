"""Definitions made as values, for tests of what follows from them."""

from __future__ import annotations

from typing import Any

from workbench.domain.agents import AgentDefinition, HumanSide, PromptSide
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language
from workbench.domain.hooks import HandlerDefinition
from workbench.domain.models import ModelDefinition, Provider
from workbench.domain.prompts import PromptDefinition, PromptTool, TextPart
from workbench.domain.tools import ToolDefinition


def _file(kind: DefinitionKind, name: str, package: str | None) -> DefinitionFile:
    return DefinitionFile(
        path=f"agents/{kind}s/{name}.py",
        kind=kind,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name=name,
        digest="",
        package=package,
    )


def a_prompt(
    name: str,
    *parts: Any,
    tools: tuple[str | PromptTool, ...] = (),
    package: str | None = None,
    **fields: Any,
) -> PromptDefinition:
    """A prompt; a part may be a text, a tool its name."""
    given: dict[str, Any] = {"model": "model", **fields}
    return PromptDefinition(
        name=name,
        file=_file(DefinitionKind.PROMPT, name, package),
        description=f"The prompt {name}.",
        parts=tuple(TextPart(content=part) if isinstance(part, str) else part for part in parts),
        tools=tuple(PromptTool(name=one) if isinstance(one, str) else one for one in tools),
        **given,
    )


def a_tool(name: str, *, package: str | None = None, **fields: Any) -> ToolDefinition:
    file = _file(DefinitionKind.TOOL, name, package)
    return ToolDefinition(name=name, file=file, description=f"The tool {name}.", **fields)


def an_agent(name: str, *, package: str | None = None, **fields: Any) -> AgentDefinition:
    """An agent of the prompt of its name and a person."""
    given: dict[str, Any] = {"side_a": PromptSide(prompt=name), "side_b": HumanSide(), **fields}
    return AgentDefinition(name=name, file=_file(DefinitionKind.AGENT, name, package), **given)


def a_model(name: str = "model", **fields: Any) -> ModelDefinition:
    given: dict[str, Any] = {"provider": Provider.SCRIPTED, "model": "default", **fields}
    return ModelDefinition(name=name, file=_file(DefinitionKind.MODEL, name, None), **given)


def a_handler(name: str, **fields: Any) -> HandlerDefinition:
    return HandlerDefinition(name=name, file=_file(DefinitionKind.HANDLER, name, None), **fields)

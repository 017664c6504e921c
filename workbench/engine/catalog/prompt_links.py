"""What a prompt refers to: its model, tools, includes, hooks and variables."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.hooks import HookDefinition
from workbench.domain.models import ModelDefinition
from workbench.domain.prompts import EnvPart, IncludePart, PromptDefinition, PromptTool
from workbench.domain.variables import VariableType
from workbench.engine.catalog.directory import CONNECTION_PREFIX
from workbench.engine.catalog.fields import as_code, spelled
from workbench.engine.catalog.offers import PROVIDER_PREFIX
from workbench.engine.catalog.referring import Reference, Referring
from workbench.engine.catalog.text import include_cycle


def prompt_links(refer: Referring, prompt: PromptDefinition) -> Iterator[Diagnostic]:
    """What is wrong with where a prompt points."""
    yield from refer.must_be(ModelDefinition, Reference(prompt, prompt.model, "model"))
    for name in prompt.hooks or ():
        yield from refer.must_be(HookDefinition, Reference(prompt, name, "hooks"))
    for entry in prompt.tools:
        yield from _entry(refer, prompt, entry)
    yield from _includes(refer, prompt)
    yield from _env_parts(refer, prompt)
    yield from refer.secrets_in(prompt, prompt.env)
    yield from _tool_description(refer, prompt)


def _tool_description(refer: Referring, prompt: PromptDefinition) -> Iterator[Diagnostic]:
    if prompt.description:
        return
    used = refer.directory.is_used_as_tool(prompt)
    words = "is a tool of another prompt and does not say what for" if used else "has no tool description"
    yield refer.problem(
        prompt,
        "missing-tool-description",
        f"The prompt {prompt.name} {words}.",
        f"Write {spelled('toolDescription', prompt.file.language)}: what a model reads when it can call the prompt.",
        severity=Severity.ERROR if used else Severity.WARNING,
    )


def _includes(refer: Referring, prompt: PromptDefinition) -> Iterator[Diagnostic]:
    names = [part.prompt for part in prompt.parts if isinstance(part, IncludePart)]
    for name in dict.fromkeys(names):
        yield from refer.must_be(PromptDefinition, Reference(prompt, name, "include"))
    cycle = include_cycle(refer.directory, prompt)
    if cycle:
        yield refer.problem(
            prompt,
            "include-cycle",
            f"The prompt {prompt.name} includes itself: {' → '.join(cycle)}.",
            "Take one of these includes out.",
            at=cycle[1],
        )


def _env_parts(refer: Referring, prompt: PromptDefinition) -> Iterator[Diagnostic]:
    declared = {spec.name: spec for spec in prompt.variables}
    for name in dict.fromkeys(part.property for part in prompt.parts if isinstance(part, EnvPart)):
        spec = declared.get(name)
        if (spec and spec.type is VariableType.SECRET) or (spec is None and name in refer.secrets):
            yield refer.problem(
                prompt,
                "secret-in-prompt",
                f"The prompt {prompt.name} shows the variable {name}, which is a secret.",
                "Declare it with the type text, or let a tool use it.",
                at=name,
            )
        elif spec is None and name not in prompt.env:
            declaration = as_code(f'Variable(name="{name}", type="text")', prompt.file.language)
            yield refer.problem(
                prompt,
                "undeclared-variable",
                f"The prompt {prompt.name} shows the variable {name} and does not declare it.",
                f"Add {declaration} to its variables.",
                severity=Severity.WARNING,
                at=name,
            )


def _entry(refer: Referring, prompt: PromptDefinition, entry: PromptTool) -> Iterator[Diagnostic]:
    yield from refer.secrets_in(prompt, entry.env)
    if entry.name.startswith((PROVIDER_PREFIX, CONNECTION_PREFIX)):
        return
    found = refer.directory.callables(entry.name, prompt.package)
    if not found:
        yield refer.not_callable(Reference(prompt, entry.name, "tools"))
    for one in found[:1]:
        properties = [*filter(None, [entry.init_user_message_property]), *entry.init_attachments_property]
        yield from refer.properties(prompt, one, properties)

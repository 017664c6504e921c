"""A prompt's text: includes put in place, arguments and text variables filled in, secrets kept out (D13)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.exact_json import dump
from workbench.domain.definitions import VariableSpec
from workbench.domain.prompts import EnvPart, IncludePart, PromptDefinition, TextPart
from workbench.domain.variables import Resolved, VariableType
from workbench.engine.catalog.directory import Directory

_PLACEHOLDER = re.compile(r"(\\?)\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")


class UnusablePrompt(UserError):
    """A prompt whose text cannot be made."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text, or the place of a variable, with the prompt in which it stands."""

    part: TextPart | EnvPart
    prompt: PromptDefinition


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text. `unknown` are placeholders that no argument fills, left as written; `missing` are variables that are
    required and have no value, left empty."""

    text: str
    unknown: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def include_cycle(directory: Directory, prompt: PromptDefinition) -> tuple[str, ...]:
    """The names from a prompt back to itself, first and last the same; empty where nothing goes round."""
    waiting: list[tuple[PromptDefinition, tuple[str, ...]]] = [(prompt, (prompt.name,))]
    seen: set[tuple[str | None, str]] = set()
    while waiting:
        current, path = waiting.pop()
        for part in current.parts:
            found = _included(directory, current, part) if isinstance(part, IncludePart) else None
            if found is None:
                continue
            if found.qualified_name == prompt.qualified_name:
                return (*path, found.name)
            if (found.package, found.name) not in seen:
                seen.add((found.package, found.name))
                waiting.append((found, (*path, found.name)))
    return ()


def pieces(directory: Directory, prompt: PromptDefinition) -> tuple[Piece, ...]:
    """The text in order, includes put in place. Raises UnusablePrompt for one that is missing or goes round."""
    return tuple(_pieces(directory, prompt, ()))


def _pieces(
    directory: Directory, prompt: PromptDefinition, above: tuple[PromptDefinition, ...]
) -> Iterator[Piece]:
    if prompt in above:
        names = " → ".join(one.name for one in (*above[above.index(prompt) :], prompt))
        raise UnusablePrompt(f"The prompt {prompt.name} includes itself: {names}.")
    for part in prompt.parts:
        if not isinstance(part, IncludePart):
            yield Piece(part, prompt)
            continue
        found = _included(directory, prompt, part)
        if found is None:
            raise UnusablePrompt(
                f"The prompt {prompt.name} includes {part.prompt}, which is not there.",
                hint=f"See {prompt.file.path}.",
            )
        yield from _pieces(directory, found, (*above, prompt))


def included(directory: Directory, prompt: PromptDefinition) -> tuple[PromptDefinition, ...]:
    """Every prompt whose text is a part of this one's, each once."""
    found: dict[str, PromptDefinition] = {}
    waiting = [prompt]
    while waiting:
        current = waiting.pop()
        for part in current.parts:
            one = _included(directory, current, part) if isinstance(part, IncludePart) else None
            if one is not None and one.qualified_name not in found:
                found[one.qualified_name] = one
                waiting.append(one)
    return tuple(found.values())


def text_variables(text: tuple[Piece, ...]) -> Mapping[str, VariableSpec | None]:
    """The variables that the text shows, with what their prompts declare of them."""
    return {
        piece.part.property: next(
            (spec for spec in piece.prompt.variables if spec.name == piece.part.property), None
        )
        for piece in text
        if isinstance(piece.part, EnvPart)
    }


def render(
    text: tuple[Piece, ...], arguments: Mapping[str, object], values: Mapping[str, Resolved]
) -> Rendered:
    """The text with everything filled in; what is filled in is not looked at again.

    `arguments` are those the thread was made with: texts stand as they are, other values as JSON. `values` has what
    each of `text_variables` resolves to. Raises UnusablePrompt for a secret.
    """
    unknown: dict[str, None] = {}
    missing: dict[str, None] = {}
    specs = text_variables(text)

    def filled(found: re.Match[str]) -> str:
        escaped, name = found.groups()
        if escaped:
            return found.group()[1:]
        if name not in arguments:
            unknown[name] = None
            return found.group()
        return _shown(arguments[name])

    def variable(name: str) -> str:
        value, spec = values.get(name), specs[name]
        if value is None or value.value is None:
            if spec is None or spec.required:
                missing[name] = None
            return ""
        if value.type is VariableType.SECRET:
            raise UnusablePrompt(
                f"The variable {name} is a secret, so it cannot be a part of a prompt.",
                hint="Declare it with the type text, or let a tool use it.",
            )
        return value.value

    shown = "".join(
        variable(piece.part.property)
        if isinstance(piece.part, EnvPart)
        else _PLACEHOLDER.sub(filled, piece.part.content)
        for piece in text
    )
    return Rendered(shown, tuple(unknown), tuple(missing))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else dump(value)


def _included(directory: Directory, prompt: PromptDefinition, part: IncludePart) -> PromptDefinition | None:
    return directory.find(PromptDefinition, part.prompt, prompt.package)

"""What a call does to the world: its tool says it, or a function of the tool's does for each input (C9)."""

from __future__ import annotations

from typing import cast, get_args

from workbench.base.exact_json import JsonError, parse
from workbench.domain.tools import Effect, ToolDefinition
from workbench.engine.ports import HostAnswer, Returned
from workbench.engine.services import Services

_EFFECTS = frozenset(get_args(Effect))


async def effect_of(services: Services, tool: ToolDefinition, arguments: bytes) -> Effect:
    """The effect of calling the tool with these arguments, which have been found valid."""
    if tool.effect != "predicate":
        return tool.effect
    return _effect(await services.hosts[tool.file.language].evaluate(tool.file, "effect", arguments))


def _effect(answer: HostAnswer) -> Effect:
    """A predicate that fails, or says anything that is no effect, vouches for nothing."""
    if not isinstance(answer, Returned):
        return "write"
    if answer.shape == "text" and answer.text.decode() in _EFFECTS:
        return cast(Effect, answer.text.decode())
    try:
        is_read = answer.shape == "json" and answer.json is not None and parse(answer.json) is True
    except JsonError:
        is_read = False
    return "read" if is_read else "write"

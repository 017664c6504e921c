"""Reading arguments strictly: what is not one JSON object, exactly, does not run and is not repaired (C1)."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import cast

from workbench.base.exact_json import JsonError, JsonValue, dump, parse_object
from workbench.base.masker import marked_names, unmask
from workbench.domain.calls import FailureKind, Origin
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls import record
from workbench.engine.calls.running import BIG, RunningCall, fail
from workbench.engine.services import Services

_MARK = b"[[secret:"

_TRUSTED = frozenset({Origin.FORM, Origin.CLI, Origin.PYTHON})
"""Who may name a secret by its mark: a person. From anybody else a mark is only text."""


async def parse(services: Services, call: RunningCall) -> None:
    """Fill in `value`; put secrets back where a masked call runs again (V6); fire `tool_call_started` (C8)."""
    if call.is_cut:  # what came may look like a call without arguments
        raise fail(
            FailureKind.INVALID_ARGUMENTS,
            f"The answer ended before the arguments of {call.tool.name} were whole, so it was not run.",
            hint="Call it again, with shorter arguments if they are long.",
        )
    trusted = call.request.origin in _TRUSTED
    names = (
        marked_names(call.arguments.decode(errors="replace")) if trusted and _MARK in call.arguments else ()
    )
    await take_arguments(services, call, call.arguments, names)
    progress = call.tool.progress_argument
    value = call.value.get(progress) if progress is not None else None
    record.announce(services, call, value if isinstance(value, str) else None)


async def take_arguments(
    services: Services, call: RunningCall, text: bytes, put_back: Collection[str]
) -> None:
    """Make `text` what will run, with the secrets of these names in the place of their marks (V6)."""
    if len(text) < BIG:
        call.value = read_arguments(call.tool, text)
    else:
        call.value = await asyncio.to_thread(read_arguments, call.tool, text)
    call.arguments = text.strip() or b"{}"
    if put_back:
        values = {name: await services.variables.restore(name, call.layers) for name in put_back}
        call.value = cast(dict[str, JsonValue], unmask(call.value, values.get))
        call.arguments = dump(call.value).encode()


def read_arguments(tool: ToolDefinition, text: bytes) -> dict[str, JsonValue]:
    """The arguments of a call of `tool`; raises CallFailed `invalid_arguments` naming the position."""
    if not text.strip() and not _required(tool):
        return {}
    try:
        return parse_object(text)
    except JsonError as error:
        raise fail(
            FailureKind.INVALID_ARGUMENTS,
            f"The arguments of {tool.name} cannot be read: {error.message}.",
            hint=error.hint or "Send one complete JSON object.",
        ) from error


def _required(tool: ToolDefinition) -> bool:
    return bool((tool.input_schema or {}).get("required"))

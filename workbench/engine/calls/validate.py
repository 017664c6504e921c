"""Validating arguments against the tool's schema: every problem, with its path, its rule and words (C3)."""

from __future__ import annotations

import asyncio

from workbench.base.exact_json import JsonValue
from workbench.domain.calls import ArgumentError, FailureKind
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls.running import BIG, RunningCall, fail
from workbench.engine.services import Services


async def validate(services: Services, call: RunningCall) -> None:
    """Fail with `invalid_arguments` and the whole list of problems."""
    if len(call.arguments) < BIG:
        check_arguments(services, call.tool, call.value)
    else:
        await asyncio.to_thread(check_arguments, services, call.tool, call.value)


def check_arguments(services: Services, tool: ToolDefinition, value: dict[str, JsonValue]) -> None:
    """Raise CallFailed when the value does not fit. Plain JSON Schema under `bot/` is forwarded as it came (D4)."""
    if not tool.validated:
        return
    errors = argument_errors(services, tool, value)
    if errors:
        lines = "\n".join(f"- {error.path or '(the arguments)'}: {error.message}" for error in errors)
        raise fail(
            FailureKind.INVALID_ARGUMENTS,
            f"The arguments do not fit {tool.name}:\n{lines}",
            hint="Mend them and call again.",
            errors=errors,
        )


def argument_errors(
    services: Services, tool: ToolDefinition, value: dict[str, JsonValue]
) -> tuple[ArgumentError, ...]:
    """Every problem, values masked."""
    return services.catalog.schema_of(tool).validate(value, mask=services.variables.masker.mask)

"""A dry run: what only reads runs, the rest is answered with what its tool says in its stead (C10)."""

from __future__ import annotations

from workbench.base.exact_json import dump
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls.effect import effect_of
from workbench.engine.calls.run import limited
from workbench.engine.calls.running import RunningCall
from workbench.engine.ports import HostAnswer, Returned
from workbench.engine.services import Services

ACKNOWLEDGEMENT = "Operation acknowledged."
"""What a call says that was not run and whose tool has no words for that."""


async def stub(services: Services, call: RunningCall) -> None:
    """In a dry run, fill in `answer` unless the call reads. What the engine itself runs calls tools, and goes on."""
    if not (call.request.dry_run or call.thread.dry_run) or call.perform is not None:
        return
    with limited(services, call):
        if await call.or_stop(effect_of(services, call.tool, call.arguments)) == "read":
            return
        call.answer = await call.or_stop(_in_its_stead(services, call.tool, call.arguments))
    call.update(stubbed=True)


async def _in_its_stead(services: Services, tool: ToolDefinition, arguments: bytes) -> HostAnswer:
    if tool.dry_run == "acknowledgement":
        return Returned("text", text=ACKNOWLEDGEMENT.encode())
    if tool.dry_run == "function":
        return await services.hosts[tool.file.language].evaluate(tool.file, "dryRunResult", arguments)
    if isinstance(tool.dry_run_result, str):
        return Returned("text", text=tool.dry_run_result.encode())
    return Returned("json", json=dump(tool.dry_run_result).encode())

"""The one way every call goes, whoever asked for it: the stages in their order, and how a failure ends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from workbench.base.errors import UserError
from workbench.domain.calls import Call, FailureKind, ToolFailure, ToolResult
from workbench.engine.calls import record
from workbench.engine.calls.approve import approve
from workbench.engine.calls.attachments import keep_attachments
from workbench.engine.calls.dry_run import stub
from workbench.engine.calls.normalise import mask, masked_result, normalise
from workbench.engine.calls.parse import parse
from workbench.engine.calls.recorded import StoodIn, take_recorded
from workbench.engine.calls.requirements import require_variables
from workbench.engine.calls.resolve import check_uses, resolve
from workbench.engine.calls.run import run, start
from workbench.engine.calls.running import CallFailed, RunningCall
from workbench.engine.calls.time_bounds import bound_time
from workbench.engine.calls.validate import validate
from workbench.engine.services import Services

Stage = Callable[[Services, RunningCall], Awaitable[None]]

STAGES: tuple[Stage, ...] = (
    resolve,
    check_uses,
    parse,
    take_recorded,
    validate,
    require_variables,
    bound_time,
    approve,
    stub,
    start,
    run,
    normalise,
    keep_attachments,
    mask,
)


_OUR_FAULT = ToolFailure(
    kind=FailureKind.INTERRUPTED,
    message="Workbench itself failed while the call was under way.",
    hint="The log says more.",
)


async def run_call(services: Services, call: RunningCall) -> Call:
    """Take a call through every stage and commit its result; a failure is a result, too (C7)."""
    record.seen(services, call)
    try:
        call.check_stopped()
        for stage in STAGES:
            await stage(services, call)
        result = call.result
    except StoodIn as answer:  # hooks and masks have seen it already
        await _keep(services, call, answer.result)
        return call.record
    except CallFailed as error:
        result = await masked_result(services, _failed(error.failure))
    except UserError as error:
        failure = ToolFailure(kind=FailureKind.HOST_UNAVAILABLE, message=error.message, hint=error.hint)
        result = await masked_result(services, _failed(failure))
    except BaseException:
        await _finish(services, call, _failed(_OUR_FAULT))
        raise
    await _finish(services, call, result)
    return call.record


async def _finish(services: Services, call: RunningCall, result: ToolResult) -> None:
    await _keep(services, call, await call.setting.settle(call, result))


async def _keep(services: Services, call: RunningCall, result: ToolResult) -> None:
    try:
        await record.finish(services, call, result)
    except UserError as error:
        # The tool may have run: what is shown says that its result could not be kept.
        failure = ToolFailure(kind=FailureKind.HOST_UNAVAILABLE, message=error.message, hint=error.hint)
        record.finish_unsaved(services, call, _failed(failure))


def _failed(failure: ToolFailure) -> ToolResult:
    text = f"{failure.message}\n{failure.hint}" if failure.hint else failure.message
    return ToolResult(is_error=True, text=text, failure=failure)

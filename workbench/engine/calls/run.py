"""Running the call in its host, after it is durable, and ending it when asked to (C13)."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from workbench.domain.auth import Auth
from workbench.domain.calls import CallState, FailedAttempt, FailureKind
from workbench.domain.threads import ThreadKind
from workbench.engine.calls import record
from workbench.engine.calls.callers import session_auth
from workbench.engine.calls.effect import effect_of
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import Perform
from workbench.engine.calls.state import StateLink
from workbench.engine.ports import HostAnswer, HostCall, Raised, ScriptRunner, Stopped, ToolHost, Unavailable
from workbench.engine.services import Services

WAITS = (0.2, 0.8)
"""Seconds before the second and the third try (C9)."""


async def start(services: Services, call: RunningCall) -> None:
    """The call and its pending result are on disk before the tool starts (C7): a model's are since its answer came."""
    call.check_stopped()
    masked = services.variables.masker.mask_json_text(call.arguments.decode())
    tries = 1 if call.answer is None else 0
    call.update(arguments_run=masked, started_at=services.clock.now_us(), attempts=tries)
    record.moved(services, call, CallState.RUNNING)
    record.keep_definition(services, call)
    if call.persisted:
        record.save_soon(services, call)
    else:
        await record.persist(services, call)


async def run(services: Services, call: RunningCall) -> None:
    """Fill in `answer`, unless something stands in for the call (C10). What changes nothing may be tried again (C9)."""
    if call.answer is not None:
        return
    with limited(services, call):
        for wait in WAITS:
            began = services.clock.now_us()
            call.answer = await _once(services, call)
            if not isinstance(call.answer, Raised) or not await _may_be_repeated(services, call, call.answer):
                return
            ended = services.clock.now_us()
            failed = FailedAttempt(message=call.answer.message, started_at=began, ended_at=ended, wait=wait)
            record.attempt_failed(services, call, failed)
            await record.persist(services, call)
            if await _stopped_within(call, wait):
                call.answer = Stopped()
                return
        call.answer = await _once(services, call)


async def _once(services: Services, call: RunningCall) -> HostAnswer:
    call.check_stopped()
    if call.perform is not None:
        return await _performed(call, call.perform)
    return await _in_host(services, call)


async def _may_be_repeated(services: Services, call: RunningCall, failed: Raised) -> bool:
    """Whether the failure may be gone in a moment, and the call changes nothing by running twice."""
    if not failed.transient or call.stop_kind is not None or call.request.debug:
        return False
    return await call.or_stop(effect_of(services, call.tool, call.arguments)) != "write"


async def _stopped_within(call: RunningCall, seconds: float) -> bool:
    """Wait for the next try; True when the call was stopped meanwhile."""
    try:
        await asyncio.wait_for(call.stopped(), seconds)
    except TimeoutError:
        return False
    return True


async def _in_host(services: Services, call: RunningCall) -> HostAnswer:
    runner = _runner(services, call)
    if runner is None:
        return Unavailable("Nothing here runs scripts.")
    if call.tool.script is None or call.request.workspace is not None or call.thread.kind is ThreadKind.AGENT:
        return await _run_by(runner, services, call, call.request.workspace)
    folder = services.folders.scratch()  # of a call by hand, nothing stays
    try:
        return await _run_by(runner, services, call, folder)
    finally:
        await services.folders.remove_scratch(folder)


async def _run_by(
    runner: ToolHost | ScriptRunner, services: Services, call: RunningCall, workspace: str | None
) -> HostAnswer:
    link = StateLink(services, call)
    request = HostCall(
        call_id=call.id,
        file=call.tool.file,
        arguments=call.arguments,
        identity=_identity(services, call, workspace),
        nested=call.depth > 0,
        script=call.tool.script,
        debug=call.request.debug,
    )
    call.in_host = True
    try:
        return await runner.call(request, link)
    finally:
        call.in_host = False
        link.close()


def _runner(services: Services, call: RunningCall) -> ToolHost | ScriptRunner | None:
    """What runs the call: a script's own runner, else the host of its language (C14)."""
    return services.scripts if call.tool.script is not None else services.hosts[call.tool.file.language]


async def _performed(call: RunningCall, perform: Perform) -> HostAnswer:
    """What the engine itself runs: a sub-prompt, an agent. Its own stopping is waited for."""
    work = asyncio.ensure_future(perform(call))
    stopped = asyncio.ensure_future(call.stopped())
    try:
        await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
        elif not work.cancelled():
            return await work
        # Also when its thread was stopped, which ends what it asks for first.
        call.request_stop(FailureKind.CANCELLED)
        return Stopped()
    finally:
        stopped.cancel()
        work.cancel()


@contextmanager
def limited(services: Services, call: RunningCall) -> Generator[None]:
    """End the call as `timed_out` when the block takes longer than its caller allows."""
    seconds = call.request.timeout
    if seconds is None or call.request.debug:
        yield
        return
    loop = asyncio.get_running_loop()
    ending: set[asyncio.Task[None]] = set()

    def end() -> None:
        ending.add(loop.create_task(stop(services, call, FailureKind.TIMED_OUT)))

    timer = loop.call_later(seconds, end)
    try:
        yield
    finally:
        timer.cancel()


async def stop(services: Services, call: RunningCall, kind: FailureKind) -> None:
    """End a call and the calls nested in it, innermost first, and wait for their processes (C13)."""
    call.request_stop(kind)
    for child in tuple(call.children):
        await stop(services, child, FailureKind.CANCELLED)
    runner = _runner(services, call) if call.in_host else None
    if runner is not None:
        await runner.stop(call.id)


def _identity(services: Services, call: RunningCall, workspace: str | None) -> dict[str, object]:
    thread = call.thread
    identity: dict[str, object] = {
        "threadId": thread.id,
        "agentId": thread.agent,
        "userId": thread.user_id,
        "createdAt": thread.created_at,
        "terminated": thread.terminated_at,
        "arguments": dict(thread.given),
        "workspaceDir": workspace or services.folders.workspace(thread.id),
        "stateRoot": services.folders.state_root(),
        "callId": call.id,
        "toolName": call.request.tool,
    }
    identity["session"] = _session(call)
    decision = call.record.decision
    if decision is not None:
        identity["approvedBy"] = Auth(principal=decision.by, attributes=decision.attributes).to_json()
    if call.options:
        identity["options"] = dict(call.options)
    if call.turn.context:
        identity["context"] = dict(call.turn.context)
    execution = call.setting.execution()
    if execution is not None:
        identity["execution"] = dict(execution)
    return identity


def _session(call: RunningCall) -> dict[str, object]:
    """The session as its call sees it; one outside of all sessions is told where it came from."""
    thread, asked = call.thread, call.request
    is_own = thread.kind is ThreadKind.AGENT
    return {
        "id": thread.id if is_own else asked.channel_key or thread.id,
        "channel": (thread.channel if is_own else asked.channel) or asked.origin.value,
        "mode": "dry-run" if asked.dry_run or thread.dry_run else "live",
        "auth": session_auth(call).to_json(),
    }

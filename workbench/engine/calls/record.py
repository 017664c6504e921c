"""Telling what happens: each step of a call becomes live events and rows of the store, masked (V6, C7)."""

from __future__ import annotations

from typing import TypedDict

from workbench.base.errors import UserError
from workbench.base.ids import CallId, MessageId, ThreadId, uuid7
from workbench.domain.call_logs import longer_log
from workbench.domain.calls import Call, CallState, Decision, FailedAttempt, Origin, Progress, ToolResult
from workbench.domain.events import (
    CallAttemptFailed,
    CallDecided,
    CallEmitted,
    CallFinished,
    CallLogged,
    CallProgressed,
    CallSeen,
    CallStateChanged,
    Event,
    ToolCallStarted,
)
from workbench.domain.threads import Message, MessageStatus, Role, SentCall
from workbench.domain.writes import AppendEvent, PutCall, PutMessage, Write
from workbench.engine.calls.running import RunningCall
from workbench.engine.services import Services

PREVIEW = 2_000
"""Characters of a result's text that travel with the live event."""

ARGUMENTS_PREVIEW = 500
"""Characters of the arguments that travel with the first event: more than a row can show."""


class _Stamp(TypedDict):
    """What every event of a call begins with."""

    thread_id: ThreadId
    call_id: CallId
    at: int


def _stamp(services: Services, call: RunningCall) -> _Stamp:
    return {"thread_id": call.thread.id, "call_id": call.id, "at": services.clock.now_us()}


def _tell(services: Services, call: RunningCall, event: Event) -> None:
    call.unsaved.append(AppendEvent(event))
    services.bus.publish(event)


def seen(services: Services, call: RunningCall) -> None:
    """The row appears, once."""
    if call.seen:
        return
    call.seen = True
    _tell(
        services,
        call,
        CallSeen(
            **_stamp(services, call),
            tool=call.request.tool,
            origin=call.request.origin,
            parent_call_id=call.request.parent_call_id,
            arguments_preview=call.first_record.arguments[:ARGUMENTS_PREVIEW],
        ),
    )


def announce(services: Services, call: RunningCall, progress: str | None) -> None:
    """`tool_call_started`, once per call (C8)."""
    if call.announced:
        return
    call.announced = True
    shown = services.variables.masker.mask(progress) if progress is not None else None
    if shown is not None:
        call.update(progress=Progress(message=shown))
    _tell(services, call, ToolCallStarted(**_stamp(services, call), tool=call.request.tool, progress=shown))
    call.setting.announced(call, shown)


def moved(
    services: Services,
    call: RunningCall,
    state: CallState,
    waiting_for: tuple[str, ...] = (),
    why: str = "",
) -> None:
    """The call is in another state."""
    call.update(state=state)
    event = CallStateChanged(**_stamp(services, call), state=state, waiting_for=waiting_for, why=why)
    _tell(services, call, event)


def decided(services: Services, call: RunningCall, decision: Decision) -> None:
    """An approval was given or refused (C12)."""
    call.update(decision=decision)
    _tell(services, call, CallDecided(**_stamp(services, call), decision=decision))


def attempt_failed(services: Services, call: RunningCall, attempt: FailedAttempt) -> None:
    """A try failed and another one follows (C9)."""
    attempt = attempt.model_copy(update={"message": services.variables.masker.mask(attempt.message)})
    number = call.record.attempts
    call.update(failed_attempts=(*call.record.failed_attempts, attempt), attempts=number + 1)
    event = CallAttemptFailed(
        **_stamp(services, call), attempt=number, message=attempt.message, wait=attempt.wait
    )
    _tell(services, call, event)


def progressed(services: Services, call: RunningCall, progress: Progress) -> None:
    """The bar moved (C17)."""
    call.update(progress=progress)
    _tell(services, call, CallProgressed(**_stamp(services, call), progress=progress))


def emitted(services: Services, call: RunningCall, event: str, data: str) -> None:
    """The tool emitted an event; `data` is JSON text."""
    masker = services.variables.masker
    event, data = masker.mask(event), masker.mask_json_text(data)
    _tell(services, call, CallEmitted(**_stamp(services, call), event=event, data=data))


def logged(services: Services, call: RunningCall, stream: str, text: str) -> None:
    """The tool printed something, or something is to be said beside what it printed."""
    text = services.variables.masker.mask(text)
    kept = longer_log(call.record.log, text)
    if kept is not call.record.log:
        call.update(log=kept)
    _tell(
        services,
        call,
        CallLogged(
            **_stamp(services, call),
            stream=stream,
            text=text,
        ),
    )


async def persist(services: Services, call: RunningCall) -> None:
    """Make the call and its pending result durable before anything runs, and later states after (C7)."""
    if not call.persisted:
        _add_messages(services, call)
        call.persisted = True
    call.unsaved.append(PutCall(call.record))
    # What a power cut took of a call that had not ended was never told to anybody: results are what is flushed.
    await save(services, call, flush=False)


def take_up(services: Services, call: RunningCall, message_id: MessageId) -> list[Write]:
    """A call that a model's message carries: what is to be committed with that message, before any of it runs (C7)."""
    call.update(message_id=message_id)
    _add_messages(services, call)
    call.persisted = True
    call.unsaved.append(PutCall(call.record))
    writes, call.unsaved = call.unsaved, []
    return writes


async def save(services: Services, call: RunningCall, *, flush: bool = True) -> None:
    """Commit what has gathered. Raises UserError when the store refuses; the writes then wait for the next save."""
    writes, call.unsaved = call.unsaved, []
    if not writes:
        return
    try:
        await services.store.commit(*writes, flush=flush)
    except UserError as error:
        call.unsaved[:0] = writes
        raise UserError(
            f"The call could not be recorded: {error.message}", hint=error.hint, detail=error.detail
        ) from error


def save_soon(services: Services, call: RunningCall) -> None:
    """The call's row as it is now, and what has gathered, are written before its next commit."""
    services.store.write_soon(*call.unsaved, PutCall(call.record))
    call.unsaved = []


def keep_definition(services: Services, call: RunningCall) -> None:
    """Keep the source and schema that the call runs with; the store drops what it has already."""
    kept = services.catalog.to_keep(call.tool)
    if kept is not None:
        call.unsaved.append(kept)


async def finish(services: Services, call: RunningCall, result: ToolResult) -> None:
    """Commit the result as a message and close the call, then tell (C7)."""
    announce(services, call, None)
    if not call.persisted:
        _add_messages(services, call)
        call.persisted = True
    ended = _ended(services, call, result, _final_state(call, result))
    event = _finished_event(ended, result)
    call.unsaved.append(PutMessage(_result_message(call, ended, MessageStatus.COMPLETED)))
    call.unsaved.append(PutCall(ended))
    call.unsaved.append(AppendEvent(event))
    await save(services, call)
    # Only now: nobody may see a result whose files and messages are not there yet.
    call.become(ended)
    services.bus.publish(event)


def finish_unsaved(services: Services, call: RunningCall, result: ToolResult) -> None:
    """Close a call whose result the store refused: whoever listens learns it, the store does not."""
    ended = _ended(services, call, result, _final_state(call, result))
    call.become(ended)
    services.bus.publish(_finished_event(ended, result))


def _ended(services: Services, call: RunningCall, result: ToolResult, state: CallState) -> Call:
    now = services.clock.now_us()
    started = call.record.started_at or now
    changes = {"state": state, "result": result, "started_at": started, "finished_at": now}
    return call.record.model_copy(update=changes)


def _finished_event(row: Call, result: ToolResult) -> CallFinished:
    return CallFinished(
        thread_id=row.thread_id,
        call_id=row.id,
        at=row.finished_at or row.created_at,
        state=row.state,
        result=_preview(result),
        duration_ms=row.duration_ms or 0,
        stubbed=row.stubbed,
    )


def _final_state(call: RunningCall, result: ToolResult) -> CallState:
    if not result.is_error:
        return CallState.SUCCEEDED
    return CallState.STOPPED if call.stop_kind is not None else CallState.FAILED


def _preview(result: ToolResult) -> ToolResult:
    text, json_text = result.text, result.json_text
    if len(text) <= PREVIEW and (json_text is None or len(json_text) <= PREVIEW) and not result.content:
        return result
    return result.model_copy(
        update={"text": text[:PREVIEW], "json_text": None, "content": (), "structured_content": None}
    )


def _add_messages(services: Services, call: RunningCall) -> None:
    """The assistant message that carries the call, unless a model's message already does, and its pending result."""
    row = call.first_record
    if call.request.origin is not Origin.MODEL:
        place = call.setting.place
        message = Message(
            id=MessageId(uuid7()),
            thread_id=call.thread.id,
            role=Role.ASSISTANT,
            created_at=services.clock.now_us(),
            depth=call.message_depth,
            side=place.side,
            prompt=place.prompt,
            parent_id=place.parent_id,
            tool_calls=(SentCall(id=call.id, name=row.tool, arguments=row.arguments),),
        )
        call.update(message_id=message.id)
        call.unsaved.append(PutMessage(message))
    call.update(result_message_id=call.result_message_id)
    call.unsaved.append(PutMessage(_result_message(call, row, MessageStatus.PENDING)))


def _told(row: Call, result: ToolResult) -> str:
    """What a model reads; it must know when something else ran than it asked for (C12)."""
    if row.decision is None or row.decision.verdict != "edited":
        return result.text
    return f"{result.text}\n(The arguments were edited before the call ran: {row.arguments_run})"


def _result_message(call: RunningCall, row: Call, status: MessageStatus) -> Message:
    result, place = row.result, call.setting.place
    return Message(
        id=call.result_message_id,
        thread_id=call.thread.id,
        role=Role.TOOL,
        created_at=row.created_at,
        content=_told(row, result) if result else None,
        name=row.tool,
        tool_call_id=call.id,
        tool_status=None if result is None else ("error" if result.is_error else "success"),
        status=status,
        depth=call.message_depth,
        side=place.side,
        prompt=place.prompt,
        parent_id=place.parent_id,
        attachments=result.attachments if result else (),
    )

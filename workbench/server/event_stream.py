"""What happens in a session as server-sent events: read from the history, so that none is lost or told twice (H4).

A slow reader costs nothing: it is given the next page when it has taken the one before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping

from workbench.app import Workbench
from workbench.app.calls.call_record import result_json
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.changes import Changes
from workbench.domain.events import CallFinished, CallSeen, Event, MessageAdded, MessageChanged

PAGE = 200
"""Events that are read at once."""
_LOOK_AGAIN = 1.0
"""Seconds after which the history is looked at without anything that called for it."""
_SETTLE = 0.05
"""What was told is in the history a moment later."""
_KEEP_ALIVE = 15.0
"""Seconds after which a stream that has nothing to say says that it is alive."""


async def stream(
    workbench: Workbench, thread_id: ThreadId, after: int, stopping: asyncio.Event
) -> AsyncGenerator[bytes]:
    """The events of a session behind a number, and those to come, until it is deleted or the server stops."""
    woken = asyncio.Event()

    def hear(event: Event) -> None:
        if event.thread_id == thread_id:
            woken.set()

    def look(changes: Changes) -> None:
        if thread_id in changes.threads:
            woken.set()

    loop = asyncio.get_running_loop()
    stop = workbench.subscribe(on_event=hear, on_changes=look)
    said_at = loop.time()
    try:
        yield b": following\n\n"
        while not stopping.is_set():
            woken.clear()
            page = await workbench.threads.numbered_events(thread_id, after=after, limit=PAGE)
            for number, event in page:
                yield await _as_text(workbench, number, event)
                after, said_at = number, loop.time()
            if not page and await workbench.store.thread(thread_id) is None:
                return
            if loop.time() - said_at > _KEEP_ALIVE:
                yield b": alive\n\n"
                said_at = loop.time()
            if len(page) < PAGE:
                await _something(woken, stopping)
    finally:
        stop()


async def _something(woken: asyncio.Event, stopping: asyncio.Event) -> None:
    """Return when there may be more to read, or the server stops."""
    waits = [asyncio.ensure_future(woken.wait()), asyncio.ensure_future(stopping.wait())]
    try:
        await asyncio.wait(waits, timeout=_LOOK_AGAIN, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    if woken.is_set():
        await asyncio.sleep(_SETTLE)


async def _as_text(workbench: Workbench, number: int, event: Event) -> bytes:
    name, data = await _told(workbench, event)
    return f"id: {number}\nevent: {name}\ndata: {dump(data)}\n\n".encode(errors="backslashreplace")


async def _told(workbench: Workbench, event: Event) -> tuple[str, Mapping[str, object]]:
    """An event's name and what it says, under the names of the published stream where it has one."""
    match event:
        case CallSeen():
            return "actions.requested", await _requested(workbench, event)
        case CallFinished():
            return "action.result", await _ended(workbench, event)
        case MessageAdded() | MessageChanged():
            return "message", await _message(workbench, event)
        case _:
            data = event.to_json()
            name = str(data.pop("type"))
            if "callId" in data:
                data = {"toolCallId": data.pop("callId"), **data}
            return name, data


async def _requested(workbench: Workbench, event: CallSeen) -> Mapping[str, object]:
    call = await _call(workbench, event.call_id)
    return {
        "toolCallId": event.call_id,
        "toolName": event.tool,
        "input": _input(call.arguments if call is not None else event.arguments_preview),
        "origin": event.origin,
        "parentToolCallId": event.parent_call_id,
        "turnId": call.turn_id if call is not None else None,
        "at": event.at,
    }


async def _ended(workbench: Workbench, event: CallFinished) -> Mapping[str, object]:
    call = await _call(workbench, event.call_id)
    result = call.result if call is not None and call.result is not None else event.result
    return {
        "toolCallId": event.call_id,
        "toolName": call.tool if call is not None else None,
        "isError": event.result.is_error,
        "result": _input(result_json(result)),
        "failure": event.result.failure.kind if event.result.failure else None,
        "stubbed": event.stubbed,
        "durationMs": event.duration_ms,
        "at": event.at,
    }


async def _message(workbench: Workbench, event: MessageAdded | MessageChanged) -> Mapping[str, object]:
    message = await workbench.store.message(event.message_id)
    if message is None:  # it was deleted since
        return {"id": event.message_id, "toolCallId": None, "deleted": True}
    return {"toolCallId": message.tool_call_id, **message.to_json()}


async def _call(workbench: Workbench, call_id: CallId) -> Call | None:
    return await workbench.store.call(call_id)


def _input(text: str) -> JsonValue:
    """What a JSON text says; the text itself where it is none."""
    try:
        return parse(text or "{}")
    except JsonError:
        return text

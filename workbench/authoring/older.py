"""Older spellings: functions that took the state first, from before its methods needed no import (T11)."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from workbench.authoring.record import Record
from workbench.authoring.state import ThreadState


def queue_tool(state: ThreadState, name: str, args: Mapping[str, Any] | None = None) -> Awaitable[None]:
    return state.queue_tool(name, args)


def invoke_tool(state: ThreadState, name: str, args: Mapping[str, Any] | None = None) -> Awaitable[Any]:
    return state.invoke_tool(name, args)


def emit_thread_event(state: ThreadState, event: str, data: Any = None) -> Awaitable[None]:
    return state.emit(event, data)


def inject_message(state: ThreadState, message: Mapping[str, Any]) -> Awaitable[Record]:
    return state.inject_message(message)


def get_messages(state: ThreadState, **options: Any) -> Awaitable[Record]:
    return state.get_messages(**options)


queueTool = queue_tool  # noqa: N816  (as it was spelled)
invokeTool = invoke_tool  # noqa: N816
emitThreadEvent = emit_thread_event  # noqa: N816
injectMessage = inject_message  # noqa: N816
getMessages = get_messages  # noqa: N816

"""Threads, calls and messages to fill a store with, and the shape that a manual call has in it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from workbench.base.ids import CallId, MessageId, ThreadId, new_call_id, uuid7
from workbench.domain.calls import Call, CallState, FailureKind, Origin, ToolFailure, ToolResult
from workbench.domain.events import CallFinished, CallLogged, CallSeen
from workbench.domain.threads import Message, MessageStatus, Role, SentCall, Thread, ThreadKind
from workbench.domain.writes import AppendEvent, PutCall, PutMessage, PutThread, Write
from workbench.engine.ports import Store

HOUR_US = 3_600_000_000


class StillClock:
    """A clock that a test moves."""

    def __init__(self, now_us: int = 1_700_000_000_000_000) -> None:
        self.now = now_us

    def now_us(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1e6


def thread(kind: ThreadKind = ThreadKind.BENCH, created_at: int = 1) -> Thread:
    return Thread(id=ThreadId(uuid7()), kind=kind, created_at=created_at, updated_at=created_at)


async def put_thread(store: Store, kind: ThreadKind = ThreadKind.BENCH) -> ThreadId:
    """A new thread in the store."""
    new = thread(kind)
    await store.commit(PutThread(new))
    return new.id


def call(
    thread_id: ThreadId,
    tool: str = "convert",
    *,
    state: CallState = CallState.SUCCEEDED,
    origin: Origin = Origin.FORM,
    arguments: str = '{"metres": 3}',
    text: str = "9.8 ft",
    log: str = "",
    created_at: int = 1,
) -> Call:
    """A call with a result when its state is final."""
    failure = ToolFailure(kind=FailureKind.TOOL_ERROR, message=text) if state is CallState.FAILED else None
    result = ToolResult(is_error=failure is not None, text=text, failure=failure) if state.is_final else None
    return Call(
        id=new_call_id(tool),
        thread_id=thread_id,
        tool=tool,
        origin=origin,
        state=state,
        arguments=arguments,
        created_at=created_at,
        started_at=created_at,
        finished_at=created_at + 2_000 if state.is_final else None,
        result=result,
        log=log,
    )


async def put_calls(store: Store, *calls: Call) -> list[CallId]:
    await store.commit(*map(PutCall, calls))
    return [one.id for one in calls]


def message(thread_id: ThreadId, content: str | None = "hello", **fields: object) -> Message:
    given = {
        "id": MessageId(uuid7()),
        "thread_id": thread_id,
        "role": Role.USER,
        "created_at": 1,
        "content": content,
    }
    return Message.model_validate(given | fields)


def started(thread_id: ThreadId, tool: str = "convert", arguments: str = "{}") -> tuple[Call, list[Write]]:
    """A running call with its asking message, its pending result and its first event."""
    running = call(thread_id, tool, state=CallState.RUNNING, arguments=arguments)
    sent = SentCall(id=running.id, name=tool, arguments=arguments)
    asking = message(thread_id, None, role=Role.ASSISTANT, tool_calls=(sent,))
    pending = message(thread_id, None, role=Role.TOOL, tool_call_id=running.id, status=MessageStatus.PENDING)
    running = running.model_copy(update={"message_id": asking.id, "result_message_id": pending.id})
    seen = CallSeen(thread_id=thread_id, at=1, call_id=running.id, tool=tool, origin=running.origin)
    return running, [PutMessage(asking), PutCall(running), PutMessage(pending), AppendEvent(seen)]


def finished(running: Call, text: str, log: str = "") -> tuple[Call, list[Write]]:
    """The end of a call that `started` began."""
    result = ToolResult(text=text)
    done = running.model_copy(
        update={"state": CallState.SUCCEEDED, "result": result, "log": log, "finished_at": 2_001}
    )
    said = message(
        running.thread_id, text, id=running.result_message_id, role=Role.TOOL, tool_call_id=running.id
    )
    ids = {"thread_id": running.thread_id, "at": 2, "call_id": running.id}
    logged = CallLogged.model_validate({**ids, "stream": "stdout", "text": log})
    ended = CallFinished.model_validate({**ids, "state": done.state, "result": result, "duration_ms": 2})
    return done, [PutCall(done), PutMessage(said), AppendEvent(logged), AppendEvent(ended)]


def bytes_of(path: Path) -> bytes:
    """Everything that lies on the disk of a store: the file and its logs."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")) if file.is_file())


def count(path: Path, table: str) -> int:
    """How many rows a table of the file holds, as another program sees it."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for a condition; TimeoutError when it never holds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 – what a file holds, which has no event to wait for
            await asyncio.sleep(0.01)

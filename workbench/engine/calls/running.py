"""A call while it is under way: what the stages read and fill in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol, TypeVar

from workbench.base.exact_json import JsonValue
from workbench.base.ids import CallId, MessageId, uuid7
from workbench.domain.calls import (
    ArgumentError,
    Call,
    CallRequest,
    FailureKind,
    ToolFailure,
    ToolResult,
)
from workbench.domain.threads import Thread
from workbench.domain.tools import ToolDefinition
from workbench.domain.writes import Write
from workbench.engine.calls.context import Context
from workbench.engine.calls.setting import Perform, Setting
from workbench.engine.ports import HostAnswer
from workbench.engine.variables import Layers

T = TypeVar("T")

BIG = 1_000_000
"""Bytes from which text is worked on beside the loop."""

MAX_NESTING = 32
"""How deep `invoke_tool` may go (C6)."""


class CallFailed(Exception):
    """A stage ends the call with this failure."""

    def __init__(self, failure: ToolFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def fail(
    kind: FailureKind,
    message: str,
    *,
    hint: str = "",
    stack: str = "",
    errors: Sequence[ArgumentError] = (),
    ended: Sequence[str] = (),
) -> CallFailed:
    """The exception that ends a call with a failure of this kind."""
    return CallFailed(
        ToolFailure(
            kind=kind, message=message, hint=hint, stack=stack, errors=tuple(errors), ended=tuple(ended)
        )
    )


class CallTurn(Protocol):
    """What a running call asks of the turn it is part of (C6)."""

    @property
    def setting(self) -> Setting:
        """What surrounds the turn's calls."""
        ...

    @property
    def context(self) -> Context:
        """What its calls share as `state.context` (T7)."""
        ...

    async def queue(self, parent: RunningCall, tool: str, arguments: bytes) -> CallId:
        """Append a call behind those that wait."""
        ...

    async def invoke(self, parent: RunningCall, tool: str, arguments: bytes) -> Call:
        """Run a call at once, nested in its parent."""
        ...

    async def discard(self, call: RunningCall) -> None:
        """End a call that still waits its turn."""
        ...


class RunningCall:
    """One call under way. `record` is what the store is told; the rest lives only as long as the call."""

    def __init__(
        self,
        request: CallRequest,
        record: Call,
        thread: Thread,
        layers: Layers,
        turn: CallTurn,
        *,
        parent: RunningCall | None = None,
    ) -> None:
        self.request = request
        self.id = request.call_id
        self.first_record = record
        """As it was at first sight; what it says of tool, arguments and creation stays true."""
        self._record = record
        self._changes: dict[str, object] = {}
        self.thread = thread
        self.layers = layers
        self.turn = turn
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.children: list[RunningCall] = []
        self.tool: ToolDefinition
        """The definition; there when it was resolved."""
        self.options: Mapping[str, object] = {}
        self.perform: Perform | None = None
        """What runs it in the engine; None for a tool, which its host runs."""
        self.arguments: bytes = request.arguments
        """The text that will run: with secrets put back and a person's edits."""
        self.value: dict[str, JsonValue] = {}
        self.result_message_id = MessageId(uuid7())
        self.answer: HostAnswer | None = None
        self.result: ToolResult
        """There when the answer was normalised."""
        self.unsaved: list[Write] = []
        """Writes that go with the next commit."""
        self.ended: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        """Gives the record when the call has ended."""
        self.queued_by: RunningCall | None = None
        self.is_cut = False
        """Whether the model's answer ended before its arguments were whole."""
        self.seen = False
        self.announced = False
        """Whether `tool_call_started` has fired (C8)."""
        self.persisted = False
        self.in_host = False
        self.stop_kind: FailureKind | None = None
        self._why_stopped = ""
        self._stopped = asyncio.Event()

    @property
    def message_depth(self) -> int:
        """How deep its messages lie (T3)."""
        return self.setting.place.depth + self.depth

    @property
    def setting(self) -> Setting:
        return self.turn.setting

    @property
    def record(self) -> Call:
        """The row as it stands now."""
        if self._changes:
            # Gathered, since a copy for each change is a good part of what a short call costs.
            self._record = self._record.model_copy(update=self._changes)
            self._changes = {}
        return self._record

    def become(self, row: Call) -> None:
        """Take a row in the place of the record, as it was committed."""
        self._record, self._changes = row, {}

    def update(self, **changes: object) -> None:
        """Replace fields of the record."""
        self._changes |= changes

    @property
    def was_left_by_a_stop(self) -> bool:
        """Whether whoever queued this call, or anybody before, was stopped."""
        cause = self.queued_by or self.parent
        return cause is not None and (cause.stop_kind is not None or cause.was_left_by_a_stop)

    def came_of(self, other: RunningCall) -> bool:
        """Whether this call was queued by the other, or by one that the other started, however far back."""
        cause = self.queued_by or self.parent
        return cause is not None and (cause is other or cause.came_of(other))

    def request_stop(self, kind: FailureKind, why: str = "The call was stopped before it ran.") -> None:
        """Ask the call to end as `cancelled` or `timed_out`; waits notice at once. `why` if it had not run yet."""
        if self.stop_kind is None:
            self.stop_kind, self._why_stopped = kind, why
        self._stopped.set()

    async def stopped(self) -> None:
        """Return when the call is asked to end."""
        await self._stopped.wait()

    async def or_stop(self, work: Awaitable[T]) -> T:
        """Await `work` unless the call is stopped first; then raise the failure."""
        task = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self.check_stopped()
            return await task
        finally:
            for future in (task, stopped):
                future.cancel()

    def check_stopped(self) -> None:
        """Raise the failure if the call was stopped."""
        if self.stop_kind is FailureKind.TIMED_OUT:
            seconds = self.request.timeout or 0
            raise fail(FailureKind.TIMED_OUT, f"The call took longer than its limit of {seconds:g} s.")
        if self.stop_kind is not None:
            raise fail(FailureKind.CANCELLED, self._why_stopped)

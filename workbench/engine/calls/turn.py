"""A turn: calls that run one after another, each queued one behind those that wait (C6)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from workbench.base.ids import CallId, new_call_id
from workbench.domain.calls import (
    Call,
    CallRequest,
    CallState,
    FailureKind,
    Origin,
    ToolFailure,
    ToolResult,
)
from workbench.domain.threads import Thread
from workbench.engine.calls import record
from workbench.engine.calls.context import Context
from workbench.engine.calls.pipeline import run_call
from workbench.engine.calls.run import stop
from workbench.engine.calls.running import BIG, RunningCall
from workbench.engine.calls.setting import Setting
from workbench.engine.services import Services
from workbench.engine.variables import Layers


class Turn:
    """Runs the calls it was given, in order, then what they queued, first in first out.

    `live` is shared by the engine: every call under way by its id. With a `parent` its calls are nested in that
    call, and stopped with it. `context` is what the calls of a run share (T7); without one they have their own.
    """

    def __init__(
        self,
        services: Services,
        thread: Thread,
        layers: Layers,
        live: dict[CallId, RunningCall],
        setting: Setting,
        *,
        parent: RunningCall | None = None,
        context: Context | None = None,
    ) -> None:
        self.setting = setting
        self.context: Context = {} if context is None else context
        self._parent = parent
        self._services = services
        self._thread = thread
        self._layers = layers
        self._live = live
        self._waiting: deque[RunningCall] = deque()

    async def add(self, request: CallRequest) -> RunningCall:
        """Append a call; it runs when its time comes."""
        call = await self._make(request, None)
        self._waiting.append(call)
        return call

    def expect(self, request: CallRequest) -> RunningCall:
        """A call that a model has begun to write: it is shown, and runs once it was given whole and lined up."""
        if self._parent is not None:
            request = request.model_copy(update={"parent_call_id": self._parent.id})
        call = self._begin(request, self._parent, "")
        record.seen(self._services, call)
        return call

    async def give(self, call: RunningCall, arguments: str, *, is_cut: bool) -> None:
        """The whole of an expected call, or all that came of it; it runs once it is kept and lined up."""
        call.is_cut = is_cut
        call.request = call.request.model_copy(update={"arguments": arguments.encode(errors="replace")})
        call.arguments = call.request.arguments
        call.update(arguments=await self._masked(arguments))

    def line_up(self, calls: Iterable[RunningCall]) -> None:
        """Expected calls whose message is kept; each runs when its time comes.

        Not before: one that is stopped meanwhile would end first, and then be kept as one that waits.
        """
        self._waiting.extend(calls)

    def withdraw(self, call: RunningCall, failure: ToolFailure) -> None:
        """An expected call that will never be whole: nobody but the live views has seen it."""
        self._live.pop(call.id, None)
        call.request_stop(FailureKind.CANCELLED)
        record.finish_unsaved(
            self._services, call, ToolResult(is_error=True, text=failure.message, failure=failure)
        )
        call.ended.set_result(call.record)

    async def run(self, is_last: Callable[[Call], bool] = lambda _: False) -> None:
        """Run until nothing waits. Behind a call that `is_last` none that a model asked for is run."""
        try:
            while self._waiting:
                ended = await self._run_one(self._waiting.popleft())
                if is_last(ended):
                    self._refuse_the_rest(ended)
        except BaseException:
            # A mistake of ours ends the turn; what waits in it is closed, not forgotten.
            while self._waiting:
                call = self._waiting.popleft()
                call.request_stop(FailureKind.CANCELLED)
                await self._run_one(call)
            raise

    def _refuse_the_rest(self, last: Call) -> None:
        for call in self._waiting:
            if call.request.origin is Origin.MODEL:
                call.request_stop(
                    FailureKind.CANCELLED, f"{last.tool} had ended the turn, so this call was not run."
                )

    async def queue(self, parent: RunningCall, tool: str, arguments: bytes) -> CallId:
        """`queue_tool`: behind the calls that wait; a call that is stopped takes with it what it queued."""
        call = await self._make(self._follow(parent, tool, arguments, Origin.QUEUE), None)
        call.queued_by = parent
        self._waiting.append(call)
        record.seen(self._services, call)
        await record.persist(self._services, call)
        return call.id

    async def discard(self, call: RunningCall) -> None:
        """End a call that still waits its turn; one that runs already is left alone."""
        if call in self._waiting:
            self._waiting.remove(call)
            await self._run_one(call)

    async def invoke(self, parent: RunningCall, tool: str, arguments: bytes) -> Call:
        """`invoke_tool`: at once, nested in its parent; when nobody waits for it any more, it is stopped."""
        call = await self._make(self._follow(parent, tool, arguments, Origin.INVOKE), parent)
        parent.children.append(call)
        running = asyncio.ensure_future(self._run_one(call))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await stop(self._services, call, FailureKind.CANCELLED)
            await asyncio.wait([running])
            raise
        finally:
            parent.children.remove(call)

    async def _run_one(self, call: RunningCall) -> Call:
        if call.was_left_by_a_stop:
            call.request_stop(FailureKind.CANCELLED)
        try:
            await run_call(self._services, call)
        except BaseException as error:
            if not call.ended.done():
                call.ended.set_exception(error)
                call.ended.exception()  # it is raised here, too: nobody has to ask for it
            raise
        finally:
            self._live.pop(call.id, None)
        if not call.ended.done():
            call.ended.set_result(call.record)
        return call.record

    def _follow(self, parent: RunningCall, tool: str, arguments: bytes, origin: Origin) -> CallRequest:
        asked = parent.request
        # No tool has a secret for its name; whatever this is, it must not be kept.
        tool = self._services.variables.masker.mask(tool)
        return CallRequest(
            tool=tool,
            arguments=arguments,
            origin=origin,
            thread_id=asked.thread_id,
            call_id=new_call_id(tool),
            parent_call_id=parent.id,
            turn_id=asked.turn_id,
            timeout=asked.timeout,
            approve=asked.approve,
            auth=asked.auth,
            person_attached=asked.person_attached,
            dry_run=asked.dry_run,
            channel=asked.channel,
            channel_key=asked.channel_key,
            workspace=asked.workspace if origin is Origin.INVOKE else None,
        )

    async def _make(self, request: CallRequest, parent: RunningCall | None) -> RunningCall:
        masked = await self._masked(request.arguments.decode(errors="replace"))
        return self._begin(request, parent, masked)

    async def _masked(self, arguments: str) -> str:
        masker = self._services.variables.masker
        if len(arguments) < BIG:
            return masker.mask_json_text(arguments)
        return await asyncio.to_thread(masker.mask_json_text, arguments)

    def _begin(self, request: CallRequest, parent: RunningCall | None, masked: str) -> RunningCall:
        parent = parent or self._parent
        row = Call(
            id=request.call_id,
            thread_id=request.thread_id,
            tool=request.tool,
            origin=self._shown_as(request.origin),
            state=CallState.QUEUED,
            arguments=masked,
            created_at=self._services.clock.now_us(),
            parent_call_id=request.parent_call_id,
            turn_id=request.turn_id,
        )
        call = RunningCall(request, row, self._thread, self._layers, self, parent=parent)
        self._live[call.id] = call
        if self._parent is not None:
            self._parent.children.append(call)
        return call

    def _shown_as(self, origin: Origin) -> Origin:
        """Whoever looks at the call later is told that no model asked for it first (T22)."""
        return Origin.REPLAY if origin is Origin.MODEL and self._thread.replay is not None else origin

"""The calls of an answer while it streams: each has its row from the first sight of its name on (C8)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.ids import CallId, uuid7
from workbench.base.masker import MaskStream
from workbench.domain.calls import CallRequest, FailureKind, Origin, ToolFailure
from workbench.domain.events import CallArguments
from workbench.domain.model_answers import Answer, ArgumentsDelta, CallNamed
from workbench.domain.model_requests import OfferedTool
from workbench.domain.threads import SentCall, Thread
from workbench.engine.calls import record
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.turn import Turn
from workbench.engine.models.call_start import CallStart, tool_named
from workbench.engine.threads.runtime import Runtime


class StreamedCalls:
    """`kept` are the calls of the whole answer, in its order."""

    def __init__(self, runtime: Runtime, thread: Thread, turn: Turn) -> None:
        self._runtime = runtime
        self._services = runtime.services
        self._thread = thread
        self._turn = turn
        self._by_index: dict[int, RunningCall] = {}
        self._by_id: dict[str, RunningCall] = {}
        self._shown: dict[CallId, MaskStream] = {}
        """What comes of each call's arguments; an end that may be the beginning of a secret waits (V6)."""
        self.offered: Mapping[str, OfferedTool] = {}
        self.kept: tuple[RunningCall, ...] = ()

    def named(self, named: CallNamed) -> None:
        """A name came; a row appears when it is one that was offered, for others may still grow."""
        name = tool_named(named.name, self.offered)
        if name in self.offered and named.index not in self._by_index:
            self._expect(named.index, name)

    def more(self, delta: ArgumentsDelta) -> None:
        """More of a call's arguments, for whoever watches."""
        call = self._by_index.get(delta.index)
        if call is not None:
            masker = self._services.variables.masker
            stream = self._shown.setdefault(call.id, MaskStream(masker))
            stream.masker = masker
            self._show(call.id, stream.feed(delta.text))

    def _show(self, call_id: CallId, text: str) -> None:
        if text:
            now = self._services.clock.now_us()
            self._services.bus.publish(
                CallArguments(thread_id=self._thread.id, call_id=call_id, at=now, text=text)
            )

    def started(self, start: CallStart) -> None:
        """`tool_call_started` (C8)."""
        call = self._by_index.get(start.index) or self._expect(start.index, start.name)
        self._by_id[start.id] = call
        record.announce(self._services, call, start.progress)

    async def give(self, answer: Answer) -> tuple[SentCall, ...]:
        """The whole answer is there: its calls as the message carries them; they run with the turn."""
        for call_id, stream in self._shown.items():
            self._show(call_id, stream.close())
        kept: list[RunningCall] = []
        sent: list[SentCall] = []
        for part in answer.calls:
            call = self._by_id[part.id]
            await self._turn.give(call, part.arguments, is_cut=part.id in answer.cut_calls)
            kept.append(call)
            arguments = call.record.arguments
            sent.append(SentCall(id=call.id, name=part.name, arguments=arguments, provider_id=part.id))
        self.kept = tuple(kept)
        return tuple(sent)

    def withdraw(self, why: str) -> None:
        """What was shown of the calls never becomes whole."""
        failure = ToolFailure(kind=FailureKind.CANCELLED, message=why)
        for call in self._by_index.values():
            self._turn.withdraw(call, failure)
        self._by_index, self._by_id, self._shown = {}, {}, {}

    def _expect(self, index: int, name: str) -> RunningCall:
        # No tool has a secret for its name; whatever this is, it must not be kept.
        name = self._services.variables.masker.mask(name)
        call = self._turn.expect(
            CallRequest(
                tool=name,
                arguments=b"",
                origin=Origin.MODEL,
                thread_id=self._thread.id,
                call_id=CallId(f"call_{uuid7().replace('-', '')}"),
                person_attached=self._runtime.person_attached,
                approve=self._runtime.approve,
            )
        )
        self._by_index[index] = call
        return call

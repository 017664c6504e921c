"""Handing histories to a trace store: while a project is open what ends in it, and whatever is asked for."""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.app.handed_spans import HandedSpans
from workbench.app.project_settings import ProjectSettings
from workbench.base.errors import RunError, UserError, WorkbenchError
from workbench.base.ids import CallId, RequestId, ThreadId
from workbench.domain.connections import REFERENCE, filled
from workbench.domain.events import CallFinished, Event, StepEnded, ThreadMoved
from workbench.domain.pages import CallFilter
from workbench.domain.requests import Request
from workbench.domain.threads import ThreadKind
from workbench.engine.bench import bench_layers
from workbench.engine.services import Services

if TYPE_CHECKING:
    from workbench.traces.exporter import SpanExporter
    from workbench.traces.spans import Attribute, Span

_log = logging.getLogger(__name__)

GATHER = 1.0
"""Seconds in which what ends is gathered before it is sent."""
RESTS = 10
"""How much longer than a delivery took is waited before the next."""
LONGEST_PAUSE = 30.0
"""Seconds between two deliveries, whatever the first took."""
LAST_PATIENCE = 5.0
"""Seconds that closing a project waits for the store."""
MOST_WAITING = 10_000
"""Calls outside of runs that wait for a store that does not answer; older ones must be asked for by hand."""


def pause_after(took: float) -> float:
    """Seconds before the next delivery after one that took so many.

    All of a thread is read to find what is new in it, so one with a long history is handed over less often.
    """
    return min(max(GATHER, RESTS * took), LONGEST_PAUSE)


class Traces:
    """Belongs to the engine's loop. Nothing is sent of a project whose settings name no endpoint (H6)."""

    def __init__(self, settings: ProjectSettings, services: Services) -> None:
        self._settings = settings
        self._services = services
        self._threads: dict[ThreadId, None] = {}
        self._calls: dict[CallId, None] = {}
        self._woken = asyncio.Event()
        self._handed = HandedSpans(services.clock.now_us())
        self.trouble: WorkbenchError | None = None
        """Why the last delivery failed, if it did."""

    # --- while the project is open

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        """Note what ends inside; what was not sent by its end is sent then, if the store answers soon."""
        unsubscribe = self._services.bus.subscribe(self._on_event)
        try:
            yield
        finally:
            unsubscribe()
            if self._woken.is_set():
                await self._finish()

    async def follow(self) -> None:
        """Send what ends, a moment after it did. Raises RunError when it is not taken; then run it again."""
        pause, loop = GATHER, asyncio.get_running_loop()
        while True:
            await self._woken.wait()
            await asyncio.sleep(pause)
            began = loop.time()
            await self._deliver()
            pause = pause_after(loop.time() - began)

    def _on_event(self, event: Event) -> None:
        if self._settings.settings.traces.endpoint is None:
            return
        match event:
            case CallFinished():
                self._calls[event.call_id] = None
                if len(self._calls) > MOST_WAITING:
                    del self._calls[next(iter(self._calls))]
            case StepEnded() | ThreadMoved():
                self._threads[event.thread_id] = None
            case _:
                return
        self._woken.set()

    async def _finish(self) -> None:
        try:
            async with asyncio.timeout(LAST_PATIENCE):
                await self._deliver()
        except WorkbenchError as error:
            _log.info("%s", error.message)  # whoever opened it reads `trouble`
        except TimeoutError:
            self.trouble = RunError(
                "The trace store did not answer in time; what ended last was not handed over.",
                hint="Hand it over with `workbench traces send`.",
            )

    async def _deliver(self) -> None:
        threads, self._threads = self._threads, {}
        calls, self._calls = self._calls, {}
        self._woken.clear()
        if self._settings.settings.traces.endpoint is None:  # it was taken out of the settings meanwhile
            self.trouble = None
            return
        is_taken = False
        try:
            spans = await self._spans_of_calls(calls, threads)
            for root in {await self._root(thread_id): None for thread_id in threads}:
                spans += await self._spans_of_thread(root, but=self._handed)
            await self._send(spans)
            is_taken, self.trouble = True, None
            self._handed.add(spans)
        except WorkbenchError as error:
            self.trouble = error
            raise
        finally:
            if not is_taken:  # also when it was cancelled: the project closes, and tries once more
                self._threads = threads | self._threads
                self._calls = calls | self._calls
                self._woken.set()

    # --- when it is asked for

    async def send_threads(self, threads: Iterable[ThreadId]) -> int:
        """Hand over all that has ended of these threads and all below them; how many spans that were.

        Raises UserError without an endpoint, RunError when the store does not take them.
        """
        spans: list[Span] = []
        for root in {await self._root(thread_id): None for thread_id in threads}:
            spans += await self._spans_of_thread(root)
        await self._send(spans)
        return len(spans)

    async def send_since(self, since: int) -> int:
        """Hand over every thread, and every call outside of one, with something in it since then (microseconds)."""
        store = self._services.store
        threads = [
            row.id
            for row in await store.threads(ThreadKind.AGENT)
            if not row.parent_id and row.updated_at >= since
        ]
        sent = await self.send_threads(threads)
        bench = await store.bench_thread()
        key: str | None = None
        while bench is not None:
            page = await store.calls(CallFilter(thread_id=bench.id, since=since), key=key)
            spans = await self._spans_of_calls([row.id for row in page.rows], {})
            await self._send(spans)
            sent += len(spans)
            key = page.next_key
            if key is None:
                break
        return sent

    # --- from the history to spans

    async def _root(self, thread_id: ThreadId) -> ThreadId:
        """The thread that all above it come of."""
        thread = await self._services.store.thread(thread_id)
        while thread is not None and thread.parent_id is not None:
            thread_id = thread.parent_id
            thread = await self._services.store.thread(thread_id)
        return thread_id

    async def _spans_of_thread(self, root: ThreadId, but: HandedSpans | None = None) -> list[Span]:
        from workbench.traces.histories import spans_of_threads

        histories = await self._services.store.spans(root)
        requests = {request.id: request for history in histories for request in history.requests}
        spans = await asyncio.to_thread(spans_of_threads, histories)
        return [
            await self._with_contents(span, requests) for span in spans if but is None or not but.has(span)
        ]

    async def _spans_of_calls(self, calls: Iterable[CallId], threads: dict[ThreadId, None]) -> list[Span]:
        """Spans of calls of the bench; the threads of all others are added to `threads`."""
        from workbench.traces.histories import span_of_call

        store = self._services.store
        bench = await store.bench_thread()
        spans: list[Span] = []
        for call_id in calls:
            call = await store.call(call_id)
            if call is None:
                continue  # deleted since
            if bench is None or call.thread_id != bench.id:
                threads[call.thread_id] = None
                continue
            span = span_of_call(call, root=await self._outermost(call.id, call.parent_call_id))
            if span is not None:
                spans.append(await self._with_contents(span, {}))
        return spans

    async def _outermost(self, call_id: CallId, above: CallId | None) -> CallId:
        while above is not None:
            call_id = above
            call = await self._services.store.call(above)
            above = call.parent_call_id if call else None
        return call_id

    async def _with_contents(self, span: Span, requests: Mapping[RequestId, Request]) -> Span:
        if not self._settings.settings.traces.content:
            return span
        from workbench.traces import contents

        store = self._services.store
        said: dict[str, Attribute] = {}
        call = await store.call(span.call) if span.call is not None else None
        if call is not None:
            said |= contents.of_call(call)
        asked = await store.asked(span.asked) if span.asked is not None else None
        if asked is not None:
            said |= contents.of_question(asked) if span.kind == "client" else contents.of_wish(asked)
        answered = requests.get(span.answered) if span.answered is not None else None
        answer = await store.message(answered.message_id) if answered and answered.message_id else None
        if answered is not None and answer is not None:
            said |= contents.of_answer(answer, answered.reason)
        return replace(span, attributes={**span.attributes, **said})

    # --- sending

    async def _send(self, spans: Sequence[Span]) -> None:
        exporter = await self._exporter()
        masker = await self._services.variables.refresh_masker()
        try:
            await exporter.send(await asyncio.to_thread(lambda: [span.masked(masker.mask) for span in spans]))
        except RunError as error:  # a store may answer with what it was sent, headers as well
            raise RunError(masker.mask(error.message), hint=error.hint) from None
        finally:
            await exporter.close()

    async def _exporter(self) -> SpanExporter:
        settings = self._settings.settings.traces
        if settings.endpoint is None:
            raise UserError(
                "Nothing says where traces are to be sent.",
                hint='Write endpoint = "http://localhost:4318" below [traces] in workbench.toml.',
            )
        try:
            make = await asyncio.to_thread(_imported)
        except ImportError:
            raise UserError(
                "Traces need a part of Workbench that is not installed here.",
                hint='Install it with: pip install "agent-tool-workbench[traces]"',
            ) from None
        names = {name for text in settings.headers.values() for name in REFERENCE.findall(text)}
        values = {name: await self._value(name) for name in sorted(names)}
        resource = {
            "service.name": "workbench",
            "service.version": importlib.metadata.version("agent-tool-workbench"),
            "workbench.project": self._settings.name,
        }
        return make(settings.endpoint, filled(settings.headers, values), resource)

    async def _value(self, name: str) -> str:
        found = await self._services.variables.resolve(name, await bench_layers(self._services.store))
        if found.value is None:
            raise UserError(
                f"Traces are not sent: the variable {name} has no value.",
                hint=f"Set it, or take ${{{name}}} out of the headers below [traces] in workbench.toml.",
            )
        return found.value


def _imported() -> type[SpanExporter]:
    from workbench.traces.exporter import SpanExporter

    return SpanExporter
